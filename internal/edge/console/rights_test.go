package console_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// loss is a way in which the field's bora loses the rights of an owner, and the code that a call of
// bora then gets.
type loss struct {
	name string
	code int
	lose func(ctx context.Context, w *fixture) error
}

func change(c identity.PersonChange) func(ctx context.Context, w *fixture) error {
	return func(ctx context.Context, w *fixture) error {
		return w.People.Change(ctx, w.field.ID, w.field.Bora.ID, c)
	}
}

var losses = []loss{
	{"disabled", 401, change(identity.PersonChange{Enabled: new(false)})},
	{"demoted", 403, change(identity.PersonChange{Role: new(string(identity.Operator))})},
	{"signed out", 401, func(ctx context.Context, w *fixture) error {
		return w.People.EndSessions(ctx, w.field.ID, w.field.Bora.ID)
	}},
}

// ownersChange is a call of bora that changes something.
func (w *fixture) ownersChange() testkit.Call {
	return jsonCall(w.bora, peoplePath+"invite", "role", "owner", "email", "mallory@example.com", "sendMail", false)
}

func (w *fixture) expectNoInvitation(t *testing.T) {
	t.Helper()
	page := w.get(peoplePath + "invitations/page?pageNo=1&pageSize=10")
	if p := testkit.Ask[wire.InvitationPage](t, w.Contract, page); p.Total != 0 {
		t.Errorf("%s", asJSON(t, p))
	}
}

// A call whose body arrives after the caller has lost the rights for it changes nothing.
func TestRightsAreAskedAfterTheBody(t *testing.T) {
	for _, l := range losses {
		w := newServer(t)
		c := w.ownersChange()
		in, out := io.Pipe()
		r := c.Request(t.Context(), "http://tilth.test")
		r.Body, r.ContentLength = in, int64(len(c.Body))
		go func() {
			_, err := io.WriteString(out, c.Body[:1]) // returns once the headers are checked and the body is read
			err = errors.Join(err, l.lose(context.WithoutCancel(t.Context()), w))
			_, last := io.WriteString(out, c.Body[1:])
			out.CloseWithError(errors.Join(err, last))
		}()
		answer := httptest.NewRecorder()
		w.Contract.Handler.ServeHTTP(answer, r)
		if want := `"code":` + asJSON(t, l.code); !strings.Contains(answer.Body.String(), want) {
			t.Errorf("%s: %s", l.name, answer.Body)
		}
		w.expectNoInvitation(t)
	}
}

// A call that waits for its transaction while the caller loses the rights for it changes nothing.
func TestRightsAreAskedInsideTheTransaction(t *testing.T) {
	for _, l := range losses {
		w := newServer(t)
		answered := make(chan *testkit.Answer, 1)
		err := w.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
			go func() { answered <- w.Do(t, w.ownersChange()) }()
			testkit.Eventually(t, "the call to wait", func() bool { return testkit.LockWaiters(t) == 1 })
			return l.lose(ctx, w)
		})
		if err != nil {
			t.Fatal(err)
		}
		if a := testkit.Receive(t, "the answer", answered); a.Code != l.code {
			t.Errorf("%s: %s", l.name, a.Body)
		}
		w.expectNoInvitation(t)
	}
}

// An answer that is being sent ends once its reader is disabled or signed out.
func TestAnswerEndsWithItsRights(t *testing.T) {
	for _, l := range losses {
		if l.code == 403 {
			continue // an operator may read all that an owner may
		}
		const lost = 20_000
		var w *fixture
		w = newWatchedServer(t, &testkit.ObservedStore{Each: func(ctx context.Context, n int) error {
			if n == lost {
				return l.lose(context.WithoutCancel(ctx), w)
			}
			return nil
		}})
		from := w.createMonthDevice(t, 20)
		call := w.get(rangePath(columnsPath, "MONTH", strings.Join(monthSigns, ","), from, from.AddDate(0, 0, 20)))
		call.Token = w.bora
		res, err := http.DefaultTransport.RoundTrip(call.Request(t.Context(), w.Serve(t)))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if !errors.Is(err, io.ErrUnexpectedEOF) || res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d bytes, then %v", l.name, n, err)
		}
		if log := w.Log.Text(); strings.Contains(log, "level=ERROR") {
			t.Errorf("%s: %s", l.name, log)
		}
	}
}
