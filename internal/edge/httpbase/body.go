package httpbase

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrNotJSON says that a body is neither empty nor exactly one JSON text.
var ErrNotJSON = errors.New("the body is not one JSON text")

// ErrNotUTF8 says that a body is no UTF-8, or stands for what cannot be written
// in it.
var ErrNotUTF8 = errors.New("the body is not UTF-8")

// BodyLimits are what reading a request's body may take.
type BodyLimits struct {
	Bytes       int64         // reading more fails with an *http.MaxBytesError
	ReadTimeout time.Duration // from now; reading later fails with os.ErrDeadlineExceeded. 0: what the server has for every request
}

// Apply puts the limits on a request's body, whoever reads it. An error means that
// the connection is gone; a writer without deadlines has none.
func (l BodyLimits) Apply(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, l.Bytes)
	if l.ReadTimeout == 0 {
		return nil
	}
	err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(l.ReadTimeout))
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// Read reads a request's body as a whole, within the limits. What came before an
// error is given, too.
func (l BodyLimits) Read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := l.Apply(w, r); err != nil {
		return nil, err
	}
	return io.ReadAll(r.Body)
}

// NormalizeJSON reads a request's body, which must be one JSON text or empty, and puts
// it back to be read again, as mend makes it: those who read JSON from a stream
// know nothing of what follows the first text, and write U+FFFD in the place of
// what is no UTF-8. Limits are put on the body before.
func NormalizeJSON(r *http.Request, transforms ...func(text []byte) []byte) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if !utf8.Valid(body) {
		return ErrNotUTF8
	}
	if len(body) > 0 && !json.Valid(body) {
		return ErrNotJSON
	}
	if hasLoneSurrogate(body) {
		return ErrNotUTF8
	}
	for _, f := range transforms {
		body = f(body)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// hasLoneSurrogate tells whether a JSON text has an escape of half a surrogate pair
// without the other half: it stands for no character.
func hasLoneSurrogate(text []byte) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		first, ok := utf16Escape(text, i)
		switch {
		case !ok || !utf16.IsSurrogate(first):
		case i+6 < len(text) && text[i+5] == '\\':
			second, _ := utf16Escape(text, i+6)
			if utf16.DecodeRune(first, second) == utf8.RuneError {
				return true
			}
			i += 6
		default:
			return true
		}
	}
	return false
}

// utf16Escape is the number of the escape u followed by four hex digits, at i.
func utf16Escape(text []byte, i int) (rune, bool) {
	if text[i] != 'u' || i+5 > len(text) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[i+1:i+5]), 16, 16)
	return rune(n), err == nil
}

// IsStorable tells whether a text can be what somebody means: one with a NUL
// character cannot, as no name has one and no database takes it.
func IsStorable(text string) bool { return !strings.ContainsRune(text, 0) }
