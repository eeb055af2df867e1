package bench

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const denseEvery = 100 * time.Millisecond // between two readings

// dense is a user with one device that has ten readings a second.
type dense struct {
	size   NeighbourSize
	tenant Tenant
	person *console
	from   int64 // time of the first reading, epoch ms
}

func newDense(tenant string, s NeighbourSize) *dense {
	return &dense{size: s, tenant: attackerTenant(tenant, 1)}
}

func (a *dense) tenants() []Tenant { return []Tenant{a.tenant} }

func (a *dense) count() int { return a.size.DenseMessages * lateBatch }

// reading returns the device's reading number n.
func (a *dense) reading(n int) frame {
	return oneValue(a.from+int64(n)*denseEvery.Milliseconds(), 0, float64(n*7919%2000)/10)
}

func (a *dense) prepare(ctx context.Context, t *neighbourRun, r *NeighbourRow) (err error) {
	if a.person, err = t.signIn(ctx, a.tenant); err != nil {
		return err
	}
	a.from = time.Now().Add(-time.Duration(a.count()) * denseEvery).UnixMilli()
	for m := range a.size.DenseMessages {
		frames := make([]frame, lateBatch)
		for i := range frames {
			frames[i] = a.reading(m*lateBatch + i)
		}
		payload := payloadOf(a.tenant.Properties, frames)
		if err := deliver(ctx, t.server.Console, a.tenant.Devices[0], payload); err != nil {
			return err
		}
	}
	r.remark("%s readings", thousands(float64(a.count())))
	return nil
}

// compare reads the dense readings back in one long response.
func (a *dense) compare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	var got map[string][]point
	until := time.Now().Add(t.options.Size.Patience)
	for {
		var err error
		got, err = a.person.history(
			ctx,
			a.tenant.Devices[0].Name,
			a.tenant.Properties[:1],
			a.from,
			time.Now().UnixMilli(),
		)
		if err == nil {
			break
		}
		// The server may not have noticed yet that the other clients have disconnected.
		if !strings.Contains(err.Error(), "answer 429") || time.Now().After(until) {
			return fmt.Errorf("read back: %w", err)
		}
		time.Sleep(retryPause)
	}
	points := got[a.tenant.Properties[0]]
	r.Checked += a.count()
	for n := range a.count() {
		want := a.reading(n)
		switch {
		case n >= len(points):
			r.addFault(
				&r.Lost,
				a.tenant.Devices[0].Name,
				a.tenant.Properties[0],
				want.time,
				"acknowledged and not there",
			)
		case points[n].Time != want.time || points[n].Value != want.values[0]:
			r.addFault(
				&r.Wrong,
				a.tenant.Devices[0].Name,
				a.tenant.Properties[0],
				want.time,
				"another reading is in its place",
			)
		}
	}
	r.Extra += max(0, len(points)-a.count())
	return nil
}
