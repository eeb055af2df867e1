package bench

import (
	"context"
	"errors"
	"sync"
	"time"
)

// manyScreens is one session that has thousands of live streams, and opens each anew
// when it ends.
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
			// Who is not let in gives up when the attack ends.
			if s, err := watchReadings(ctx, a.person, nil); err == nil {
				screens[i] = s
			}
		})
	}
	// Its device reports as fast as it may, so that all of them are told.
	for n := 0; ctx.Err() == nil; n++ {
		err := deliver(
			ctx,
			t.server.Console,
			a.tenant.Devices[0],
			payloadOf(a.tenant.Properties, []frame{oneValue(time.Now().UnixMilli(), 0, float64(n%2000)/10)}),
		)
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
			if err := s.close(); err != nil {
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

// compare: what the device reported is not read back, it was only to be told.
func (*manyScreens) compare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }
