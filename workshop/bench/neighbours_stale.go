package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	staleLoggers = 20
	staleEvery   = 50 * time.Millisecond // how long each waits before it tries again
	validEvery   = 100 * time.Millisecond
)

// stale is a set of loggers and one tool of the provider with secrets that are no longer valid,
// which try again and again from the victim's address. Beside them devices and the provider sign in
// with valid secrets.
type stale struct {
	tenant       Tenant
	wrong, right atomic.Int64

	mu      sync.Mutex
	refused []error // errors of attempts with valid secrets
}

func newStale() *stale { return &stale{tenant: attackerTenant("stale", 2)} }

func (a *stale) tenants() []Tenant                                           { return []Tenant{a.tenant} }
func (a *stale) prepare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }

// compare has nothing to do: run returns whether the valid attempts succeeded.
func (a *stale) compare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }

func (a *stale) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	var all sync.WaitGroup
	repeat := func(every time.Duration, try func()) {
		all.Go(func() {
			for ctx.Err() == nil {
				try()
				select {
				case <-time.After(every):
				case <-ctx.Done():
				}
			}
		})
	}
	old := Device{Name: a.tenant.Devices[0].Name, Secret: "a-secret-that-was-dropped"}
	for i := range staleLoggers {
		enter := a.byMQTT
		if i%2 == 1 {
			enter = a.byHTTP
		}
		repeat(staleEvery, func() { a.note(ctx, enter(ctx, t, old), false) })
	}
	repeat(staleEvery, func() { a.note(ctx, a.asProvider(ctx, t, "a-token-that-was-replaced-long-ago"), false) })
	for i, enter := range []func(context.Context, *neighbourRun, Device) error{a.byMQTT, a.byHTTP} {
		repeat(validEvery, func() { a.note(ctx, enter(ctx, t, a.tenant.Devices[i]), true) })
	}
	repeat(validEvery, func() { a.note(ctx, a.asProvider(ctx, t, t.server.token), true) })
	all.Wait()
	right, wrong := a.right.Load(), a.wrong.Load()
	r.remark("%d wrong ones came; of %d right ones %d were refused", wrong, right, len(a.refused))
	if right == 0 || wrong == 0 {
		return errors.New("there were no attempts with valid, or none with invalid secrets")
	}
	if len(a.refused) > 0 {
		return fmt.Errorf("%d of %d that were right were refused, the first: %w", len(a.refused), right, a.refused[0])
	}
	return nil
}

// note counts an attempt and its outcome.
func (a *stale) note(ctx context.Context, err error, right bool) {
	switch {
	case ctx.Err() != nil: // ctx may have interrupted it
	case right:
		a.right.Add(1)
		if err != nil {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.refused = append(a.refused, err)
		}
	case err != nil:
		a.wrong.Add(1)
	}
}

func (*stale) byMQTT(ctx context.Context, t *neighbourRun, d Device) error {
	ctx, cancel := context.WithTimeout(ctx, ackWithin)
	defer cancel()
	c := connection{protocol: 4}
	if err := c.dial(ctx, t.server.MQTT, d, 1); err != nil {
		return err
	}
	return c.nc.Close()
}

func (*stale) byHTTP(ctx context.Context, t *neighbourRun, d Device) error {
	status, _, err := post(ctx, t.server.Console, d, []byte(`{}`))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("answered %d", status)
	}
	return err
}

// asProvider deletes a tenant that does not exist: only a valid token gets the answer 404.
func (*stale) asProvider(ctx context.Context, t *neighbourRun, token string) error {
	r, err := http.NewRequestWithContext(
		ctx,
		http.MethodPost,
		t.server.admin+"/provider-api/v1/delete",
		strings.NewReader(`{"kind":"tenant","name":"nobody"}`),
	)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil {
		return err
	}
	if res.StatusCode != http.StatusNotFound {
		return fmt.Errorf("the provider is answered %d", res.StatusCode)
	}
	return nil
}
