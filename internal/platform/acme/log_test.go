package acme

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"go.uber.org/zap"
)

// certmagic's warnings are in our log with their values in order; its info lines are there only at
// debug level.
func TestCertmagicLogIsForwarded(t *testing.T) {
	for asked, want := range map[slog.Level]string{
		slog.LevelInfo: `level=WARN msg="certificates: will retry" attempt=2 error="no answer" identifier=farm.example` + "\n",
		slog.LevelDebug: `level=DEBUG msg="certificates: acquiring lock" identifier=farm.example` + "\n" +
			`level=WARN msg="certificates: will retry" attempt=2 error="no answer" identifier=farm.example` + "\n",
		slog.LevelError: "",
	} {
		var out bytes.Buffer
		log := zap.New(zapToSlog{logger: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: asked}))}).
			With(zap.String("identifier", "farm.example"))
		log.Info("acquiring lock")
		log.Error("will retry", zap.Error(errors.New("no answer")), zap.Int("attempt", 2))
		var got strings.Builder
		for line := range strings.Lines(out.String()) {
			_, after, _ := strings.Cut(line, " ") // the time
			got.WriteString(after)
		}
		if got.String() != want {
			t.Errorf("%v: %q, want %q", asked, got.String(), want)
		}
		if err := log.Sync(); err != nil {
			t.Error(err)
		}
	}
}
