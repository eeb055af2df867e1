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

// ErrNotUTF8 says that a body is not UTF-8, or has an escape that UTF-8 cannot represent.
var ErrNotUTF8 = errors.New("the body is not UTF-8")

// BodyLimits limit the reading of a request's body.
type BodyLimits struct {
	Bytes int64 // reading more fails with an *http.MaxBytesError
	// from now; reading later fails with os.ErrDeadlineExceeded. 0: the server's timeout for all
	// requests
	ReadTimeout time.Duration
}

// Apply sets the limits on a request's body for every later reader. An error means that the
// connection is gone; a writer that supports no deadlines gets none.
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

// ApplyOnRead is Apply for a body that is read later, when its reader has its turn: ReadTimeout counts
// from the first read, and ends with the body.
func (l BodyLimits) ApplyOnRead(w http.ResponseWriter, r *http.Request) {
	r.Body = &timedBody{ReadCloser: http.MaxBytesReader(w, r.Body, l.Bytes), within: l.ReadTimeout,
		setDeadline: http.NewResponseController(w).SetReadDeadline}
}

// timedBody is a body with a deadline from its first read to its end.
type timedBody struct {
	io.ReadCloser
	within      time.Duration
	setDeadline func(time.Time) error
	begun       bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		if err := b.setDeadline(time.Now().Add(b.within)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return 0, err
		}
	}
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		// The deadline would end the request, not only its body, if answering takes longer.
		_ = b.setDeadline(time.Time{}) // the connection may be gone, which its next use says
	}
	return n, err
}

// NormalizeJSON sets the body of a request to a text that was read from it, changed by the
// transforms. The text must be empty or one JSON text. It is checked because decoders that read JSON
// from a stream ignore what follows the first text, and replace invalid UTF-8 by U+FFFD.
func NormalizeJSON(r *http.Request, body []byte, transforms ...func(text []byte) []byte) error {
	if !utf8.Valid(body) {
		return ErrNotUTF8
	}
	if len(body) > 0 && !json.Valid(body) {
		return ErrNotJSON
	}
	if HasLoneSurrogate(body) {
		return ErrNotUTF8
	}
	for _, f := range transforms {
		body = f(body)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// HasLoneSurrogate tells whether a JSON text has an escape of one half of a surrogate pair without
// the other half. Such an escape stands for no character.
func HasLoneSurrogate(text []byte) bool {
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

// utf16Escape returns the number of the escape at i: u followed by four hex digits.
func utf16Escape(text []byte, i int) (rune, bool) {
	if text[i] != 'u' || i+5 > len(text) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[i+1:i+5]), 16, 16)
	return rune(n), err == nil
}

// IsStorable tells whether the database can store a text. It cannot if the text has a NUL
// character, which no name has.
func IsStorable(text string) bool { return !strings.ContainsRune(text, 0) }
