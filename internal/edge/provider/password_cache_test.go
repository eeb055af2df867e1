package provider

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// Hashes are computed once: after the context is cancelled, only results that are known already are
// returned.
func TestPasswordCache(t *testing.T) {
	v := newPasswordCache(identity.NewHasher())
	ctx, cancel := context.WithCancel(t.Context())
	stored := testkit.PasswordHash("correct horse")
	hash, err := v.hash(ctx, "ada", "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]bool{"correct horse": true, "another horse": false} {
		if ok, err := v.verify(ctx, stored, password); err != nil || ok != want {
			t.Errorf("%s matches: %v, %v", password, ok, err)
		}
	}
	v.hasher = nil // from here on nothing can be hashed
	cancel()
	if again, err := v.hash(ctx, "ada", "correct horse"); err != nil || again != hash {
		t.Errorf("hashed again: %v", err)
	}
	for password, want := range map[string]bool{"correct horse": true, "another horse": false} {
		if ok, err := v.verify(ctx, stored, password); err != nil || ok != want {
			t.Errorf("%s matches: %v, %v", password, ok, err)
		}
	}
	if a, b := v.generate("ada"), v.generate("ada"); a != b || a == v.generate("bora") {
		t.Error("a generated password changed, or two users have the same")
	}
}

// If a password changes between the first plan and the transaction, it is compared again.
func TestPasswordChangedMeanwhile(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	ada := p.user(t, "north", "ada")
	var wrong fileErrors
	f := wrong.parse([]byte(`tenants: [{name: north, users: [{userName: ada, password: correct horse}]}]`))
	pl := planner{Service: p.service, file: f, overwrite: true, passwords: newPasswordCache(p.hasher)}
	first, err := pl.plan(t.Context())
	if err != nil || !first.empty() {
		t.Fatalf("%+v, %v", first, err)
	}
	if err := p.Users.PutPassword(t.Context(), ada.Tenant, ada.ID, testkit.PasswordHash("changed by ada")); err != nil {
		t.Fatal(err)
	}
	second, err := pl.plan(t.Context())
	if err != nil || second.empty() || second.tenants[0].users[0].password != "correct horse" {
		t.Errorf("%+v, %v", second, err)
	}
}

// Every refusal has its status, and the answer shows only what is meant for the client.
func TestProblems(t *testing.T) {
	cause := errors.New("constraint failed: UNIQUE users.user_name")
	for name, c := range map[string]struct {
		err    error
		status int
		hidden bool
	}{
		"fault":      {cause, 500, true},
		"missing":    {&Refusal{Missing: true, Detail: "there is none"}, 404, false},
		"in use":     {&Refusal{Detail: "in use"}, 409, false},
		"wrong":      {&FileError{Errors: []LineError{{Line: 3, Message: "wrong"}}}, 422, true},
		"too large":  {&http.MaxBytesError{Limit: 5}, 413, true},
		"late":       {context.DeadlineExceeded, 503, true},
		"busy":       {errs.New(errs.Unavailable, "error.503").RetryAfter(2 * time.Second), 503, true},
		"full":       {errs.New(errs.StorageFailure, "error.disk").RetryAfter(30 * time.Second), 503, true},
		"itself":     {newProblem(http.StatusConflict, "so"), 409, false},
		"unreadable": {badBody(cause), 400, true},
	} {
		p := toProblem(c.err)
		w := httptest.NewRecorder()
		p.write(w)
		if p.status != c.status || w.Code != c.status || strings.Contains(w.Body.String(), c.err.Error()) == c.hidden {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if p.Error() == "" {
			t.Errorf("%s has no log message", name)
		}
	}
	if p := badBody(cause); !errors.Is(p, cause) {
		t.Error("the cause is lost")
	}
	w := httptest.NewRecorder()
	(&problem{status: http.StatusTooManyRequests, retry: 1500 * time.Millisecond}).write(w)
	if got := w.Header().Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After %q", got)
	}
	e := &FileError{Errors: []LineError{{Message: "password is swordfish"}}}
	if strings.Contains(e.Error(), "swordfish") {
		t.Error("the log would hold the file's text")
	}
}
