package identity

import (
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/platform/errs"
)

// flood is half a minute of sign-ins against a hasher whose hashes take fixed times, of which it can
// compute half as many as come from unknown networks.
type flood struct {
	h   *Hasher
	all sync.WaitGroup

	mu      sync.Mutex
	refused map[string]int
	took    map[string][]time.Duration
	right   map[string]int
	hashes  int
	kinds   int

	networks atomic.Uint32 // from which somebody came
}

const floodTime = 30 * time.Second

func newFlood() *flood {
	f := &flood{
		h:       NewHasherAt(Cost{Passes: 1, Memory: 8, Threads: 1}, nil),
		refused: map[string]int{}, took: map[string][]time.Duration{}, right: map[string]int{},
	}
	f.h.compute = func(password, _ []byte, _ Cost) []byte {
		f.mu.Lock()
		f.hashes++
		d := time.Duration(60+20*(f.hashes%3)) * time.Millisecond
		f.mu.Unlock()
		time.Sleep(d)
		return append([]byte("the key of "), password...)
	}
	return f
}

func (f *flood) stored(password string) string {
	return f.h.cost.encode(make([]byte, saltLen), []byte("the key of "+password))
}

// every verifies a password again and again, each time from another network. No two kinds begin at the
// same time.
func (f *flood) every(t *testing.T, what string, d time.Duration, by Requester, stored, password string) {
	f.kinds++
	begin := time.Duration(f.kinds) * 170 * time.Millisecond
	f.all.Go(func() {
		time.Sleep(begin)
		for i := 0; time.Duration(i)*d < floodTime; i++ {
			f.all.Go(func() {
				by := by
				if by.Account == "" {
					by.Account = what + strconv.Itoa(i)
				}
				n := f.networks.Add(1)
				by.Subnet = Subnet.Of(netip.AddrFrom4([4]byte{10, byte(n >> 8), byte(n), 1}))
				began := time.Now()
				right, err := f.h.Verify(t.Context(), by, stored, password)
				if err == nil && !right && by.Known {
					err = f.h.waitAsUnknown(t.Context(), by, "x")
				}
				f.mu.Lock()
				defer f.mu.Unlock()
				switch {
				case errs.Is(err, errs.Unavailable):
					f.refused[what]++
				case err != nil:
					t.Error(err)
				default:
					f.took[what] = append(f.took[what], time.Since(began))
					if right {
						f.right[what]++
					}
				}
			})
			time.Sleep(d)
		}
	})
}

// median gives the time that half of the sign-ins took no longer than.
func (f *flood) median(what string) time.Duration {
	sorted := slices.Sorted(slices.Values(f.took[what]))
	return sorted[len(sorted)/2]
}

// At 50 guesses a second at names without an account, each from another network, all right sign-ins
// are let in, from known networks and unknown ones. Nothing tells the guesses at an account, and at one
// that signed in from the network, from those at nobody: they are refused and delayed alike.
func TestFloodOfGuessesRefusesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlood()
		stored := f.stored("right")
		f.every(t, "nobody", time.Second/50, Requester{}, f.h.cost.decoy(), "wrong")
		f.every(t, "right, new network", time.Second, Requester{}, stored, "right")
		f.every(t, "right, known network", time.Second, Requester{Known: true}, stored, "right")
		f.every(t, "wrong", time.Second, Requester{}, stored, "wrong")
		f.every(t, "wrong, known network", time.Second, Requester{Known: true}, stored, "wrong")
		f.all.Wait()
		if len(f.refused) > 0 {
			t.Errorf("refused: %v", f.refused)
		}
		if f.right["right, new network"] != 30 || f.right["right, known network"] != 30 || len(f.right) != 2 {
			t.Errorf("right: %v", f.right)
		}
		for what, most := range map[string]time.Duration{
			"right, new network": time.Second, "right, known network": 200 * time.Millisecond,
		} {
			if longest := slices.Max(f.took[what]); longest > most {
				t.Errorf("%s: up to %s, at most %s", what, longest, most)
			}
		}
		if n := len(f.took["nobody"]); f.hashes > n*2/3 {
			t.Errorf("%d hashes for %d guesses", f.hashes, n)
		}
		want := f.median("nobody")
		for _, what := range []string{"wrong", "wrong, known network"} {
			if got := f.median(what); got < want*8/10 || got > want*12/10 {
				t.Errorf("%s: %s, at names without an account %s", what, got, want)
			}
		}
	})
}

// Guesses at accounts that exist have to be computed, and so are refused when they are too many. They
// take no place from accounts that nobody guesses at.
func TestFloodOfGuessesAtAccountsLeavesPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlood()
		stored := f.stored("right")
		f.every(t, "guess", time.Second/50, Requester{Guessed: true}, stored, "wrong")
		f.every(t, "right, new network", time.Second/2, Requester{}, stored, "right")
		f.all.Wait()
		if f.refused["guess"] == 0 || f.refused["right, new network"] > 0 || f.right["right, new network"] != 60 {
			t.Errorf("refused: %v, right: %v", f.refused, f.right)
		}
		if longest := slices.Max(f.took["right, new network"]); longest > 2*time.Second {
			t.Errorf("up to %s", longest)
		}
	})
}

// Two guesses at one name without an account wait for each other, as those at an account do.
func TestDecoysOfANameWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlood()
		f.every(t, "nobody", time.Second/50, Requester{}, f.h.cost.decoy(), "wrong")
		time.Sleep(5 * time.Second)
		for name, stored := range map[string]string{"an account": f.stored("right"), "nobody": f.h.cost.decoy()} {
			by := unfamiliarRequester("192.0.2.1", "one name")
			var both sync.WaitGroup
			var done [2]time.Time
			for i := range done {
				both.Go(func() {
					if _, err := f.h.Verify(t.Context(), by, stored, "wrong"); err != nil {
						t.Error(err)
					}
					done[i] = time.Now()
				})
			}
			both.Wait()
			if apart := done[0].Sub(done[1]).Abs(); apart < 60*time.Millisecond {
				t.Errorf("%s: answered %s apart", name, apart)
			}
		}
		f.all.Wait()
	})
}
