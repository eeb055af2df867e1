package provider

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/limit"
)

// errStopping is why a call ended that might have taken long; nothing failed.
var errStopping = errors.New("providerapi: the server is stopping")

// restartRetryAfter is what a server that is stopping is given to be back.
const restartRetryAfter = 10 * time.Second

// DeriveRequest says of which device the past is to be computed anew.
type DeriveRequest struct {
	Tenant  string
	Product string // only devices of it; empty: of any
	Device  string // only this one; empty: the first by name after After
	After   string
	From    time.Time // the first day, as a calendar has it; zero: as far back as there are readings
}

// DeriveResult is what was done to one device.
type DeriveResult struct {
	Device    string // empty: there was none
	Days      int    // with readings, that were looked at
	Values    int    // that were not there, or otherwise
	Remaining int    // devices that come after it
}

// Derive computes the derived values of a device's past anew, day by day between
// the messages that come in; values that are there already are left. Tenants,
// products and devices that do not exist, and a device of whose product nothing
// is derived, are a *Refusal.
//
// It takes its turn among the work on the tenant's readings, and none of the
// service's: applying a file need not wait for it.
func (s *Service) Derive(ctx context.Context, req DeriveRequest) (DeriveResult, error) {
	t, err := s.findTenant(ctx, req.Tenant, req.Tenant)
	if err != nil {
		return DeriveResult{}, err
	}
	next, left, err := s.nextDevice(t, req)
	if err != nil || next == nil {
		return DeriveResult{}, err
	}
	task, why := s.Scheduler.Enter(ctx, t.ID, providerUser)
	switch {
	case why != limit.NotFull:
		return DeriveResult{}, &problem{
			status: http.StatusTooManyRequests,
			detail: "too much work on this tenant's readings is waiting",
			retry:  reading.HistoryRetry,
		}
	case task == nil:
		return DeriveResult{}, ctx.Err()
	}
	defer task.Leave()
	ctx = limit.WithTask(ctx, task)
	out := DeriveResult{Device: next.Name, Remaining: left}
	from := int64(0)
	if !req.From.IsZero() {
		year, month, day := req.From.Date()
		from = tenant.StartOfDay(year, month, day, t.TimeZone).UnixMilli()
	}
	days, err := s.Coverage.Coverage(ctx, t.ID, next.ID, from, math.MaxInt64, t.TimeZone)
	if err != nil {
		return out, err
	}
	err = s.recomputeDays(ctx, task, next.Ref, days, &out)
	if out.Values > 0 {
		// Of what was written before it failed, too, and when whoever asked has gone.
		ctx := context.WithoutCancel(ctx)
		if err := audit.Log(
			ctx,
			t.ID,
			audit.Action{Name: "device.derive", Thing: audit.Thing{ID: int64(next.ID), Name: next.Name}},
		); err != nil {
			return out, err
		}
	}
	return out, err
}

// nextDevice finds the device that is asked for.
func (s *Service) nextDevice(t *tenant.Tenant, req DeriveRequest) (next *device.Entry, left int, err error) {
	if req.Product != "" && s.Catalog.ProductByName(req.Product) == nil {
		return nil, 0, &Refusal{Missing: true, Detail: fmt.Sprintf("there is no product %q", req.Product)}
	}
	if req.Device == "" {
		next, left = s.Registry.Next(t.ID, req.After, func(e *device.Entry) bool {
			return e.Derives() && (req.Product == "" || e.Product.Name == req.Product)
		})
		return next, left, nil
	}
	switch next = s.Registry.Find(t.ID, req.Device); {
	case next == nil:
		return nil, 0, &Refusal{Missing: true, Detail: fmt.Sprintf("tenant %q has no device %q", t.Name, req.Device)}
	case req.Product != "" && next.Product.Name != req.Product:
		return nil, 0, &Refusal{Detail: fmt.Sprintf("device %q is of product %q", next.Name, next.Product.Name)}
	case !next.Derives():
		return nil, 0, &Refusal{
			Detail: fmt.Sprintf("product %q of device %q has no property with a formula", next.Product.Name, next.Name),
		}
	}
	return next, 0, nil
}

// providerUser is in the place of a user whose work it is.
const providerUser = 0

// recomputeDays redoes days, oldest first, and rests as long as each has taken: messages
// have the other half of the time.
func (s *Service) recomputeDays(
	ctx context.Context,
	task limit.Task,
	ref device.Ref,
	days []reading.CoveredDay,
	out *DeriveResult,
) error {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for _, day := range days {
		task.Pause()
		select {
		case <-pause.C:
		case <-s.stopping:
		case <-ctx.Done():
		}
		task.Resume(ctx)
		if err := s.checkRunning(ctx); err != nil {
			return err
		}
		began := time.Now()
		values, err := s.Intake.Recompute(ctx, ref, day.First)
		out.Values += values
		if err != nil {
			return err
		}
		out.Days++
		pause.Reset(time.Since(began))
	}
	return nil
}

// checkRunning is an error once the server stops or whoever asked has gone.
func (s *Service) checkRunning(ctx context.Context) error {
	select {
	case <-s.stopping:
		return &problem{
			status: http.StatusServiceUnavailable,
			detail: "the server is stopping; ask again once it runs",
			retry:  restartRetryAfter,
			cause:  errStopping,
		}
	default:
		return ctx.Err()
	}
}
