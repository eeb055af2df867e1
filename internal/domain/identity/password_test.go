package identity

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

func TestHashAndVerify(t *testing.T) {
	h := NewHasher()
	stored, err := h.Hash(t.Context(), PlatformRequester, "pass wörd €")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=65536,t=1,p=1$") || strings.Contains(stored, "wörd") {
		t.Errorf("stored %q", stored)
	}
	again, err := h.Hash(t.Context(), PlatformRequester, "pass wörd €")
	if err != nil || again == stored {
		t.Errorf("two hashes of one password must differ by their salt: %v", err)
	}
	for password, want := range map[string]bool{"pass wörd €": true, "pass wörd": false, "": false, "Pass wörd €": false} {
		if got, err := h.Verify(t.Context(), PlatformRequester, stored, password); err != nil || got != want {
			t.Errorf("Verify(%q) = %t, %v", password, got, err)
		}
	}
}

// A hash carries its cost: a hasher of another cost can verify it.
func TestHashCarriesItsCost(t *testing.T) {
	cheap, dear := NewHasherAt(Cost{Passes: 1, Memory: 8, Threads: 1}, nil), NewHasherAt(Cost{}, nil)
	before := NewHasherAt(legacyCost, nil)
	for of, by := range map[*Hasher]*Hasher{cheap: dear, dear: cheap, before: dear} {
		stored, err := of.Hash(t.Context(), PlatformRequester, "x")
		if err != nil {
			t.Fatal(err)
		}
		want := map[*Hasher]string{
			cheap: "$argon2id$v=19$m=8,t=1,p=1$", dear: "$argon2id$v=19$m=65536,t=1,p=1$", before: "$argon2id$v=19$m=65536,t=3,p=2$",
		}[of]
		if !strings.HasPrefix(stored, want) {
			t.Errorf("stored %q, want %s", stored, want)
		}
		if of.outdated(stored) || !by.outdated(stored) {
			t.Errorf("outdated is wrong for %s", want)
		}
		for password, want := range map[string]bool{"x": true, "y": false} {
			if ok, err := by.Verify(t.Context(), PlatformRequester, stored, password); err != nil || ok != want {
				t.Errorf("%s: %q: %t, %v", stored, password, ok, err)
			}
		}
	}
}

// A decoy is verified like any stored form of its cost, and no password matches it, since its key
// is empty.
func TestDecoy(t *testing.T) {
	h := NewHasher()
	for _, cost := range []Cost{currentCost, legacyCost, {Passes: 2, Memory: 16, Threads: 1}} {
		stored, err := NewHasherAt(cost, nil).Hash(t.Context(), PlatformRequester, "x")
		if err != nil {
			t.Fatal(err)
		}
		fields := func(s string) []string { return strings.Split(s, "$") }
		decoy, real := fields(cost.decoy()), fields(stored)
		if !slices.Equal(decoy[:4], real[:4]) || len(decoy[4]) != len(real[4]) || len(decoy) != len(real) ||
			decoy[5] != "" {
			t.Errorf("the decoy is %q, a password %q", decoy, real)
		}
		for _, password := range []string{"", "x"} {
			if ok, err := h.Verify(t.Context(), PlatformRequester, cost.decoy(), password); ok || err != nil {
				t.Errorf("the decoy accepts the password %q: %t %v", password, ok, err)
			}
		}
	}
}

func TestVerifyRefusesMalformedHashes(t *testing.T) {
	h := NewHasher()
	for name, stored := range map[string]string{
		"nothing":       "",
		"plain text":    "secret",
		"other scheme":  "$argon2i$v=19$m=65536,t=3,p=2$AAAA$AAAA",
		"old version":   "$argon2id$v=16$m=65536,t=3,p=2$AAAA$AAAA",
		"no version":    "$argon2id$x$m=65536,t=3,p=2$AAAA$AAAA",
		"no cost":       "$argon2id$v=19$x$AAAA$AAAA",
		"salt":          "$argon2id$v=19$m=65536,t=3,p=2$!$AAAA",
		"key":           "$argon2id$v=19$m=65536,t=3,p=2$AAAA$!",
		"too few parts": "$argon2id$v=19$m=65536,t=3,p=2$AAAA",
	} {
		if ok, err := h.Verify(t.Context(), PlatformRequester, stored, "secret"); ok || err == nil {
			t.Errorf("%s: %t, %v", name, ok, err)
		}
	}
}

// unfamiliarRequester gives a requester from a subnet that the account never signed in from.
func unfamiliarRequester(network, account string) Requester {
	return Requester{Subnet: Subnet.Of(netip.MustParseAddr(network)), Account: account}
}

// One subnet may fill half of the queue of unfamiliar requesters; the next request gets Unavailable
// at once. A waiting request ends with its context, and none keeps a known requester waiting.
func TestHashQueueOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHasherAt(Cost{Passes: 1, Memory: 8, Threads: 1}, nil)
		var looking []limit.Task
		for i := range maxConcurrentHashes - hashesReservedForKnown {
			key := requesterKey{subnet: unfamiliarRequester("192.0.2.1", "").Subnet}
			turn, _ := h.queue.Enter(t.Context(), key, strconv.Itoa(i))
			looking = append(looking, turn)
		}
		ctx, leave := context.WithCancel(t.Context())
		var left atomic.Int32
		ask := func(by Requester) {
			go func() {
				if _, err := h.Hash(ctx, by, "x"); errors.Is(err, context.Canceled) {
					left.Add(1)
				}
			}()
			synctest.Wait()
		}
		busy := func(what string, by Requester) {
			t.Helper()
			_, err := h.Verify(t.Context(), by, h.cost.decoy(), "x")
			if e := errs.As(err); e.Kind != errs.Unavailable || e.Retry != 2*time.Second {
				t.Errorf("%s: %v", what, err)
			}
		}
		for i := range maxQueuedHashes / 2 {
			ask(unfamiliarRequester("198.51.100."+strconv.Itoa(i), strconv.Itoa(i)))
		}
		busy("beyond the queue of a network", unfamiliarRequester("198.51.100.77", "new"))
		for i := range maxQueuedHashes / 2 {
			ask(unfamiliarRequester("10.0."+strconv.Itoa(i)+".1", "ada"))
		}
		busy("beyond the queue", unfamiliarRequester("10.1.0.1", "new"))
		if _, err := h.Hash(t.Context(), Requester{Subnet: unfamiliarRequester("198.51.100.1", "").Subnet,
			Known: true, Account: "ada"}, "x"); err != nil {
			t.Errorf("a known requester: %v", err)
		}
		leave()
		synctest.Wait()
		if n := left.Load(); n != maxQueuedHashes {
			t.Errorf("%d requests ended", n)
		}
		for _, turn := range looking {
			turn.Leave()
		}
		if _, err := h.Hash(t.Context(), unfamiliarRequester("10.1.0.1", "new"), "x"); err != nil {
			t.Errorf("after the flood: %v", err)
		}
	})
}

// Subnets take turns, and so do the accounts of a subnet, in the order in which they came.
func TestHashQueueIsFairBetweenSubnets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHasherAt(Cost{Passes: 1, Memory: 8, Threads: 1}, nil)
		var looking []limit.Task
		enter := func(by Requester) limit.Task {
			turn, _ := h.queue.Enter(t.Context(), requesterKey{by.Subnet, by.Known}, by.Account)
			return turn
		}
		for i := range maxConcurrentHashes - hashesReservedForKnown {
			looking = append(looking, enter(unfamiliarRequester("192.0.2.1", strconv.Itoa(i))))
		}
		var order []string // hashes run one at a time
		for _, who := range []string{
			"198.51.100.1 a", "198.51.100.2 b", "198.51.100.3 a", "198.51.100.4 c", // addresses of the same subnet count as one
			"198.51.101.1 d", "2001:db8:1:1::1 e", "2001:db8:1:ffff::1 f", "2001:db8:2::1 g",
		} {
			address, account, _ := strings.Cut(who, " ")
			go func() {
				turn := enter(unfamiliarRequester(address, account))
				order = append(order, who)
				turn.Leave()
			}()
			synctest.Wait()
		}
		looking[0].Leave()
		synctest.Wait()
		want := []string{
			"198.51.100.1 a", "198.51.101.1 d", "2001:db8:1:1::1 e", "2001:db8:2::1 g",
			"198.51.100.2 b", "2001:db8:1:ffff::1 f", "198.51.100.4 c", "198.51.100.3 a",
		}
		if !slices.Equal(order, want) {
			t.Errorf("the order is\n%q, want\n%q", order, want)
		}
		looking[1].Leave()
	})
}
