package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tilth/internal/app"
	"tilth/internal/platform/limit"
)

// The metrics report by limit what was refused, what is remembered and what was evicted.
func TestLimitMetrics(t *testing.T) {
	s := &Server{metrics: newMetrics(), Stores: &Stores{Stores: &app.Stores{Limits: &limit.Meter{}}}}
	s.describeLimits()
	at := time.Now()
	calls := limit.NewFixedWindows[int](
		limit.Options{Name: "calls", MaxKeys: 2, Now: func() time.Time { return at }, Meter: s.Stores.Limits},
		1,
		time.Minute,
	)
	for caller := range 5 {
		calls.Allow(caller)
		calls.Allow(caller)
	}
	limit.NewSlots[string](limit.Options{Name: "streams", Meter: s.Stores.Limits}, 1, 0).Enter("ada")
	page := httptest.NewRecorder()
	s.metrics.handler().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	for _, line := range []string{
		"# TYPE tilth_limit_refused_total counter", `tilth_limit_refused_total{limit="calls"} 5`, `tilth_limit_refused_total{limit="streams"} 0`,
		"# TYPE tilth_limit_forgiven_total counter", `tilth_limit_forgiven_total{limit="calls"} 3`,
		"# TYPE tilth_limit_entries gauge", `tilth_limit_entries{limit="calls"} 2`, `tilth_limit_entries{limit="streams"} 1`,
	} {
		if !strings.Contains(page.Body.String(), line+"\n") {
			t.Errorf("%s is not in\n%s", line, page.Body)
		}
	}
}
