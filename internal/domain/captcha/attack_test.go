package captcha_test

import (
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/domain/captcha"
	"tilth/internal/tools/testkit"
)

// A receipt is valid once, also for concurrent requests.
func TestReplayOfAReceipt(t *testing.T) {
	s, _ := newService()
	verification := s.Verification(t)
	var good atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if s.Verify(verification) {
				good.Add(1)
			}
		})
	}
	all.Wait()
	if good.Load() != 1 {
		t.Errorf("the receipt was valid %d times", good.Load())
	}
}

// A token allows one attempt, also for concurrent requests: no client can try every place at once.
func TestConcurrentGuessesOfOneToken(t *testing.T) {
	s, _ := newService()
	c := mustGet(t, s, clientAddr)
	var looked atomic.Int32
	var all sync.WaitGroup
	for x := range 40 {
		all.Go(func() {
			if err := s.Check(clientAddr, c.Token, encryptPoint(c, x*8)); captcha.CodeOf(err) != captcha.Expired {
				looked.Add(1)
			}
		})
	}
	all.Wait()
	if looked.Load() != 1 {
		t.Errorf("%d guesses were checked", looked.Load())
	}
}

// Only the exact receipt of a solved challenge is valid.
func TestTamperedReceipts(t *testing.T) {
	s, _ := newService()
	unsolved := mustGet(t, s, clientAddr)
	target := s.Target
	failed := mustGet(t, s, clientAddr)
	if err := s.Check(clientAddr, failed.Token, encryptPoint(failed, s.Target+50)); err == nil {
		t.Fatal("the wrong solution passed")
	}
	solved := mustGet(t, s, clientAddr)
	if err := s.Check(clientAddr, solved.Token, encryptPoint(solved, s.Target)); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]string{
		"of an untried challenge":      receiptFor(unsolved, target),
		"of a failed challenge":        receiptFor(failed, target),
		"with another challenge's key": captcha.Encrypt(solved.Token+"---"+testkit.Point(s.Target), unsolved.SecretKey),
		"of another challenge's token": captcha.Encrypt(unsolved.Token+"---"+testkit.Point(s.Target), solved.SecretKey),
		"of another point":             receiptFor(solved, s.Target+1),
		"the plain text":               solved.Token + "---" + testkit.Point(s.Target),
		"the token":                    solved.Token,
		"cut short":                    receiptFor(solved, s.Target)[:24],
		"with white space":             receiptFor(solved, s.Target) + " ",
		"with the token left out":      captcha.Encrypt("---"+testkit.Point(s.Target), solved.SecretKey),
		"nothing":                      "",
	} {
		if s.Verify(v) {
			t.Errorf("valid: %s", name)
		}
	}
	if !s.Verify(receiptFor(solved, s.Target)) {
		t.Error("the real receipt is no longer valid")
	}
}

// A point encrypted for one challenge solves no other.
func TestPointOfAnotherChallengeFails(t *testing.T) {
	s, _ := newService()
	one, other := mustGet(t, s, clientAddr), mustGet(t, s, clientAddr)
	target := s.Target
	if err := s.Check(clientAddr, other.Token, encryptPoint(one, target)); captcha.CodeOf(err) != captcha.Failed {
		t.Errorf("%v", err)
	}
	if err := s.Check(clientAddr, one.Token, testkit.Point(target)); captcha.CodeOf(err) != captcha.Failed {
		t.Errorf("in plain text: %v", err)
	}
}

// Failures lock their address, with or without successes in between, and no other address.
func TestFailuresLockAddress(t *testing.T) {
	s, clock := newService()
	there := netip.MustParseAddr("203.0.113.2")
	code := func(from netip.Addr, off int) captcha.Code {
		t.Helper()
		c, err := s.Get(t.Context(), from)
		if err != nil {
			return captcha.CodeOf(err)
		}
		return captcha.CodeOf(s.Check(from, c.Token, encryptPoint(c, s.Target+off)))
	}
	waiting := mustGet(t, s, clientAddr)
	target := s.Target
	for i := range 10 {
		if got := code(clientAddr, 50); got != captcha.Failed {
			t.Fatalf("failure %d: %s", i+1, got)
		}
		if i < 9 {
			if got := code(clientAddr, 0); got != captcha.OK {
				t.Fatalf("after failure %d: %s", i+1, got)
			}
		}
		clock.Advance(20 * time.Second)
	}
	if got := code(clientAddr, 0); got != captcha.Locked {
		t.Errorf("a get after ten failures: %s", got)
	}
	if err := s.Check(clientAddr, waiting.Token, encryptPoint(waiting, target)); captcha.CodeOf(err) != captcha.Locked {
		t.Errorf("a check after ten failures: %v", err)
	}
	if got := code(there, 0); got != captcha.OK {
		t.Errorf("from another address: %s", got)
	}
	clock.Advance(4*time.Minute + 39*time.Second)
	if got := code(clientAddr, 0); got != captcha.Locked {
		t.Errorf("a second before the end: %s", got)
	}
	clock.Advance(time.Second)
	if got := code(clientAddr, 0); got != captcha.OK {
		t.Errorf("after five minutes: %s", got)
	}
	// Old failures do not count.
	for range 30 {
		if got := code(clientAddr, 50); got != captcha.Failed {
			t.Fatalf("a failure a minute: %s", got)
		}
		clock.Advance(time.Minute)
	}
}

// An expired challenge is no failure: a slow person is not locked.
func TestExpiredIsNoFailure(t *testing.T) {
	s, _ := newService()
	for range 30 {
		if err := s.Check(clientAddr, "gone", "x"); captcha.CodeOf(err) != captcha.Expired {
			t.Fatal(err)
		}
	}
	mustGet(t, s, clientAddr)
}

func TestLimits(t *testing.T) {
	s, clock := newService()
	codes := map[captcha.Code]int{}
	for range 70 {
		_, err := s.Get(t.Context(), clientAddr)
		codes[captcha.CodeOf(err)]++
	}
	for range 130 {
		codes[captcha.CodeOf(s.Check(clientAddr, "gone", "x"))]++
	}
	if codes[captcha.OK] != 60 || codes[captcha.TooManyGets] != 10 || codes[captcha.Expired] != 120 ||
		codes[captcha.TooManyChecks] != 10 {
		t.Errorf("%v", codes)
	}
	if _, err := s.Get(t.Context(), clientAddr.Next()); err != nil {
		t.Errorf("another address: %v", err)
	}
	clock.Advance(time.Minute)
	if _, err := s.Get(t.Context(), clientAddr); err != nil {
		t.Errorf("a minute later: %v", err)
	}
	if err := s.Check(clientAddr, "gone", "x"); captcha.CodeOf(err) != captcha.Expired {
		t.Errorf("a minute later: %v", err)
	}
}

// A flood of gets waits in a bounded queue, since one picture is drawn at a time; requests beyond
// the queue get Unavailable at once.
func TestDrawQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var drawing, most atomic.Int32
		finish := make(chan struct{})
		s := captcha.New(time.Now, func() (captcha.Picture, error) {
			if n := drawing.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer drawing.Add(-1)
			<-finish
			return captcha.Picture{Target: 100}, nil
		}, nil)
		var served, refused atomic.Int32
		var all sync.WaitGroup
		from := clientAddr
		for range 200 {
			from = from.Next()
			address := from
			all.Go(func() {
				switch _, err := s.Get(t.Context(), address); {
				case err == nil:
					served.Add(1)
				case errors.Is(err, captcha.Unavailable):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if refused.Load() != 136 || served.Load() != 0 {
			t.Errorf("%d refused at once, %d served", refused.Load(), served.Load())
		}
		close(finish)
		all.Wait()
		if served.Load() != 64 || most.Load() != 1 {
			t.Errorf("%d served, %d at once", served.Load(), most.Load())
		}
		if _, err := s.Get(t.Context(), clientAddr); err != nil {
			t.Errorf("after the flood: %v", err)
		}
	})
}
