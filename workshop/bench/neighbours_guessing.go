package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	guessEvery      = time.Second / 12
	parallelEntries = 30 // sign-ins at the same time, of one user with the right password
	unfamiliarEvery = time.Second
)

// guessing is people who guess passwords, each time from another network, beside a user who signs
// in from one address again and again, as fast as the server answers. Once a second a user with the
// right password signs in from an unfamiliar network.
type guessing struct {
	tenant                 Tenant
	guessed, letIn         atomic.Int64 // letIn counts guesses that succeeded; none may
	repeated, repeatedLate atomic.Int64
	unfamiliar             probe
}

func newGuessing() *guessing {
	w := attackerTenant("guessing", 1)
	w.Guests = []string{visitor}
	return &guessing{tenant: w}
}

func (a *guessing) tenants() []Tenant                                           { return []Tenant{a.tenant} }
func (a *guessing) prepare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }

// compare has nothing to do: run returns whether the sign-ins were as promised.
func (a *guessing) compare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }

func (a *guessing) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	var all sync.WaitGroup
	repeat := func(every time.Duration, try func()) {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				all.Go(try)
			case <-ctx.Done():
				return
			}
		}
	}
	base := t.server.Console
	all.Go(func() {
		repeat(guessEvery, func() {
			// Each guess is for another account: at one account the server would require a captcha,
			// which is cheap.
			w := Tenant{
				Name:     a.tenant.Name,
				User:     "guess" + strconv.FormatUint(rand.Uint64(), 36),
				Password: "not the right one",
			}
			count(ctx, enterFrom(ctx, base, w, someNetwork()), &a.letIn, &a.guessed)
		})
	})
	for range parallelEntries {
		all.Go(func() {
			for ctx.Err() == nil {
				count(ctx, enterFrom(ctx, base, a.tenant, "127.200.0.1"), &a.repeated, &a.repeatedLate)
			}
		})
	}
	w := a.tenant
	w.User = visitor
	forever := time.Now().Add(24 * time.Hour) // ctx ends before
	enter := func(ctx context.Context) error { return enterFrom(ctx, base, w, someNetwork()) }
	a.unfamiliar.run(ctx, unfamiliarEvery, forever, enter)
	all.Wait()
	n := a.unfamiliar.stats()
	r.remark(
		"%d guesses were looked at or asked to come later; %d greedy sign-ins were answered, "+
			"%d asked to come later; of %d who came from a new network with the right password "+
			"%d were asked to come later, p95 %s",
		a.guessed.Load(),
		a.repeated.Load(),
		a.repeatedLate.Load(),
		n.Count,
		n.Failed,
		short(n.P95),
	)
	switch {
	case a.guessed.Load() == 0 || a.letIn.Load() > 0:
		return fmt.Errorf("of %d guesses %d were let in", a.guessed.Load()+a.letIn.Load(), a.letIn.Load())
	case a.repeated.Load() == 0:
		return errors.New("no repeated sign-in succeeded")
	case n.P95 > defaultLimits.SignIn:
		return fmt.Errorf("from a new network sign-in p95 %s, at most %s", short(n.P95), short(defaultLimits.SignIn))
	case n.Failed > 0:
		return fmt.Errorf("from a new network %d of %d sign-ins failed, the first: %w", n.Failed, n.Count, n.First)
	}
	return nil
}

// count counts an attempt that succeeded or failed.
func count(ctx context.Context, err error, in, out *atomic.Int64) {
	switch {
	case ctx.Err() != nil: // ctx may have interrupted it
	case err == nil:
		in.Add(1)
	default:
		out.Add(1)
	}
}

// enterFrom signs in from an address of this machine.
func enterFrom(ctx context.Context, base string, w Tenant, from string) error {
	return consoleFrom(base, from).enter(ctx, w)
}

// consoleFrom returns a client that calls from an address of this machine, each time by a connection of
// its own.
func consoleFrom(base, from string) *console {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	return &console{
		base: base,
		http: &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}},
	}
}

// someNetwork returns an address of this machine in a random one of about 50,000 networks of 256
// addresses.
func someNetwork() string {
	return fmt.Sprintf("127.%d.%d.1", 1+rand.IntN(199), rand.IntN(256))
}
