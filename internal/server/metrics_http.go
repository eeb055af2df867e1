package server

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/ingest"
)

// measureRequests publishes how long answers take, by client and class of status. The status is
// that of HTTP: calls of the console report errors in their envelope, and faults of the server are
// in the log, whose lines are counted.
func (s *Server) measureRequests(next http.Handler) http.Handler {
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "tilth_http_request_seconds",
		Help:    "From a request's header to the last byte of its answer, by kind of client and status.",
		Buckets: []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
	}, []string{"side", "status"})
	s.metrics.registry.MustRegister(took)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		side := side(r.URL.Path)
		if side == "" {
			next.ServeHTTP(w, r)
			return
		}
		begin, seen := time.Now(), httpbase.NewStatusWriter(w)
		defer func() { // a handler panics to cut an answer off
			took.WithLabelValues(side, strconv.Itoa(seen.Status()/100)+"xx").Observe(time.Since(begin).Seconds())
		}()
		next.ServeHTTP(seen, r)
	})
}

// side is the kind of client. It is empty for requests that stay open, and for health checks.
func side(path string) string {
	switch {
	case path == "/mqtt", path == "/healthz", path == "/readyz", path == "/admin-api/client/pc/live":
		return ""
	case ingest.IsDevicePath(path):
		return "devices"
	case strings.HasPrefix(path, "/admin-api/"), strings.HasPrefix(path, "/app-api/"):
		return "console"
	case strings.HasPrefix(path, "/open-api/"):
		return "programs"
	}
	return "pages"
}
