package identity_test

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// sessionFixture is a tenant's user ada, signed in, and the sessions that OnEnd got.
type sessionFixture struct {
	*testkit.Stores
	field *testkit.Tenant
	pair  identity.TokenPair
	id    int64 // the session's id
	ended []int64
}

func newSessionFixture(t *testing.T, remember bool) *sessionFixture {
	t.Helper()
	f := &sessionFixture{Stores: testkit.NewStores(t)}
	f.field = f.Tenant(t, "field")
	f.Sessions.Ended.Then(func(session int64) { f.ended = append(f.ended, session) })
	var err error
	if f.pair, err = f.Sessions.Start(t.Context(), f.field.ID, f.field.Ada.ID, remember); err != nil {
		t.Fatal(err)
	}
	f.id = f.caller(t, f.pair).Session
	return f
}

func (f *sessionFixture) caller(t *testing.T, p identity.TokenPair) identity.Caller {
	t.Helper()
	c, err := f.Sessions.Caller(t.Context(), p.Access)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (f *sessionFixture) wantUnauthorized(t *testing.T, what, access string) {
	t.Helper()
	if c, err := f.Sessions.Caller(t.Context(), access); !errs.Is(err, errs.Unauthenticated) ||
		c != (identity.Caller{}) {
		t.Errorf("%s: %+v %v", what, c, err)
	}
}

func (f *sessionFixture) refresh(t *testing.T, token string) identity.TokenPair {
	t.Helper()
	p, err := f.Sessions.Refresh(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (f *sessionFixture) countRows(t *testing.T, table string) (n int) {
	t.Helper()
	if err := f.DB.Read(t.Context()).NewRaw("SELECT COUNT(*) FROM ?", bun.Ident(table)).Scan(t.Context(),
		&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAccessTokenExpires(t *testing.T) {
	f := newSessionFixture(t, false)
	f.Clock.Advance(identity.AccessLife - time.Millisecond)
	f.caller(t, f.pair)
	f.Clock.Advance(time.Millisecond)
	f.wantUnauthorized(t, "expired", f.pair.Access)
	f.wantUnauthorized(t, "none", "")
	f.wantUnauthorized(t, "a refresh token", f.pair.Refresh)
	f.wantUnauthorized(t, "made up", "x"+f.pair.Access)
}

func TestTokensAreStoredAsHashesOnly(t *testing.T) {
	f := newSessionFixture(t, false)
	next := f.refresh(t, f.pair.Refresh)
	var found int
	err := f.DB.Read(t.Context()).NewRaw(`SELECT
				(SELECT COUNT(*) FROM access_tokens WHERE hash IN (?, ?)) +
		(SELECT COUNT(*) FROM refresh_tokens WHERE hash IN (?, ?))`,
		f.pair.Access, next.Access, f.pair.Refresh, next.Refresh).Scan(t.Context(), &found)
	if err != nil || found != 0 {
		t.Errorf("the database contains %d tokens (%v)", found, err)
	}
	var successors [][]byte
	if err := f.DB.Read(t.Context()).NewRaw(`SELECT successor FROM refresh_tokens WHERE successor IS NOT NULL`).
		Scan(t.Context(), &successors); err != nil || len(successors) != 1 {
		t.Errorf("%d successors (%v)", len(successors), err)
	}
	for _, sealed := range successors {
		if bytes.Contains(sealed, []byte(next.Access)) || bytes.Contains(sealed, []byte(next.Refresh)) {
			t.Error("the database contains a readable successor")
		}
	}
	var lengths int
	if err := f.DB.Read(t.Context()).NewRaw(`SELECT COUNT(*) FROM refresh_tokens WHERE length(hash) = 32`).
		Scan(t.Context(), &lengths); err != nil || lengths != 2 {
		t.Errorf("%d SHA-256 hashes (%v)", lengths, err)
	}
}

func TestDisabledUserTokensAreRefused(t *testing.T) {
	f := newSessionFixture(t, false)
	f.field.Ada.Disabled = true
	if err := f.Users.Update(t.Context(), f.field.ID, f.field.Ada); err != nil {
		t.Fatal(err)
	}
	f.wantUnauthorized(t, "disabled", f.pair.Access)
	if _, err := f.Sessions.Refresh(t.Context(), f.pair.Refresh); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("refresh of a disabled user: %v", err)
	}
}

func TestRefreshRotates(t *testing.T) {
	f := newSessionFixture(t, false)
	f.Clock.Advance(28 * time.Minute)
	next := f.refresh(t, f.pair.Refresh)
	if next.Access == f.pair.Access || next.Refresh == f.pair.Refresh || next.UserID != f.field.Ada.ID ||
		next.Expires != f.Clock.Milli()+identity.AccessLife.Milliseconds() {
		t.Errorf("%+v after %+v", next, f.pair)
	}
	// The session is the same, and the old access token stays valid until it expires.
	if c := f.caller(t, next); c.Session != f.id || c.User != f.field.Ada.ID || c.Tenant != f.field.ID {
		t.Errorf("%+v", c)
	}
	f.caller(t, f.pair)
	f.Clock.Advance(2 * time.Minute)
	f.wantUnauthorized(t, "the old access token", f.pair.Access)
	f.caller(t, next)
	for name, token := range map[string]string{"an access token": next.Access, "made up": "x", "none": ""} {
		if _, err := f.Sessions.Refresh(t.Context(), token); !errs.Is(err, errs.Unauthenticated) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(f.ended) != 0 {
		t.Errorf("sessions %v ended", f.ended)
	}
}

func TestRefreshTokenExpires(t *testing.T) {
	lives := map[bool]time.Duration{false: identity.RefreshLife, true: identity.RefreshLifeRemembered}
	for remember, life := range lives {
		f := newSessionFixture(t, remember)
		f.Clock.Advance(life - time.Millisecond)
		next := f.refresh(t, f.pair.Refresh) // it is valid for as long again
		f.Clock.Advance(life - time.Millisecond)
		last := f.refresh(t, next.Refresh)
		f.Clock.Advance(life)
		if _, err := f.Sessions.Refresh(t.Context(), last.Refresh); !errs.Is(err, errs.Unauthenticated) {
			t.Errorf("remember %t: %v after %s", remember, err, life)
		}
	}
}

// Two tabs that refresh at once get the same pair. The reuse of a token after that ends the
// session, since one of its holders has stolen it.
func TestRefreshReuse(t *testing.T) {
	f := newSessionFixture(t, false)
	next := f.refresh(t, f.pair.Refresh)
	f.Clock.Advance(identity.ReuseWindow)
	if again := f.refresh(t, f.pair.Refresh); again != next {
		t.Errorf("within the window: %+v, want %+v", again, next)
	}
	f.caller(t, next)
	f.Clock.Advance(time.Millisecond)
	other, err := f.Sessions.Start(t.Context(), f.field.ID, f.field.Ada.ID, false)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := f.Sessions.Refresh(t.Context(), f.pair.Refresh); !errs.Is(err, errs.Unauthenticated) ||
		p != (identity.TokenPair{}) {
		t.Fatalf("later: %+v %v", p, err)
	}
	f.wantUnauthorized(t, "the session of the reused token", next.Access)
	if _, err := f.Sessions.Refresh(t.Context(), next.Refresh); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("the newest refresh token of that session: %v", err)
	}
	if !slices.Equal(f.ended, []int64{f.id}) {
		t.Errorf("sessions %v ended, want %d", f.ended, f.id)
	}
	f.caller(t, other) // another session of the same user goes on
}

func TestConcurrentRefresh(t *testing.T) {
	f := newSessionFixture(t, false)
	pairs := make([]identity.TokenPair, 6)
	var wg sync.WaitGroup
	for i := range pairs {
		wg.Go(func() {
			p, err := f.Sessions.Refresh(t.Context(), f.pair.Refresh)
			if err != nil {
				t.Error(err)
			}
			pairs[i] = p
		})
	}
	wg.Wait()
	for _, p := range pairs {
		if p != pairs[0] {
			t.Errorf("%+v and %+v", p, pairs[0])
		}
	}
	if n := f.countRows(t, "refresh_tokens"); n != 2 {
		t.Errorf("%d refresh tokens", n)
	}
}

func TestEndSession(t *testing.T) {
	f := newSessionFixture(t, false)
	next := f.refresh(t, f.pair.Refresh)
	other := f.Session(t, f.field.Ada)
	if err := f.Sessions.End(t.Context(), f.field.ID, f.id); err != nil {
		t.Fatal(err)
	}
	f.wantUnauthorized(t, "ended", f.pair.Access)
	f.wantUnauthorized(t, "ended, refreshed", next.Access)
	for _, token := range []string{f.pair.Refresh, next.Refresh} {
		if _, err := f.Sessions.Refresh(t.Context(), token); !errs.Is(err, errs.Unauthenticated) {
			t.Errorf("refresh of an ended session: %v", err)
		}
	}
	f.caller(t, other)
	if active, err := f.Sessions.IsActive(t.Context(), f.field.ID, f.id); active || err != nil {
		t.Errorf("the ended session is active: %t %v", active, err)
	}
	if err := f.Sessions.End(t.Context(), f.field.ID, f.id); err != nil {
		t.Errorf("ending it twice: %v", err)
	}
	if !slices.Equal(f.ended, []int64{f.id}) {
		t.Errorf("sessions %v ended, want only %d", f.ended, f.id)
	}
}

// A user keeps the newest sessions: one sign-in more ends the oldest, and no other user's.
func TestMaxSessionsPerUser(t *testing.T) {
	f := newSessionFixture(t, true)
	other := f.Session(t, f.User(t, f.field.ID, "cem"))
	pairs := []identity.TokenPair{f.pair}
	for range identity.MaxSessionsPerUser - 1 {
		pairs = append(pairs, f.Session(t, f.field.Ada))
	}
	for _, p := range pairs {
		f.caller(t, p)
	}
	if len(f.ended) != 0 {
		t.Fatalf("sessions %v ended early", f.ended)
	}
	newest := f.Session(t, f.field.Ada)
	f.wantUnauthorized(t, "the oldest", pairs[0].Access)
	for _, p := range append(pairs[1:], newest, other) {
		f.caller(t, p)
	}
	if !slices.Equal(f.ended, []int64{f.id}) {
		t.Errorf("sessions %v ended, want %d", f.ended, f.id)
	}
	if _, err := f.Sessions.Refresh(t.Context(), pairs[0].Refresh); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("the oldest session can be refreshed: %v", err)
	}
}

func TestEndUser(t *testing.T) {
	f := newSessionFixture(t, false)
	second, bora := f.Session(t, f.field.Ada), f.Session(t, f.field.Bora)
	ids := []int64{f.id, f.caller(t, second).Session}
	if err := f.Sessions.EndUser(t.Context(), f.field.ID, f.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	f.wantUnauthorized(t, "first", f.pair.Access)
	f.wantUnauthorized(t, "second", second.Access)
	f.caller(t, bora)
	slices.Sort(f.ended)
	if !slices.Equal(f.ended, ids) {
		t.Errorf("sessions %v ended, want %v", f.ended, ids)
	}
}

func TestSweepExpiredTokens(t *testing.T) {
	f := newSessionFixture(t, false)
	remembered, err := f.Sessions.Start(t.Context(), f.field.ID, f.field.Bora.ID, true)
	if err != nil {
		t.Fatal(err)
	}
	sweep := func(what string, sessions, access, refresh int) {
		t.Helper()
		if err := f.Sessions.Sweep(t.Context(), f.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		if s, a, r := f.countRows(t, "sessions"), f.countRows(t, "access_tokens"),
			f.countRows(t, "refresh_tokens"); s != sessions || a != access || r != refresh {
			t.Errorf("%s: %d sessions, %d access and %d refresh tokens are left", what, s, a, r)
		}
	}
	sweep("nothing expired", 2, 2, 2)
	f.Clock.Advance(identity.AccessLife)
	sweep("access expired", 2, 0, 2)
	f.refresh(t, remembered.Refresh)
	f.Clock.Advance(identity.RefreshLife - identity.AccessLife)
	sweep("one session expired", 1, 0, 2)
	f.Clock.Advance(identity.RefreshLifeRemembered)
	sweep("all expired", 0, 0, 0)
}

// LastSignIn is the time of a user's newest sign-in, the current session's included. A refresh is
// no sign-in, nor is a request with a credential, nor the sign-in of another tenant's user of the
// same name.
func TestLastSignIn(t *testing.T) {
	f := newSessionFixture(t, false)
	rival := f.Tenant(t, "rival")
	look := func(u *identity.User, want int64, when string) {
		t.Helper()
		if got, err := f.Users.Get(t.Context(), u.Tenant, u.ID); err != nil || got.LastSignIn != want {
			t.Errorf("%s: %d, want %d (%v)", when, got.LastSignIn, want, err)
		}
	}
	first := f.Clock.Milli()
	look(f.field.Ada, first, "during the first session")
	look(f.field.Bora, 0, "of a user who never signed in")
	f.Clock.Advance(time.Minute)
	f.refresh(t, f.pair.Refresh)
	look(f.field.Ada, first, "after a refresh")
	c, secret, err := f.Credentials.Create(
		t.Context(),
		f.field.ID,
		f.field.Ada.ID,
		identity.CredentialForm{Name: "pump"},
	)
	if err != nil {
		t.Fatal(err)
	}
	f.Clock.Advance(time.Minute)
	if _, err := f.Credentials.Authenticate(t.Context(), c.AppKey, secret); err != nil {
		t.Fatal(err)
	}
	look(f.field.Ada, first, "after a program's call")
	f.Session(t, rival.Ada)
	look(f.field.Ada, first, "after another tenant's ada")
	f.Clock.Advance(time.Hour)
	f.Session(t, f.field.Ada)
	second := f.Clock.Milli()
	look(f.field.Ada, second, "during the second session")
	f.Clock.Advance(time.Hour)
	if err := f.Sessions.EndUser(t.Context(), f.field.ID, f.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	look(f.field.Ada, second, "when all have ended")
}

// If the database cannot be written, no session starts or ends, and no end is notified.
func TestSessionDatabaseFailure(t *testing.T) {
	f := newSessionFixture(t, false)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Sessions.Start(gone, f.field.ID, f.field.Ada.ID, false); err == nil {
		t.Error("a session started without a database")
	}
	if _, err := f.Sessions.Refresh(gone, f.pair.Refresh); err == nil || errs.Is(err, errs.Unauthenticated) {
		t.Errorf("refresh: %v", err)
	}
	if err := f.Sessions.End(gone, f.field.ID, f.id); err == nil || len(f.ended) != 0 {
		t.Errorf("end: %v, notified %v", err, f.ended)
	}
	unasked := f.Session(t, f.field.Ada) // the cache does not have its caller
	if _, err := f.Sessions.Caller(gone, unasked.Access); err == nil || errs.Is(err, errs.Unauthenticated) {
		t.Errorf("caller: %v", err)
	}
	f.caller(t, f.pair)
}

// TestCallerSeesEveryChange reads the caller again and again while the session ends in each
// possible way: no read after the end may give the caller.
func TestCallerSeesEveryChange(t *testing.T) {
	for name, end := range map[string]func(f *sessionFixture) error{
		"the session":  func(f *sessionFixture) error { return f.Sessions.End(t.Context(), f.field.ID, f.id) },
		"all sessions": func(f *sessionFixture) error { return f.Sessions.EndUser(t.Context(), f.field.ID, f.field.Ada.ID) },
		"the user, by another program": func(f *sessionFixture) error {
			return f.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
				_, err := tx.NewUpdate().Table("users").Set("disabled = TRUE").Where("id = ?", f.field.Ada.ID).Exec(ctx)
				return err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newSessionFixture(t, false)
			want := f.caller(t, f.pair)
			over, asked := make(chan struct{}), make(chan struct{}, 4)
			var asking sync.WaitGroup
			for range cap(asked) {
				asking.Go(func() {
					for first := true; ; first = false {
						c, err := f.Sessions.Caller(t.Context(), f.pair.Access)
						if first {
							asked <- struct{}{}
						}
						select {
						case <-over: // the read may have begun before the end
							f.wantUnauthorized(t, "after the end", f.pair.Access)
							return
						default:
						}
						if !errs.Is(err, errs.Unauthenticated) && (err != nil || c != want) {
							t.Errorf("%+v %v", c, err)
							return
						}
					}
				})
			}
			for range cap(asked) {
				<-asked
			}
			if err := end(f); err != nil {
				t.Error(err)
			}
			close(over)
			asking.Wait()
		})
	}
}

func TestCachedCallerExpires(t *testing.T) {
	f := newSessionFixture(t, false)
	f.caller(t, f.pair)
	f.Clock.Advance(identity.AccessLife - time.Millisecond)
	f.caller(t, f.pair)
	f.Clock.Advance(time.Millisecond)
	f.wantUnauthorized(t, "expired", f.pair.Access)
}
