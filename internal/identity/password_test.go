package identity

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/errs"
)

func TestHashAndVerify(t *testing.T) {
	h := NewHasher()
	stored, err := h.Hash(t.Context(), "pass wörd €")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=65536,t=3,p=2$") || strings.Contains(stored, "wörd") {
		t.Errorf("stored %q", stored)
	}
	again, err := h.Hash(t.Context(), "pass wörd €")
	if err != nil || again == stored {
		t.Errorf("two hashes of one password must differ by their salt: %v", err)
	}
	for password, want := range map[string]bool{"pass wörd €": true, "pass wörd": false, "": false, "Pass wörd €": false} {
		if got, err := h.Verify(t.Context(), stored, password); err != nil || got != want {
			t.Errorf("Verify(%q) = %t, %v", password, got, err)
		}
	}
}

// What a hash costs is kept with it: whoever checks it need not make such ones.
func TestCostIsOfTheHash(t *testing.T) {
	cheap, dear := NewHasherAt(Cost{Passes: 1, Memory: 8, Threads: 1}), NewHasherAt(Cost{})
	for of, by := range map[*Hasher]*Hasher{cheap: dear, dear: cheap} {
		stored, err := of.Hash(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if want := map[*Hasher]string{cheap: "$argon2id$v=19$m=8,t=1,p=1$", dear: "$argon2id$v=19$m=65536,t=3,p=2$"}[of]; !strings.HasPrefix(stored, want) {
			t.Errorf("stored %q, want %s", stored, want)
		}
		for password, want := range map[string]bool{"x": true, "y": false} {
			if ok, err := by.Verify(t.Context(), stored, password); err != nil || ok != want {
				t.Errorf("%s: %q: %t, %v", stored, password, ok, err)
			}
		}
	}
}

// An account that does not exist costs a computation of the same size as one
// that does, and no password is right for it, the decoy's own included.
func TestDecoy(t *testing.T) {
	for _, h := range []*Hasher{NewHasher(), NewHasherAt(Cost{Passes: 2, Memory: 16, Threads: 1})} {
		decoyOf(t, h)
	}
}

func decoyOf(t *testing.T, h *Hasher) {
	t.Helper()
	stored, err := h.Hash(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	cost := func(s string) string { return strings.Join(strings.Split(s, "$")[:4], "$") }
	if cost(h.decoy) != cost(stored) {
		t.Errorf("the decoy costs %s, a password %s", cost(h.decoy), cost(stored))
	}
	// The decoy's key is all zeros, which no password gives; but even if one
	// did, an account that does not exist lets nobody in.
	h.decoy = stored
	if ok, err := h.Verify(t.Context(), "", "x"); ok || err != nil {
		t.Errorf("an account that does not exist let somebody in: %t %v", ok, err)
	}
}

func TestVerifyRefusesWhatItCannotRead(t *testing.T) {
	h := NewHasher()
	for name, stored := range map[string]string{
		"plain text":    "secret",
		"other scheme":  "$argon2i$v=19$m=65536,t=3,p=2$AAAA$AAAA",
		"old version":   "$argon2id$v=16$m=65536,t=3,p=2$AAAA$AAAA",
		"no version":    "$argon2id$x$m=65536,t=3,p=2$AAAA$AAAA",
		"no cost":       "$argon2id$v=19$x$AAAA$AAAA",
		"salt":          "$argon2id$v=19$m=65536,t=3,p=2$!$AAAA",
		"key":           "$argon2id$v=19$m=65536,t=3,p=2$AAAA$!",
		"too few parts": "$argon2id$v=19$m=65536,t=3,p=2$AAAA",
	} {
		if ok, err := h.Verify(t.Context(), stored, "secret"); ok || err == nil {
			t.Errorf("%s: %t, %v", name, ok, err)
		}
	}
}

// Two computations at once and 32 waiting; the one after is told that the
// server is busy, at once. Those who wait leave when their caller does.
func TestQueueOverflow(t *testing.T) {
	h := NewHasher()
	for range hashersAtOnce {
		h.slots <- struct{}{}
		h.waiting.Add(1)
	}
	ctx, leave := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for range hashersQueue {
		waiting.Go(func() {
			if _, err := h.Hash(ctx, "x"); !errors.Is(err, context.Canceled) {
				t.Errorf("in the queue: %v", err)
			}
		})
	}
	for h.waiting.Load() < hashersAtOnce+hashersQueue {
		runtime.Gosched()
	}
	for range 3 {
		_, err := h.Verify(t.Context(), "", "x")
		if e := errs.As(err); e.Kind != errs.Unavailable || e.Retry < time.Second {
			t.Errorf("beyond the queue: %v", err)
		}
	}
	leave()
	waiting.Wait()
	for range hashersAtOnce {
		<-h.slots
		h.waiting.Add(-1)
	}
	if n := h.waiting.Load(); n != 0 {
		t.Errorf("%d places of the queue are lost", n)
	}
	if _, err := h.Hash(t.Context(), "x"); err != nil {
		t.Errorf("after the flood: %v", err)
	}
}
