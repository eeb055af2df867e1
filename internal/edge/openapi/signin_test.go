package openapi_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tilth/internal/edge/openapi"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func TestSignIn(t *testing.T) {
	w := newFixture(t)
	basic := func(text string) map[string]string {
		return map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(text))}
	}
	for name, header := range map[string]map[string]string{
		"nothing":          {},
		"a wrong secret":   basic(w.fieldKey.appKey + ":" + w.rivalKey.secret),
		"no secret":        basic(w.fieldKey.appKey + ":"),
		"no key":           basic(":" + w.fieldKey.secret),
		"no colon":         basic(w.fieldKey.appKey),
		"no base64":        {"Authorization": "Basic ???"},
		"a bearer's token": {"Authorization": "Bearer " + w.Session(t, w.field.Ada).Access},
		"a person":         basic("ada:correct horse battery"),
	} {
		for _, path := range []string{"/devices", "/devices/WS-1", "/devices/WS-1/history?from=0", "/notices"} {
			p := w.mustRefuse(t, call{path: path, as: &key{}, header: header}, http.StatusUnauthorized)
			if p.Code != "unauthorized" || strings.Contains(p.Detail, w.fieldKey.appKey) {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
	if err := w.Credentials.Toggle(t.Context(), w.field.ID, w.field.Ada.ID, w.credential.ID); err != nil {
		t.Fatal(err)
	}
	w.mustRefuse(t, call{path: "/devices"}, http.StatusUnauthorized)
	if log := w.Log.Text(); strings.Contains(log, w.fieldKey.secret) || strings.Contains(log, w.fieldKey.appKey) ||
		strings.Contains(log, "from=0") {
		t.Errorf("the log holds a secret: %s", log)
	}
}

// A client that guesses is refused for a while; others are not, and neither are clients that first
// ask without a credential.
func TestFailedSignInLimit(t *testing.T) {
	w := newFixture(t)
	wrong := key{w.fieldKey.appKey, "wrong"}
	for range 60 {
		w.mustRefuse(t, call{path: "/devices", as: &key{}, from: "2001:db8::1"}, http.StatusUnauthorized)
	}
	for i := range 60 {
		w.mustRefuse(
			t,
			call{path: "/devices", as: &wrong, from: fmt.Sprintf("2001:db8::%x", i+1)},
			http.StatusUnauthorized,
		)
	}
	a := w.do(t, call{path: "/devices", as: &wrong, from: "2001:db8::ffff"})
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "1" ||
		a.header.Get("RateLimit-Limit") != "" {
		t.Errorf("%d %v", a.status, a.header)
	}
	// A program with a valid key is not affected at the same address.
	ask[wire.DeviceList](t, w, call{path: "/devices", from: "2001:db8::ffff"})
	w.mustRefuse(t, call{path: "/devices", as: &wrong, from: "2001:db8:0:1::1"}, http.StatusUnauthorized)
	w.Clock.Advance(time.Second)
	w.mustRefuse(t, call{path: "/devices", as: &wrong, from: "2001:db8::ffff"}, http.StatusUnauthorized)
}

// Each credential has a budget that refills evenly.
func TestCredentialRateLimit(t *testing.T) {
	w := newFixture(t, func(o *openapi.Options) { o.Rate = 6 })
	_, other := w.newKey(t, w.field.Bora)
	rates := func(a *answer) string {
		return fmt.Sprint(
			a.status,
			" ",
			a.header.Get("RateLimit-Limit"),
			" ",
			a.header.Get("RateLimit-Remaining"),
			" ",
			a.header.Get("RateLimit-Reset"),
			" ",
			a.header.Get("Retry-After"),
		)
	}
	for i, want := range []string{"200 6 5 10 ", "404 6 4 20 ", "400 6 3 30 ", "200 6 2 40 ", "200 6 1 50 ", "200 6 0 60 ", "429 6 0 60 10", "429 6 0 60 10"} {
		path := "/notices"
		switch i {
		case 1:
			path = "/devices/none"
		case 2:
			path = "/devices?limit=0"
		}
		if got := rates(w.do(t, call{path: path})); got != want {
			t.Errorf("request %d: %s, want %s", i, got, want)
		}
	}
	if got := rates(w.do(t, call{path: "/devices", as: &other})); got != "200 6 5 10 " {
		t.Errorf("another user's credential: %s", got)
	}
	p := w.mustRefuse(
		t,
		call{path: "/notices", header: map[string]string{"Accept-Language": "ru"}},
		http.StatusTooManyRequests,
	)
	if p.Code != "tooMany" || p.Detail != "Слишком много запросов. Повторите через 10\u00a0с" {
		t.Errorf("%+v", p)
	}
	w.Clock.Advance(15 * time.Second)
	for i, want := range []string{"200 6 0 55 ", "429 6 0 55 5"} {
		if got := rates(w.do(t, call{path: "/notices"})); got != want {
			t.Errorf("later, request %d: %s, want %s", i, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	w := newFixture(t)
	for _, c := range []struct {
		method, path    string
		status          int
		code, parameter string
	}{
		{"GET", "/nothing", 404, "notFound", ""},
		{"GET", "/devices/", 404, "notFound", ""},
		{"GET", "//devices", 404, "notFound", ""},
		{"GET", "/devices/../notices", 404, "notFound", ""},
		{"GET", "/devices/%2E%2E", 404, "notFound", ""},
		{"GET", "/devices/WS-1/latest/x", 404, "notFound", ""},
		{"GET", "/open-api/v2/devices", 404, "notFound", ""},
		{"POST", "/devices", 405, "notAllowed", ""},
		{"DELETE", "/notices/1", 405, "notAllowed", ""},
		{"HEAD", "/devices", 405, "notAllowed", ""},
		{"POST", "/open-api/", 405, "notAllowed", ""},
		{"GET", "/devices?limit=0", 400, "invalid", "limit"},
		{"GET", "/devices?limit=401", 400, "invalid", "limit"},
		{"GET", "/devices?limit=ten", 400, "invalid", "limit"},
		{"GET", "/devices?limit=99999999999999999999", 400, "invalid", "limit"},
		{"GET", "/devices?online=perhaps", 400, "invalid", "online"},
		{"GET", "/devices?online=1", 400, "invalid", "online"},
		{"GET", "/devices?online=F", 400, "invalid", "online"},
		{"GET", "/devices?online=TRUE", 400, "invalid", "online"},
		{"GET", "/devices?onlin=true", 400, "invalid", "onlin"},
		{"GET", "/devices?search=", 400, "invalid", "search"},
		{"GET", "/devices?search=a&search=b", 400, "invalid", "search"},
		{"GET", "/devices?search=%00", 400, "invalid", "search"},
		{"GET", "/devices?search=" + strings.Repeat("x", 65), 400, "invalid", "search"},
		{"GET", "/devices?search=%zz", 400, "invalid", ""},
		{"GET", "/devices/%00", 400, "invalid", "deviceName"},
		{"GET", "/devices/" + strings.Repeat("x", 65), 400, "invalid", "deviceName"},
		{"GET", "/notices?status=closed", 400, "invalid", "status"},
		{"GET", "/notices?level=0", 400, "invalid", "level"},
		{"GET", "/notices?from=yesterday", 400, "invalid", "from"},
		{"GET", "/notices?from=2&to=1", 400, "invalid", "to"},
		{"GET", "/notices/0", 400, "invalid", "id"},
		{"GET", "/notices/99999999999999999999", 400, "invalid", "id"},
		{"GET", "/devices/WS-1/history", 400, "invalid", "from"},
		{"GET", "/devices/WS-1/history?from=", 400, "invalid", "from"},
		{"GET", "/devices/WS-1/history?from=2026-13-01T00:00:00Z", 400, "invalid", "from"},
		{"GET", "/devices/WS-1/history?from=2026-11-21", 400, "invalid", "from"},
		{"GET", "/devices/WS-1/history?from=-1", 400, "invalid", "from"},
		{"GET", "/devices/WS-1/history?from=253402300800000", 400, "invalid", "from"},
		{"GET", "/devices/WS-1/history?from=0&to=never", 400, "invalid", "to"},
		{"GET", "/devices/WS-1/history?from=2&to=1", 400, "invalid", "to"},
		{"GET", "/devices/WS-1/history?from=0&properties=airTemperature,none", 400, "invalid", "properties"},
		{"GET", "/devices/WS-1/history?from=0&properties=" + strings.Repeat("x,", 64) + "x", 400, "invalid", "properties"},
		{"GET", "/devices/WS-1/history?from=0&format=xml", 400, "invalid", "format"},
		{"GET", "/devices/WS-1/history?from=0&limit=50001", 400, "invalid", "limit"},
		{"GET", "/devices/WS-1/history?from=0&format=csv&limit=10000001", 400, "invalid", "limit"},
		{"GET", "/devices/WS-9/history?from=0", 404, "notFound", ""},
	} {
		p := w.mustRefuse(t, call{method: c.method, path: c.path}, c.status)
		if p.Code != c.code || p.Parameter != c.parameter || p.Type != "about:blank" ||
			c.parameter != "" && !strings.HasPrefix(p.Detail, c.parameter+": ") {
			t.Errorf("%s %s: %+v", c.method, c.path, p)
		}
	}
	for language, want := range map[string]string{
		"en": "limit: at most 400", "zh-CN": "limit：不能大于400", "tr-TR": "limit: en fazla 400", "ru": "limit: не больше 400",
	} {
		p := w.mustRefuse(
			t,
			call{path: "/devices?limit=500", header: map[string]string{"Accept-Language": language}},
			http.StatusBadRequest,
		)
		if p.Detail != want {
			t.Errorf("%s: %s", language, p.Detail)
		}
	}
}

// The answer to a fault of the server has no details, and the server goes on.
func TestServerFaultsAreHidden(t *testing.T) {
	s := &testkit.ObservedStore{}
	w := newFixture(t, func(o *openapi.Options) { s.Store = o.Stores.Readings; o.Readings = s })
	s.Each = func(context.Context, int) error { panic("out of luck: secret detail") }
	p := w.mustRefuse(
		t,
		call{path: "/devices/WS-1/history?from=0&to=" + fmt.Sprint(w.Clock.Milli()+1)},
		http.StatusInternalServerError,
	)
	if p.Code != "internal" || p.Detail != "Unknown system error" {
		t.Errorf("%+v", p)
	}
	s.Each = func(context.Context, int) error { return errors.New("the disk is on fire") }
	p = w.mustRefuse(
		t,
		call{path: "/devices/WS-1/history?format=csv&from=0&to=" + fmt.Sprint(w.Clock.Milli()+1)},
		http.StatusInternalServerError,
	)
	if p.Code != "internal" || strings.Contains(p.Detail, "disk") {
		t.Errorf("%+v", p)
	}
	s.Each = func(context.Context, int) error {
		return errs.New(errs.StorageFailure, "error.disk").RetryAfter(30 * time.Second)
	}
	p = w.mustRefuse(
		t,
		call{path: "/devices/WS-1/history?format=csv&from=0&to=" + fmt.Sprint(w.Clock.Milli()+1)},
		http.StatusServiceUnavailable,
	)
	if p.Code != "unavailable" || !strings.Contains(p.Detail, "disk is full") {
		t.Errorf("%+v", p)
	}
	s.Each = nil
	if err := w.readings.Close(); err != nil {
		t.Fatal(err)
	}
	history := call{path: "/devices/WS-1/history?from=0"}
	if p := w.mustRefuse(t, history, http.StatusServiceUnavailable); p.Code != "unavailable" {
		t.Errorf("%+v", p)
	}
	if log := w.Log.Text(); !strings.Contains(log, "secret detail") || !strings.Contains(log, "on fire") ||
		!strings.Contains(log, `level=ERROR msg="open API"`) {
		t.Errorf("%s", log)
	}
	if err := w.DB.Close(); err != nil {
		t.Fatal(err)
	}
	if p := w.mustRefuse(t, call{path: "/devices"}, http.StatusServiceUnavailable); p.Code != "unavailable" {
		t.Errorf("without a database: %+v", p)
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, call{path: "/open-api/"}.request(t, w, "http://tilth.test"))
	if rec.Code != http.StatusOK {
		t.Errorf("the page: %d", rec.Code)
	}
}
