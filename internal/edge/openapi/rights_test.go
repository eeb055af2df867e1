package openapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/domain/identity"
	"tilth/internal/tools/testkit"
)

// losses are the ways in which a program loses its rights, and the status that a request then gets.
var losses = map[string]struct {
	status int
	lose   func(ctx context.Context, w *fixture) error
}{
	"key disabled": {401, func(ctx context.Context, w *fixture) error {
		return w.Credentials.Toggle(ctx, w.field.ID, w.field.Ada.ID, w.credential.ID)
	}},
	"key deleted": {401, func(ctx context.Context, w *fixture) error {
		return w.Credentials.Delete(ctx, w.field.ID, w.field.Ada.ID, w.credential.ID)
	}},
	"owner demoted": {403, func(ctx context.Context, w *fixture) error {
		return w.People.Change(ctx, w.field.ID, w.field.Ada.ID, identity.PersonChange{Role: new("viewer")})
	}},
}

func (w *fixture) expectNoWebhook(t *testing.T) {
	t.Helper()
	hooks, total, err := w.Webhooks.Page(t.Context(), w.field.ID, 0, 10)
	if err != nil || total != 0 {
		t.Errorf("%+v, %v", hooks, err)
	}
}

// A request whose body arrives after its credential has lost the right to it changes nothing.
func TestRightsAreAskedAfterTheBody(t *testing.T) {
	for name, l := range losses {
		w := newFixture(t)
		r := w.newCall("POST", "/webhooks", webhookBody).request(t, w, "http://tilth.test")
		in, out := io.Pipe()
		r.Body = in
		go func() {
			_, err := io.WriteString(out, webhookBody[:1]) // returns once the headers are checked
			err = errors.Join(err, l.lose(context.WithoutCancel(t.Context()), w))
			_, last := io.WriteString(out, webhookBody[1:])
			out.CloseWithError(errors.Join(err, last))
		}()
		answer := httptest.NewRecorder()
		w.handler.ServeHTTP(answer, r)
		if answer.Code != l.status {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
		w.expectNoWebhook(t)
	}
}

// A request that waits for its transaction while its credential loses the right to it changes
// nothing.
func TestRightsAreAskedInsideTheTransaction(t *testing.T) {
	for name, l := range losses {
		w := newFixture(t)
		status := make(chan int, 1)
		err := w.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
			go func() {
				answer := httptest.NewRecorder()
				r := w.newCall("POST", "/webhooks", webhookBody).request(t, w, "http://tilth.test")
				w.handler.ServeHTTP(answer, r)
				status <- answer.Code
			}()
			testkit.Eventually(t, "the request to wait", func() bool { return testkit.LockWaiters(t) == 1 })
			return l.lose(ctx, w)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := testkit.Receive(t, "the answer", status); got != l.status {
			t.Errorf("%s: %d", name, got)
		}
		w.expectNoWebhook(t)
	}
}

// An answer that is being sent ends once its credential is disabled.
func TestAnswerEndsWithItsRights(t *testing.T) {
	w := newFixture(t)
	w.measureMany(t, longHistoryStart, 100_000)
	history := call{path: longHistoryPath("format", "csv")}.request(t, w, w.serve(t))
	res, err := http.DefaultTransport.RoundTrip(history)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadFull(res.Body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if err := losses["key disabled"].lose(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, res.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d more bytes, then %v", n, err)
	}
}
