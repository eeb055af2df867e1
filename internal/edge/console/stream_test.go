package console

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// newTestStream returns a stream of a user who has just passed the check.
func newTestStream(t *testing.T) (*testkit.Stores, *liveStream, identity.Caller) {
	t.Helper()
	s := testkit.NewStores(t)
	c, err := s.Sessions.Caller(t.Context(), s.Session(t, s.Tenant(t, "field").Ada).Access)
	if err != nil {
		t.Fatal(err)
	}
	c.Expires = s.Clock.Milli() // if the stream opens after all, it ends at once and not with the test
	ctx := context.WithValue(t.Context(), requestKey{}, &request{caller: c})
	return s, &liveStream{
		ctx:       ctx,
		heartbeat: heartbeat,
		server: &server{Options: Options{
			Stores:         s.Stores,
			StorageStopped: func() (since time.Time, changed <-chan struct{}) { return since, nil },
		}},
	}, c
}

// If a session ends between the check and the opening of its stream, the stream must not stay open
// for ever.
func TestStreamOfAnEndedSession(t *testing.T) {
	s, st, c := newTestStream(t)
	if err := s.Sessions.End(t.Context(), c.Tenant, c.Session); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if err := st.VisitGetLiveResponse(w); !errs.Is(err, errs.Unauthenticated) || w.Body.Len() != 0 {
		t.Errorf("%v, %q", err, w.Body)
	}
	if n := st.server.Live.Screens(); n != 0 {
		t.Errorf("%d screens are left", n)
	}
}

// failingWriter is a broken connection.
type failingWriter struct{ *httptest.ResponseRecorder }

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("reset by peer") }

// A screen whose connection is broken is closed, without an error.
func TestStreamToABrokenConnection(t *testing.T) {
	_, st, _ := newTestStream(t)
	if err := st.VisitGetLiveResponse(failingWriter{httptest.NewRecorder()}); err != nil {
		t.Error(err)
	}
	if n := st.server.Live.Screens(); n != 0 {
		t.Errorf("%d screens are left", n)
	}
}

// Outside of a call nobody is signed in, and the language is English.
func TestRequestFromOutsideCall(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if c := caller(r.Context()); c != (identity.Caller{}) || requestFrom(r.Context()).Language != "en-us" {
		t.Errorf("%+v", c)
	}
}
