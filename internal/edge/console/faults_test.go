package console_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// failingReadings returns errors in place of the readings store.
type failingReadings struct{ fail func() error }

func (f failingReadings) Newest(context.Context, tenant.ID, device.ID) []reading.Newest {
	if err := f.fail(); err != nil {
		panic(err)
	}
	return nil
}

func (f failingReadings) NewestOf(
	context.Context, tenant.ID, device.ID, device.PropertyID,
) (reading.Newest, bool) {
	if err := f.fail(); err != nil {
		panic(err)
	}
	return reading.Newest{}, false
}

func (f failingReadings) CurvesFor(context.Context, device.Ref) reading.Curves { return nil }

func (f failingReadings) Downsample(
	context.Context,
	tenant.ID,
	device.ID,
	int64,
	int64,
	[]device.PropertyID,
	int,
) (map[device.PropertyID]reading.Downsampled, error) {
	return nil, f.fail()
}

func (f failingReadings) DownsampleRows(
	context.Context,
	tenant.ID,
	device.ID,
	int64,
	int64,
	[]device.PropertyID,
	int,
	func(int64),
	func(int64, []reading.Field) error,
) error {
	return f.fail()
}

func (f failingReadings) Columns(
	context.Context,
	tenant.ID,
	device.ID,
	int64,
	int64,
	[]device.PropertyID,
	func(*reading.Columns) error,
) error {
	return f.fail()
}

func (f failingReadings) Aggregates(
	context.Context,
	tenant.ID,
	device.ID,
	int64,
	int64,
	[]device.PropertyID,
	reading.Step,
) (map[device.PropertyID][]reading.Aggregate, error) {
	return nil, f.fail()
}

func (f failingReadings) ZoneAggregates(
	context.Context,
	tenant.ID,
	device.ID,
	int64,
	int64,
	[]device.PropertyID,
	reading.Step,
	*time.Location,
) (map[device.PropertyID][]reading.Aggregate, error) {
	return nil, f.fail()
}

func (failingReadings) Span() (from, to int64, ok bool) { return 0, 1 << 62, true }

func (f failingReadings) Range(
	context.Context,
	tenant.ID,
	device.ID,
	int64,
	int64,
	[]device.PropertyID,
	func(int64, []reading.Field) error,
) error {
	return f.fail()
}

func (f failingReadings) Coverage(
	context.Context,
	tenant.ID,
	device.ID,
	int64,
	int64,
	*time.Location,
) ([]reading.CoveredDay, error) {
	return nil, f.fail()
}

func (f failingReadings) Phases(
	context.Context,
	tenant.ID,
	device.ID,
	device.PropertyID,
	int64,
	int64,
	time.Duration,
	func(reading.Phase) error,
) error {
	return f.fail()
}

// A fault of the server has code 500 in the envelope. It reveals nothing internal, and the log has
// it with the request's id.
func TestServerFaultIsHidden(t *testing.T) {
	cause := errors.New("pebble: disk /var/lib/secret-place is on fire")
	w := newServer(t, func(o *console.Options) { o.Readings = failingReadings{func() error { return cause }} })
	a := w.Do(t, w.get(w.series("WS-1", "rain")))
	if a.Status != 200 || a.Code != 500 || a.Msg != "Unknown system error" || strings.Contains(string(a.Body), "fire") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	for _, want := range []string{"level=ERROR", "request=" + a.Header.Get("X-Request-Id"), "call=getTimeIntervalDataMap", "on fire", fmt.Sprint("tenant=", w.field.ID), fmt.Sprint("user=", w.field.Ada.ID)} {
		if !strings.Contains(w.Log.Text(), want) {
			t.Errorf("the log lacks %s: %s", want, w.Log.Text())
		}
	}
}

// A panic gets the same answer, and the server goes on.
func TestPanic(t *testing.T) {
	broken := true
	w := newServer(t, func(o *console.Options) {
		o.Readings = failingReadings{func() error {
			if broken {
				return errors.New("index out of range")
			}
			return nil
		}}
	})
	for range 3 {
		a := w.Do(t, w.get(lastPath+"?deviceName=WS-1"))
		if a.Status != 200 || a.Code != 500 || strings.Contains(string(a.Body), "index") {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		if log := w.Log.Text(); !strings.Contains(log, "msg=panic request="+a.Header.Get("X-Request-Id")) ||
			!strings.Contains(log, "faults_test.go") {
			t.Errorf("the log lacks the place of the panic: %s", log)
		}
	}
	broken = false
	if a := w.Do(t, w.get(lastPath+"?deviceName=WS-1")); a.Code != 200 {
		t.Errorf("%s", a.Body)
	}
}

// A device takes 200 for "stored on disk". So a panic of the devices' edge must not answer 200, and
// half an answer must not look complete.
func TestPanicOutsideTheCalls(t *testing.T) {
	w := newServer(t, func(o *console.Options) {
		o.Telemetry = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("no disk") })
		o.Web = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/abort" {
				panic(http.ErrAbortHandler)
			}
			_, _ = w.Write([]byte("half"))
			panic("the other half")
		})
	})
	post := httptest.NewRequest(http.MethodPost, "/api/v1/some-secret/telemetry", strings.NewReader(`{"a":1}`))
	rec := httptest.NewRecorder()
	w.Handler.ServeHTTP(rec, post)
	if rec.Code != http.StatusInternalServerError || strings.Contains(rec.Body.String(), "disk") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	report := httptest.NewRequest(http.MethodGet, "/weatherstation/updateweatherstation.php?PASSWORD=some-secret", nil)
	rec = httptest.NewRecorder()
	w.Handler.ServeHTTP(rec, report)
	if rec.Code != http.StatusInternalServerError {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	base := w.Serve(t)
	for _, path := range []string{"/half", "/abort"} {
		res, err := http.Get(base + path)
		if err == nil {
			var body bytes.Buffer
			_, err = body.ReadFrom(res.Body)
			_ = res.Body.Close()
		}
		if err == nil {
			t.Errorf("%s: the client took a broken answer for a whole one", path)
		}
	}
	log := w.Log.Text()
	if !strings.Contains(log, "the other half") || strings.Contains(log, "some-secret") {
		t.Errorf("%s", log)
	}
}

// Overload is HTTP 503 and says when to try again.
func TestOverload(t *testing.T) {
	w := newServer(t, func(o *console.Options) {
		o.Readings = failingReadings{func() error { return errs.New(errs.Unavailable, "error.503") }}
	})
	a := w.Do(t, w.get(w.series("WS-1", "rain")))
	if a.Status != 503 || a.Code != 503 || a.Header.Get("Retry-After") != "1" ||
		a.Msg != "The server is busy. Try again in a moment" {
		t.Errorf("%d %s, Retry-After %q", a.Status, a.Body, a.Header.Get("Retry-After"))
	}
}

// If the disk could not store something, the answer says so in the caller's language, with when to
// try again. It has HTTP 200, because the call reached its handler.
func TestDiskFullIsReported(t *testing.T) {
	w := newServer(t, func(o *console.Options) {
		o.Readings = failingReadings{func() error {
			full := errors.New("database or disk is full")
			return errs.New(errs.StorageFailure, "error.disk").RetryAfter(30 * time.Second).WithCause(full)
		}}
	})
	for language, want := range map[string]string{
		"en-us": "Nothing can be saved: the server’s disk is full", "zh-cn": "服务器磁盘已满", "tr-tr": "sunucunun diski dolu", "ru-ru": "диск сервера заполнен",
	} {
		call := w.get(w.series("WS-1", "rain"))
		call.Header = map[string]string{"Accept-Language": language}
		a := w.Do(t, call)
		if a.Status != 200 || a.Code != 503 || a.Header.Get("Retry-After") != "30" || !strings.Contains(a.Msg, want) {
			t.Errorf("%s: %d %s, Retry-After %q", language, a.Status, a.Body, a.Header.Get("Retry-After"))
		}
	}
}

// A client that has left gets no answer, and its leaving is no fault of the server.
func TestClientGone(t *testing.T) {
	w := newServer(t)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	rec := httptest.NewRecorder()
	call := w.get(userPath)
	w.Handler.ServeHTTP(rec, call.Request(ctx, ""))
	if rec.Body.Len() != 0 {
		t.Errorf("answered %s", rec.Body)
	}
	if log := w.Log.Text(); strings.Contains(log, "level=ERROR") {
		t.Errorf("%s", log)
	}
}

// No secret gets into the log, however the request fails: no token, password or device secret, no
// query string, no body.
func TestLogHoldsNoSecrets(t *testing.T) {
	w := newServer(t)
	const secret = "s3cr3t"
	long := strings.Repeat(secret, 60)
	calls := []testkit.Call{
		w.get(pagePath + "?deviceName=" + secret),
		w.get(pagePath + "?deviceName=" + long),
		w.get(pagePath + "?pageNo=" + secret),
		w.get(pagePath + "?onlineState=" + secret),
		w.get(pagePath + "?onlineState=7&x=" + secret),
		w.get(pagePath + "?executionId=" + secret + "&groupId=" + secret),
		w.get(pagePath + "?%zz=" + secret),
		w.get(lastPath + "?deviceName=" + secret),
		w.get(w.series("WS-1", secret)),
		w.get(w.series("WS-1", "rain") + "&points=" + secret),
		w.get("/admin-api/" + secret),
		{Path: pagePath, Token: secret},
		{Path: livePath, Token: w.ada + secret, Header: map[string]string{"Last-Event-ID": secret}},
		refreshCall(secret), refreshCall(long),
		loginCall("field", "ada", secret), loginCall("field", "ada", long), loginCall(long, secret, secret),
		{Method: "POST", Path: loginPath, Body: `{"password":"` + secret + `"`},
		{Method: "POST", Path: loginPath, Body: `{"password":{"` + secret + `":1}}`},
		{Method: "POST", Path: loginPath, Body: secret},
		{Method: "POST", Path: loginPath, Body: secret, Header: map[string]string{"Content-Type": secret}},
		{Path: overviewPath, Token: w.ada, Header: map[string]string{"Time-Zone": secret, "tenant-id": secret}},
		{Path: "/" + secret + "?a=" + secret},
		{Method: "POST", Path: "/api/v1/" + secret, Body: secret},
		{Path: "/weatherstation/x?ID=WS-1&PASSWORD=" + secret},
	}
	for _, call := range calls {
		w.Do(t, call)
	}
	session := w.Do(t, loginCall("field", "ada", testkit.Password))
	log := w.Log.Text()
	if strings.Contains(log, secret) || strings.Contains(log, testkit.Password) || strings.Contains(log, w.ada) {
		for line := range strings.Lines(log) {
			if strings.Contains(line, secret) || strings.Contains(line, w.ada) {
				t.Errorf("logged: %s", line)
			}
		}
	}
	for _, call := range []string{"call=loginUsername", "call=getDevicePage", "call=refreshToken", session.Header.Get("X-Request-Id")} {
		if !strings.Contains(log, call) {
			t.Errorf("the log has no line of %s", call)
		}
	}
}
