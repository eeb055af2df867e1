package server

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Lines are counted whatever attributes and groups the logger has, and are written as before.
func TestLogLinesAreCounted(t *testing.T) {
	out, m := &bytes.Buffer{}, newMetrics()
	logger := m.countingLogger(slog.New(slog.NewTextHandler(out, nil)))
	logger.Debug("not written")
	logger.Info("fine")
	logger.Warn("hm")
	logger.With("device", "a").Error("one")
	logger.WithGroup("mail").With("to", "b").Error("two", "try", 3)
	page := httptest.NewRecorder()
	m.handler().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	for _, line := range []string{`tilth_log_lines_total{level="error"} 2`, `tilth_log_lines_total{level="warn"} 1`} {
		if !strings.Contains(page.Body.String(), line+"\n") {
			t.Errorf("%s is not in\n%s", line, page.Body)
		}
	}
	for _, part := range []string{"msg=fine", "msg=one device=a", "msg=two mail.to=b mail.try=3"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%s is not in\n%s", part, out)
		}
	}
	if strings.Count(out.String(), "\n") != 4 {
		t.Errorf("written:\n%s", out)
	}
}
