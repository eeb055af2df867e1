package server

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// loggedLines counts the warnings and errors of the log.
type loggedLines struct{ warnings, errors atomic.Uint64 }

// countingLogger is a logger that also counts what it logs, and publishes the counts.
func (m *metrics) countingLogger(logger *slog.Logger) *slog.Logger {
	lines := &loggedLines{}
	m.labelled(
		"tilth_log_lines_total",
		"Warnings and errors in the log, by level.",
		"level",
		func() map[string]uint64 {
			return map[string]uint64{"warn": lines.warnings.Load(), "error": lines.errors.Load()}
		},
	)
	return slog.New(&countingLog{Handler: logger.Handler(), lines: lines})
}

type countingLog struct {
	slog.Handler
	lines *loggedLines
}

func (c *countingLog) Handle(ctx context.Context, r slog.Record) error {
	switch {
	case r.Level >= slog.LevelError:
		c.lines.errors.Add(1)
	case r.Level >= slog.LevelWarn:
		c.lines.warnings.Add(1)
	}
	return c.Handler.Handle(ctx, r)
}

func (c *countingLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &countingLog{Handler: c.Handler.WithAttrs(attrs), lines: c.lines}
}

func (c *countingLog) WithGroup(name string) slog.Handler {
	return &countingLog{Handler: c.Handler.WithGroup(name), lines: c.lines}
}
