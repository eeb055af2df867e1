package ingest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A path names its methods to those who use another one.
func TestAllowedMethods(t *testing.T) {
	e := newEdge(t)
	overHTTP, integrations := NewHTTP(e.pipeline), NewLoRaWAN(e.pipeline, nil, nil)
	for _, test := range []struct {
		handler             http.Handler
		method, path, allow string
	}{
		{overHTTP, http.MethodGet, "/api/v1/" + secretOf("WS-1") + "/telemetry", "POST"},
		{overHTTP, http.MethodPut, "/api/v1/" + secretOf("WS-1") + "/attributes", "POST"},
		{overHTTP, http.MethodGet, ecowittPath("WS-1"), "POST"},
		{overHTTP, http.MethodPut, weatherStationPath, "GET, HEAD, POST"},
		{integrations, http.MethodGet, "/api/v1/integrations/chirpstack", "POST"},
		{integrations, http.MethodDelete, "/api/v1/integrations/thethingsstack", "POST"},
		{NewWebSocket(e.mqtt), http.MethodPost, "/mqtt", "GET"},
	} {
		w := httptest.NewRecorder()
		test.handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), test.method, test.path, nil))
		if got := w.Header().Get("Allow"); w.Code != http.StatusMethodNotAllowed || got != test.allow {
			t.Errorf("%s %s: %d, Allow %q, want %q", test.method, test.path, w.Code, got, test.allow)
		}
	}
}
