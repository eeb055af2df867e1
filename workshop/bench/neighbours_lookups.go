package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

const (
	lookUpEvery = time.Second / 15
	lookUpBurst = 80 // look-ups at once, before the others: more than an address may make
	renewEvery  = time.Second
	sharedFrom  = "127.202.0.1" // the address of all of them
)

// lookUps is a program that looks up a tenant all the time without a sign-in. From the same address
// people sign in, and others renew their session.
type lookUps struct {
	tenant           Tenant
	found, refused   atomic.Int64 // look-ups
	signIn, renewals probe
}

func newLookUps() *lookUps {
	w := attackerTenant("looker", 1)
	w.Guests = []string{visitor}
	return &lookUps{tenant: w}
}

func (a *lookUps) tenants() []Tenant                                           { return []Tenant{a.tenant} }
func (a *lookUps) prepare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }

// compare has nothing to do: run returns whether the calls were as promised.
func (a *lookUps) compare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }

func (a *lookUps) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	base := t.server.Console
	path := "/admin-api/system/tenant/get-id-by-name?name=" + url.QueryEscape(a.tenant.Name)
	lookUp := func() {
		err := consoleFrom(base, sharedFrom).call(ctx, http.MethodGet, path, nil, new(any))
		count(ctx, err, &a.found, &a.refused)
	}
	session, err := a.open(ctx, base)
	if err != nil {
		return err
	}
	for range lookUpBurst {
		lookUp()
	}
	var all sync.WaitGroup
	all.Go(func() {
		tick := time.NewTicker(lookUpEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				all.Go(lookUp)
			case <-ctx.Done():
				return
			}
		}
	})
	forever := time.Now().Add(24 * time.Hour) // ctx ends before
	all.Go(func() {
		a.renewals.run(ctx, renewEvery, forever, func(ctx context.Context) error {
			again := "/admin-api/system/auth/refresh-token?refreshToken=" + url.QueryEscape(session.RefreshToken)
			return consoleFrom(base, sharedFrom).call(ctx, http.MethodPost, again, nil, &session)
		})
	})
	w := a.tenant
	w.User = visitor
	a.signIn.run(ctx, signInEvery, forever, func(ctx context.Context) error {
		return enterFrom(ctx, base, w, sharedFrom)
	})
	all.Wait()
	in, renewed := a.signIn.stats(), a.renewals.stats()
	r.remark(
		"%d of %d look-ups were refused, %d of %d sign-ins and %d of %d renewals from the same address",
		a.refused.Load(), a.refused.Load()+a.found.Load(), in.Failed, in.Count, renewed.Failed, renewed.Count,
	)
	switch {
	case a.refused.Load() == 0:
		return errors.New("no look-up was refused, so that it was no attack")
	case in.Count == 0 || renewed.Count == 0:
		return errors.New("nobody signed in, or nobody renewed a session")
	case in.Failed+renewed.Failed > 0:
		return fmt.Errorf("%d sign-ins and %d renewals were refused, the first: %w",
			in.Failed, renewed.Failed, errors.Join(in.First, renewed.First))
	}
	return nil
}

// session is what a renewal needs of one.
type session struct {
	RefreshToken string `json:"refreshToken"`
}

// open signs the tenant's user in.
func (a *lookUps) open(ctx context.Context, base string) (s session, err error) {
	body, err := signInBody(a.tenant)
	if err == nil {
		err = consoleFrom(base, sharedFrom).call(ctx, http.MethodPost, signInPath, body, &s)
	}
	return s, err
}
