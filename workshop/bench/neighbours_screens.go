package bench

import (
	"context"
	"errors"
	"sync"
	"time"
)

// manyScreens is one session that asks for thousands of live streams, and opens each again when it
// ends. The server keeps the newest few of a user open, so the attack is opening and replacing them.
type manyScreens struct {
	size   NeighbourSize
	tenant Tenant
	person *console
}

func newManyScreens(s NeighbourSize) *manyScreens {
	return &manyScreens{size: s, tenant: attackerTenant("screens", 1)}
}

func (a *manyScreens) tenants() []Tenant { return []Tenant{a.tenant} }

func (a *manyScreens) prepare(ctx context.Context, t *neighbourRun, r *NeighbourRow) (err error) {
	r.Limits.Ack, r.Limits.Page = heavyLimit, heavyLimit
	a.person, err = t.signIn(ctx, a.tenant)
	return err
}

func (a *manyScreens) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	screens := make([]*screen, a.size.Screens)
	var opening sync.WaitGroup
	for i := range screens {
		opening.Go(func() {
			// A stream that the server refuses at first, or has not opened when the attack ends,
			// counts as not opened.
			if s, err := watchReadings(ctx, a.person, nil); err == nil {
				screens[i] = s
			}
		})
	}
	// The device reports up to ten times a second, so that all streams get events.
	for n := 0; ctx.Err() == nil; n++ {
		f := oneValue(time.Now().UnixMilli(), 0, float64(n%2000)/10)
		err := deliver(ctx, t.server.Console, a.tenant.Devices[0], payloadOf(a.tenant.Properties, []frame{f}))
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	opening.Wait()
	opened, cuts := 0, int64(0)
	for _, s := range screens {
		if s != nil {
			opened++
			cuts += s.cuts.Load()
			if err := s.close(); err != nil && !errors.Is(err, errStreamRefused) {
				return err
			}
		}
	}
	r.remark("%d asked for, %d opened, cut off %d times", len(screens), opened, cuts)
	if opened == 0 {
		return errors.New("no stream was opened")
	}
	return nil
}

// compare has nothing to do: the device's readings were sent only for the streams.
func (*manyScreens) compare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }
