// Package logtest checks that a log of readings does what reading.Log says. It is for tests.
package logtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"tilth/internal/domain/reading"
)

// Conformance runs the cases that every reading.Log must pass. open returns a log without entries,
// another one each time, to which the test may append.
func Conformance(t *testing.T, open func(t *testing.T) reading.Log) {
	for name, check := range map[string]func(t *testing.T, c *checked){
		"a log without entries":                    empty,
		"entries are read as they were appended":   roundTrip,
		"After begins at any position":             fromAnyPosition,
		"After refuses what is before the life":    beforeTheLife,
		"After stops on an error":                  stopOnError,
		"After stops when its context ends":        stopOnCancel,
		"Append does not keep the body":            bodyNotKept,
		"Append of another entry at a position":    appendOther,
		"Append with a context that has ended":     appendCancelled,
		"Forget keeps what is not evaluated":       forget,
		"readers see entries whole and in order":   readWhileAppending,
		"the log keeps a large entry and an empty": sizes,
	} {
		t.Run(name, func(t *testing.T) {
			c := &checked{t: t, log: open(t)}
			var err error
			if c.mark, c.begin, err = c.log.Life(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.chain = reading.BeginChain(c.mark, c.begin)
			check(t, c)
		})
	}
}

// checked is a log and the entries that it should hold.
type checked struct {
	t       *testing.T
	log     reading.Log
	mark    string
	begin   uint64
	entries []reading.Entry
	chain   uint64
}

// next returns the entry that may be appended next.
func (c *checked) next(kind reading.EntryKind, body []byte) reading.Entry {
	e := reading.Entry{Position: c.begin + uint64(len(c.entries)) + 1, Kind: kind, Body: body}
	e.Chain = e.ChainAfter(c.chain)
	return e
}

func (c *checked) append(e reading.Entry) {
	c.t.Helper()
	if err := c.log.Append(c.t.Context(), e); err != nil {
		c.t.Fatalf("append %d: %v", e.Position, err)
	}
	e.Body = bytes.Clone(e.Body)
	c.entries = append(c.entries, e)
	c.chain = e.Chain
}

// fill appends n entries of both kinds.
func (c *checked) fill(n int) {
	c.t.Helper()
	for i := range n {
		kind := reading.EntryFrames
		if i%3 == 2 {
			kind = reading.EntryErasure
		}
		c.append(c.next(kind, fmt.Appendf(nil, "body %d\x00\xff", i)))
	}
}

func (c *checked) after(pos uint64) (got []reading.Entry, err error) {
	err = c.log.After(c.t.Context(), pos, func(e reading.Entry) error {
		got = append(got, e)
		return nil
	})
	return got, err
}

// expect compares all that the log returns with what was appended.
func (c *checked) expect() {
	c.t.Helper()
	for n := 0; n <= len(c.entries)+1; n++ {
		got, err := c.after(c.begin + uint64(n))
		if err != nil {
			c.t.Fatalf("after %d: %v", c.begin+uint64(n), err)
		}
		c.equal(got, c.entries[min(n, len(c.entries)):])
	}
	pos, chain, err := c.log.Last(c.t.Context())
	wantChain := uint64(0)
	if len(c.entries) > 0 {
		wantChain = c.chain
	}
	if want := c.begin + uint64(len(c.entries)); err != nil || pos != want || chain != wantChain {
		c.t.Errorf("last: %d, %x (%v), want %d, %x", pos, chain, err, want, wantChain)
	}
}

func (c *checked) equal(got, want []reading.Entry) {
	c.t.Helper()
	if len(got) != len(want) {
		c.t.Fatalf("%d entries, want %d", len(got), len(want))
	}
	for i, e := range got {
		w := want[i]
		if e.Position != w.Position || e.Chain != w.Chain || e.Kind != w.Kind || !bytes.Equal(e.Body, w.Body) {
			c.t.Errorf("entry %d: %+v, want %+v", i, e, w)
		}
	}
}

func empty(t *testing.T, c *checked) {
	if c.mark == "" {
		t.Error("the life has no mark")
	}
	c.expect()
}

func roundTrip(_ *testing.T, c *checked) {
	c.fill(1)
	c.expect()
	c.fill(5)
	c.expect()
}

func fromAnyPosition(_ *testing.T, c *checked) {
	c.fill(40)
	c.expect()
}

func beforeTheLife(t *testing.T, c *checked) {
	c.fill(2)
	if c.begin == 0 {
		t.Skip("the life began at 0")
	}
	if got, err := c.after(c.begin - 1); !errors.Is(err, reading.ErrGap) || len(got) > 0 {
		t.Errorf("%d entries (%v), want ErrGap", len(got), err)
	}
}

func stopOnError(t *testing.T, c *checked) {
	c.fill(5)
	enough := errors.New("enough")
	calls := 0
	err := c.log.After(t.Context(), c.begin, func(reading.Entry) error {
		if calls++; calls == 2 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || calls != 2 {
		t.Errorf("%d calls (%v), want 2 and the error of the second", calls, err)
	}
	c.expect()
}

func stopOnCancel(t *testing.T, c *checked) {
	c.fill(5)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.log.After(ctx, c.begin, func(reading.Entry) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
	c.expect()
}

func bodyNotKept(_ *testing.T, c *checked) {
	body := []byte("as it was")
	c.append(c.next(reading.EntryFrames, body))
	copy(body, "is changed")
	c.expect()
}

func appendOther(t *testing.T, c *checked) {
	c.fill(2)
	other := c.entries[1]
	other.Body = []byte("another")
	other.Chain = other.ChainAfter(c.entries[0].Chain)
	if err := c.log.Append(t.Context(), other); err == nil {
		t.Error("another entry took the place of one in the log")
	}
	c.expect()
}

func appendCancelled(t *testing.T, c *checked) {
	c.fill(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := c.next(reading.EntryFrames, []byte("late"))
	if err := c.log.Append(ctx, e); err == nil {
		t.Error("no error although the context had ended")
	}
	// Whether the log holds the entry is unknown. Append settles it.
	c.append(e)
	c.expect()
}

func forget(t *testing.T, c *checked) {
	c.fill(10)
	if err := c.log.Forget(t.Context(), c.begin+6); err != nil {
		t.Fatal(err)
	}
	got, err := c.after(c.begin + 6)
	if err != nil {
		t.Fatal(err)
	}
	c.equal(got, c.entries[6:])
	c.fill(2)
	pos, chain, err := c.log.Last(t.Context())
	if err != nil || pos != c.begin+12 || chain != c.chain {
		t.Errorf("last: %d, %x (%v)", pos, chain, err)
	}
	// What may be forgotten is there or is a gap, and never left out silently.
	if got, err := c.after(c.begin); err == nil {
		c.equal(got, c.entries)
	} else if !errors.Is(err, reading.ErrGap) {
		t.Error(err)
	}
}

func readWhileAppending(t *testing.T, c *checked) {
	const n = 200
	failed := make(chan error, 1)
	go func() {
		chain := c.chain
		for i := range uint64(n) {
			e := reading.Entry{Position: c.begin + i + 1, Kind: reading.EntryFrames, Body: fmt.Append(nil, i)}
			e.Chain = e.ChainAfter(chain)
			if err := c.log.Append(t.Context(), e); err != nil {
				failed <- err
				return
			}
			chain = e.Chain
		}
		failed <- nil
	}()
	pos, chain := c.begin, c.chain
	for ended := false; pos < c.begin+n; {
		before := pos
		if err := c.log.After(t.Context(), pos, func(e reading.Entry) error {
			if e.Position != pos+1 || e.ChainAfter(chain) != e.Chain {
				return fmt.Errorf("entry %d came after %d", e.Position, pos)
			}
			pos, chain = e.Position, e.Chain
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if ended && pos == before {
			t.Fatalf("entries end at %d, want %d", pos, c.begin+n)
		}
		select {
		case err := <-failed:
			if err != nil {
				t.Fatal(err)
			}
			ended = true
		default:
		}
	}
}

func sizes(_ *testing.T, c *checked) {
	large := make([]byte, 3<<20)
	for i := range large {
		large[i] = byte(i * i >> 3)
	}
	c.append(c.next(reading.EntryFrames, large))
	c.append(c.next(reading.EntryFrames, []byte{0}))
	c.append(c.next(reading.EntryErasure, []byte{1, 1}))
	c.expect()
}
