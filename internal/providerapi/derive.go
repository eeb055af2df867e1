package providerapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"tilth/internal/audit"
	"tilth/internal/device"
	"tilth/internal/limit"
	"tilth/internal/reading"
	"tilth/internal/tenant"
)

// errStopping is why a call ended that might have taken long; nothing failed.
var errStopping = errors.New("providerapi: the server is stopping")

// restartTime is what a server that is stopping is given to be back.
const restartTime = 10 * time.Second

// DeriveAsk says of which device the past is to be computed anew.
type DeriveAsk struct {
	Tenant  string
	Product string // only devices of it; empty: of any
	Device  string // only this one; empty: the first by name after After
	After   string
	From    time.Time // the first day, as a calendar has it; zero: as far back as there are readings
}

// Derived is what was done to one device.
type Derived struct {
	Device string // empty: there was none
	Days   int    // with readings, that were looked at
	Values int    // that were not there, or otherwise
	Left   int    // devices that come after it
}

// Derive computes the derived values of a device's past anew, day by day between
// the messages that come in; values that are there already are left. Tenants,
// products and devices that do not exist, and a device of whose product nothing
// is derived, are a *Refusal.
//
// It takes its turn among the work on the tenant's readings, and none of the
// service's: applying a file need not wait for it.
func (s *Service) Derive(ctx context.Context, ask DeriveAsk) (Derived, error) {
	t, err := s.owner(ctx, ask.Tenant, ask.Tenant)
	if err != nil {
		return Derived{}, err
	}
	next, left, err := s.nextDeriving(t, ask)
	if err != nil || next == nil {
		return Derived{}, err
	}
	turn, why := s.Turns.Enter(ctx, t.ID, provider)
	switch {
	case why != limit.NotFull:
		return Derived{}, &problem{status: http.StatusTooManyRequests, detail: "too much work on this tenant's readings is waiting", retry: reading.LongsAgain}
	case turn == nil:
		return Derived{}, ctx.Err()
	}
	defer turn.Leave()
	ctx = limit.WithTask(ctx, turn)
	out := Derived{Device: next.Name, Left: left}
	from := int64(0)
	if !ask.From.IsZero() {
		year, month, day := ask.From.Date()
		from = tenant.FirstInstant(year, month, day, t.TimeZone).UnixMilli()
	}
	days, err := s.Days.Coverage(ctx, t.ID, next.ID, from, math.MaxInt64, t.TimeZone)
	if err != nil {
		return out, err
	}
	err = s.redo(ctx, turn, next.Ref, days, &out)
	if out.Values > 0 {
		// Of what was written before it failed, too, and when whoever asked has gone.
		ctx := context.WithoutCancel(ctx)
		if err := audit.Log(ctx, t.ID, audit.Action{Name: "device.derive", Thing: audit.Thing{ID: int64(next.ID), Name: next.Name}}); err != nil {
			return out, err
		}
	}
	return out, err
}

// nextDeriving finds the device that is asked for.
func (s *Service) nextDeriving(t *tenant.Tenant, ask DeriveAsk) (next *device.Entry, left int, err error) {
	if ask.Product != "" && s.Catalog.ProductByName(ask.Product) == nil {
		return nil, 0, &Refusal{Missing: true, Detail: fmt.Sprintf("there is no product %q", ask.Product)}
	}
	if ask.Device == "" {
		next, left = s.Registry.Next(t.ID, ask.After, func(e *device.Entry) bool {
			return e.Derives() && (ask.Product == "" || e.Product.Name == ask.Product)
		})
		return next, left, nil
	}
	switch next = s.Registry.Find(t.ID, ask.Device); {
	case next == nil:
		return nil, 0, &Refusal{Missing: true, Detail: fmt.Sprintf("tenant %q has no device %q", t.Name, ask.Device)}
	case ask.Product != "" && next.Product.Name != ask.Product:
		return nil, 0, &Refusal{Detail: fmt.Sprintf("device %q is of product %q", next.Name, next.Product.Name)}
	case !next.Derives():
		return nil, 0, &Refusal{Detail: fmt.Sprintf("product %q of device %q has no property with a formula", next.Product.Name, next.Name)}
	}
	return next, 0, nil
}

// provider is in the place of a user whose work it is.
const provider = 0

// redo redoes days, oldest first, and rests as long as each has taken: messages
// have the other half of the time.
func (s *Service) redo(ctx context.Context, turn limit.Task, ref device.Ref, days []reading.CoveredDay, out *Derived) error {
	rest := time.NewTimer(0)
	defer rest.Stop()
	for _, day := range days {
		turn.Pause()
		select {
		case <-rest.C:
		case <-s.stopping:
		case <-ctx.Done():
		}
		turn.Resume(ctx)
		if err := s.mayGoOn(ctx); err != nil {
			return err
		}
		began := time.Now()
		values, err := s.Intake.Redo(ctx, ref, day.First)
		out.Values += values
		if err != nil {
			return err
		}
		out.Days++
		rest.Reset(time.Since(began))
	}
	return nil
}

// mayGoOn is an error once the server stops or whoever asked has gone.
func (s *Service) mayGoOn(ctx context.Context) error {
	select {
	case <-s.stopping:
		return &problem{
			status: http.StatusServiceUnavailable, detail: "the server is stopping; ask again once it runs", retry: restartTime, cause: errStopping,
		}
	default:
		return ctx.Err()
	}
}
