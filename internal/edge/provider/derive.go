package provider

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/derivation"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/limit"
)

// errStopping ends a call that might take long because the server stops; it is no failure.
var errStopping = errors.New("provider:  the server is stopping")

// restartRetryAfter is how long a client waits for a server that is stopping to be back.
const restartRetryAfter = 10 * time.Second

// DeriveRequest names the device whose derived values are to be computed anew.
type DeriveRequest struct {
	Tenant  string
	Product string // only devices of this product; empty: of any product
	Device  string // only this device; empty: the first one after After, by name
	After   string
	From    time.Time // the first day, in the calendar; zero: since the first reading
}

// DeriveResult says what was done for one device.
type DeriveResult struct {
	Device    string // empty: there was no device
	Days      int    // days with readings that were examined
	Values    int    // values that were missing or different
	Remaining int    // number of devices after it
}

// Derive computes the derived values of a device's past anew, day by day, in between the messages
// that arrive; it leaves values that are correct already. If the tenant, the product or the device
// does not exist, or the device's product has no derived property, the error is a *Refusal.
//
//	The tenant's scheduler of readings work gives it its slots. It does not hold the service, so
//	applying a file does not wait for it.
func (s *Service) Derive(ctx context.Context, req DeriveRequest) (DeriveResult, error) {
	t, err := s.findTenant(ctx, req.Tenant, req.Tenant)
	if err != nil {
		return DeriveResult{}, err
	}
	next, left, err := s.nextDevice(t, req)
	if err != nil || next == nil {
		return DeriveResult{}, err
	}
	task, why := s.Turns.Enter(ctx, t.ID, providerUser)
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
	out.Days, out.Values, err = derivation.RecomputeDays(
		ctx, task, s.Intake, next.Ref, days, s.stopping, s.checkRunning,
	)
	if out.Values > 0 {
		// The log also has the values that were written before an error, and before the caller had
		// gone.
		ctx := context.WithoutCancel(ctx)
		err := audit.Log(
			ctx,
			t.ID,
			audit.Action{Name: "device.derive", Thing: audit.Thing{ID: int64(next.ID), Name: next.Name}},
		)
		if err != nil {
			return out, err
		}
	}
	return out, err
}

// nextDevice finds the device of the request.
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

// providerUser stands for the provider in place of a user id.
const providerUser = 0

// checkRunning returns an error once the server stops or the caller has gone.
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
