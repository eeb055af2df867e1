package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	floodEvery     = time.Second / 50
	guessedUsers   = 20
	guessedEach    = 10 // one guess in so many is at one of them
	neighbourUsers = 30
	neighbourEvery = time.Second // of those who signed in from there before, and of those who did not
)

// flood is guesses at passwords, each from another network, one in ten at an account that exists. Beside
// them people of another tenant sign in with the right password: from networks where they did so
// before, and from new ones.
type flood struct {
	guessed, neighbours Tenant
	refused, letIn      atomic.Int64 // guesses; none may be let in
	known, unknown      probe
}

func newFlood() *flood {
	a := &flood{guessed: attackerTenant("guessed", 1), neighbours: attackerTenant("neighbours", 1)}
	for i := range guessedUsers {
		a.guessed.Guests = append(a.guessed.Guests, "guessed"+strconv.Itoa(i))
	}
	for i := range neighbourUsers {
		a.neighbours.Guests = append(a.neighbours.Guests, "neighbour"+strconv.Itoa(i))
	}
	return a
}

func (a *flood) tenants() []Tenant { return []Tenant{a.guessed, a.neighbours} }

// prepare signs each neighbour in once at home.
func (a *flood) prepare(ctx context.Context, t *neighbourRun, _ *NeighbourRow) error {
	for i := range neighbourUsers {
		if err := a.enterAs(ctx, t.server.Console, i, homeOf(i)); err != nil {
			return err
		}
	}
	return nil
}

// compare has nothing to do: run returns whether the sign-ins were as promised.
func (a *flood) compare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }

func (a *flood) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	base, began := t.server.Console, time.Now()
	var all sync.WaitGroup
	all.Go(func() {
		tick := time.NewTicker(floodEvery)
		defer tick.Stop()
		for i := 0; ; i++ {
			w := Tenant{Name: a.guessed.Name, Password: "not the right one"}
			if w.User = "guess" + strconv.FormatUint(rand.Uint64(), 36); i%guessedEach == 0 {
				w.User = a.guessed.Guests[i/guessedEach%guessedUsers]
			}
			select {
			case <-tick.C:
				all.Go(func() { count(ctx, enterFrom(ctx, base, w, someNetwork()), &a.letIn, &a.refused) })
			case <-ctx.Done():
				return
			}
		}
	})
	neighbours := func(p *probe, from func(i int) string) {
		i := -1
		p.run(ctx, neighbourEvery, began.Add(24*time.Hour), func(ctx context.Context) error { // ctx ends before
			i++
			return a.enterAs(ctx, base, i%neighbourUsers, from(i%neighbourUsers))
		})
	}
	all.Go(func() { neighbours(&a.known, homeOf) })
	neighbours(&a.unknown, func(int) string { return someNetwork() })
	all.Wait()
	known, unknown, guesses := a.known.stats(), a.unknown.stats(), a.refused.Load()+a.letIn.Load()
	r.remark(
		"%.0f guesses a second; of %d right sign-ins from known networks %d were refused, the longest %s; "+
			"of %d from new ones %d, the longest %s",
		float64(guesses)/time.Since(began).Seconds(),
		known.Count, known.Failed, short(known.Max), unknown.Count, unknown.Failed, short(unknown.Max),
	)
	switch {
	case guesses == 0 || a.letIn.Load() > 0:
		return fmt.Errorf("of %d guesses %d were let in", guesses, a.letIn.Load())
	case known.Count == 0 || unknown.Count == 0:
		return errors.New("no neighbour signed in")
	case known.Failed+unknown.Failed > 0:
		return fmt.Errorf("%d right sign-ins were refused, the first: %w",
			known.Failed+unknown.Failed, errors.Join(known.First, unknown.First))
	case max(known.P95, unknown.P95) > defaultLimits.SignIn:
		return fmt.Errorf("sign-in p95 %s, from a new network %s, at most %s",
			short(known.P95), short(unknown.P95), short(defaultLimits.SignIn))
	}
	return nil
}

// enterAs signs a neighbour in.
func (a *flood) enterAs(ctx context.Context, base string, neighbour int, from string) error {
	w := a.neighbours
	w.User = w.Guests[neighbour]
	return enterFrom(ctx, base, w, from)
}

// homeOf returns an address of this machine in a network of a neighbour's own.
func homeOf(neighbour int) string { return fmt.Sprintf("127.201.%d.1", neighbour) }
