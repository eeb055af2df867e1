package httpbase

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

func post(body string) *http.Request {
	return httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
}

func TestBodyLimits(t *testing.T) {
	for _, within := range []time.Duration{0, time.Minute} { // a writer without deadlines gets none
		for text, tooLarge := range map[string]bool{"0123456789": false, "0123456789+": true} {
			r := post(text)
			if err := (BodyLimits{Bytes: 10, ReadTimeout: within}).Apply(minimalWriter{}, r); err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(r.Body)
			large, ok := errors.AsType[*http.MaxBytesError](err)
			if string(body) != "0123456789" || ok != tooLarge || ok && large.Limit != 10 ||
				tooLarge && ViolationOf(err).Rule != RuleTooLarge {
				t.Errorf("%q: %q, %v", text, body, err)
			}
		}
	}
}

// closedConn is a connection that is closed.
type closedConn struct{ http.ResponseWriter }

func (closedConn) SetReadDeadline(time.Time) error { return net.ErrClosed }

func TestBodyLimitsOnClosedConnection(t *testing.T) {
	limits := BodyLimits{Bytes: 10, ReadTimeout: time.Minute}
	if err := limits.Apply(closedConn{}, post("x")); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	r := post("x")
	limits.ApplyOnRead(closedConn{}, r)
	if body, err := io.ReadAll(r.Body); !errors.Is(err, net.ErrClosed) || len(body) > 0 {
		t.Errorf("%q, %v", body, err)
	}
}

// The time of a body that waits for its turn begins with its first read, and ends with the body.
func TestBodyTimeoutOnRead(t *testing.T) {
	const within = 50 * time.Millisecond
	ended := make(chan error, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		BodyLimits{Bytes: 10, ReadTimeout: within}.ApplyOnRead(NewStatusWriter(w), r)
		time.Sleep(2 * within) // it has its turn only now
		body, err := io.ReadAll(r.Body)
		if err == nil {
			select {
			case <-r.Context().Done():
				err = r.Context().Err()
			case <-time.After(2 * within):
			}
		}
		ended <- fmt.Errorf("%s: %w", body, err)
	}))
	defer s.Close()
	for body, want := range map[string]error{"ha": os.ErrDeadlineExceeded, "hallo": nil} {
		nc, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(nc, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"+body); err != nil {
			t.Fatal(err)
		}
		err = testkit.Receive(t, "the end of reading", ended)
		if !strings.HasPrefix(err.Error(), body+":") || want != nil && !errors.Is(err, want) ||
			want == nil && errors.Unwrap(err) != nil {
			t.Errorf("%q: %v", body, err)
		}
		nc.Close()
	}
}

// A body is empty or exactly one JSON text; further text is refused.
func TestNormalizeJSON(t *testing.T) {
	for body, one := range map[string]bool{
		``: true, `{}`: true, " [1, 2]\r\n\t": true, `null`: true, `7`: true, `"x"`: true,
		` `: false, `{`: false, `{}{}`: false, `{} garbage`: false, `{}]`: false, `{},`: false, "{}\x00": false, `1 2`: false, `{'a':1}`: false, `garbage`: false,
	} {
		r := post("")
		err := NormalizeJSON(r, []byte(body))
		if one != (err == nil) {
			t.Errorf("%q: %v", body, err)
			continue
		}
		if again, err := io.ReadAll(r.Body); one && (err != nil || string(again) != body) {
			t.Errorf("%q is read again as %q, %v", body, again, err)
		}
		if !one && !errors.Is(err, ErrNotJSON) {
			t.Errorf("%q: %v", body, err)
		}
	}
	for body, text := range map[string]bool{
		`{"a":"北 \ud83c\udf31 \\ud800 \u00e9"}`: true, `"\ud83c\udf31"`: true, `"\\\ud83c\udf31"`: true, `"\"\/\n"`: true, `"\ufffd"`: true,
		// the last one is half a surrogate pair in UTF-8
		"\"a\xffb\"": false, "{\"\xc3\":1}": false, "\xff": false, "\"\xed\xa0\x80\"": false,
		`"\ud83c"`: false, `"\udf31"`: false, `"\udf31\ud83c"`: false, `"\uD83Cx"`: false, `"\ud83c\n"`: false, `"\ud83c\u0041"`: false, `{"\ud83c":1}`: false, `"\\\ud83c"`: false,
	} {
		r := post("")
		err := NormalizeJSON(r, []byte(body))
		if text != (err == nil) || !text && !errors.Is(err, ErrNotUTF8) {
			t.Errorf("%q: %v", body, err)
		}
		if b := ViolationOf(err); !text && (b.Rule != RuleEncoding || b.Cause == nil) {
			t.Errorf("%q: %+v", body, b)
		}
	}
	r := post("")
	if err := NormalizeJSON(r, []byte(`{"a":1.0}`), NormalizeIntegers); err != nil {
		t.Fatal(err)
	}
	if again, _ := io.ReadAll(r.Body); string(again) != `{"a":1}` {
		t.Errorf("%s", again)
	}
}

func TestIsStorable(t *testing.T) {
	for text, want := range map[string]bool{"": true, "WS-1": true, "北": true, "\x00": false, "a\x00b": false} {
		if IsStorable(text) != want {
			t.Errorf("%q: not %t", text, want)
		}
	}
}
