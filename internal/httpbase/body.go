package httpbase

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// ErrNotOneText says that a body is neither empty nor exactly one JSON text.
var ErrNotOneText = errors.New("the body is not one JSON text")

// Limits are what reading a request's body may take.
type Limits struct {
	Bytes  int64         // reading more fails with an *http.MaxBytesError
	Within time.Duration // from now; reading later fails with os.ErrDeadlineExceeded. 0: what the server has for every request
}

// On puts the limits on a request's body, whoever reads it. An error means that
// the connection is gone; a writer without deadlines has none.
func (l Limits) On(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, l.Bytes)
	if l.Within == 0 {
		return nil
	}
	err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(l.Within))
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// Read reads a request's body as a whole, within the limits. What came before an
// error is given, too.
func (l Limits) Read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := l.On(w, r); err != nil {
		return nil, err
	}
	return io.ReadAll(r.Body)
}

// OneText reads a request's body, which must be one JSON text or empty, and puts
// it back to be read again, as mend makes it: those who read JSON from a stream
// know nothing of what follows the first text. Limits are put on the body before.
func OneText(r *http.Request, mend ...func(text []byte) []byte) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if len(body) > 0 && !json.Valid(body) {
		return ErrNotOneText
	}
	for _, f := range mend {
		body = f(body)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// Keepable tells whether a text can be what somebody means: one with a NUL
// character cannot, as no name has one and no database takes it.
func Keepable(text string) bool { return !strings.ContainsRune(text, 0) }
