package acme

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"go.uber.org/zap/zapcore"
)

// core hands certmagic's log to ours. What it tells as it goes along is of use
// when something is looked for, so it counts as debug.
type core struct {
	log  *slog.Logger
	with []zapcore.Field
}

func level(l zapcore.Level) slog.Level {
	if l >= zapcore.WarnLevel {
		return slog.LevelWarn // what matters is told once more, by note
	}
	return slog.LevelDebug
}

func (c core) Enabled(l zapcore.Level) bool { return c.log.Enabled(context.Background(), level(l)) }

func (c core) With(fields []zapcore.Field) zapcore.Core {
	return core{log: c.log, with: slices.Concat(c.with, fields)}
}

func (c core) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return to.AddCore(e, c)
	}
	return to
}

func (c core) Write(e zapcore.Entry, fields []zapcore.Field) error {
	values := zapcore.NewMapObjectEncoder()
	for _, f := range slices.Concat(c.with, fields) {
		f.AddTo(values)
	}
	attrs := make([]slog.Attr, 0, len(values.Fields))
	for _, key := range slices.Sorted(maps.Keys(values.Fields)) {
		attrs = append(attrs, slog.Any(key, values.Fields[key]))
	}
	c.log.LogAttrs(context.Background(), level(e.Level), "certificates: "+e.Message, attrs...)
	return nil
}

func (c core) Sync() error { return nil }
