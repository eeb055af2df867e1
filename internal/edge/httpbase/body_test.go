package httpbase

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
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

// deadlines is a connection that notes the deadlines of reading.
type deadlines struct {
	http.ResponseWriter
	set []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// The time of a body that waits for its turn begins with its first read, and ends with the body.
func TestBodyTimeoutOnRead(t *testing.T) {
	conn, r := &deadlines{}, post("hallo")
	BodyLimits{Bytes: 10, ReadTimeout: time.Hour}.ApplyOnRead(NewStatusWriter(conn), r)
	if len(conn.set) > 0 {
		t.Errorf("before it is read: %v", conn.set)
	}
	read := func(want error) {
		t.Helper()
		if _, err := r.Body.Read(make([]byte, 5)); !errors.Is(err, want) {
			t.Errorf("%v, not %v", err, want)
		}
	}
	before := time.Now()
	read(nil)
	if len(conn.set) != 1 || conn.set[0].Before(before.Add(time.Hour)) || conn.set[0].After(time.Now().Add(time.Hour)) {
		t.Errorf("read from %v on: %v", before, conn.set)
	}
	read(io.EOF)
	if len(conn.set) != 2 || !conn.set[1].IsZero() {
		t.Errorf("after its end: %v", conn.set)
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
