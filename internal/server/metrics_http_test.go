package server

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestSide(t *testing.T) {
	for path, want := range map[string]string{
		"/mqtt": "", "/healthz": "", "/readyz": "", "/admin-api/client/pc/live": "",
		"/api/v1/telemetry": "devices", "/weatherstation/updateweatherstation.php": "devices", "/api/v1/integrations/chirpstack": "devices",
		"/admin-api/client/pc/home/scene": "console", "/app-api/member/auth/login-username": "console",
		"/open-api/v1/devices": "programs", "/": "pages", "/assets/index.js": "pages", "/adminapi": "pages",
	} {
		if got := side(path); got != want {
			t.Errorf("%s: the side is %q, want %q", path, got, want)
		}
	}
}

// Each answer is counted once by its status, even if it is cut off; requests that stay open are not
// counted. Handlers still reach the underlying connection.
func TestRequestDurationsAreMeasured(t *testing.T) {
	s := &Server{metrics: newMetrics()}
	h := s.measureRequests(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/full":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/cut":
			panic(http.ErrAbortHandler)
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
	}))
	for _, path := range []string{"/", "/", "/cut", "/api/v1/full", "/healthz", "/app-api/x"} {
		func() {
			defer func() {
				p := recover()
				if err, is := p.(error); p != nil && !(is && errors.Is(err, http.ErrAbortHandler)) {
					panic(p)
				}
			}()
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, http.NoBody))
		}()
	}
	families, err := s.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]uint64{}
	for _, f := range families {
		if f.GetName() != "tilth_http_request_seconds" {
			continue
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			got[strings.Join(labels, " ")] = m.GetHistogram().GetSampleCount()
		}
	}
	for labels, want := range map[string]uint64{"pages 2xx": 3, "devices 5xx": 1, "console 2xx": 1} {
		if got[labels] != want {
			t.Errorf("%s: %d, want %d", labels, got[labels], want)
		}
	}
	if len(got) != 3 {
		t.Errorf("counted: %v", got)
	}
}
