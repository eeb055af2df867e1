package acme

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"go.uber.org/zap/zapcore"
)

// zapToSlog passes certmagic's log lines to our logger. Its info lines help only in an
// investigation, so they become debug lines.
type zapToSlog struct {
	logger *slog.Logger
	fields []zapcore.Field
}

func level(l zapcore.Level) slog.Level {
	if l >= zapcore.WarnLevel {
		return slog.LevelWarn // onEvent logs failures as errors
	}
	return slog.LevelDebug
}

func (c zapToSlog) Enabled(l zapcore.Level) bool {
	return c.logger.Enabled(context.Background(), level(l))
}

func (c zapToSlog) With(fields []zapcore.Field) zapcore.Core {
	return zapToSlog{logger: c.logger, fields: slices.Concat(c.fields, fields)}
}

func (c zapToSlog) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return to.AddCore(e, c)
	}
	return to
}

func (c zapToSlog) Write(e zapcore.Entry, fields []zapcore.Field) error {
	values := zapcore.NewMapObjectEncoder()
	for _, f := range slices.Concat(c.fields, fields) {
		f.AddTo(values)
	}
	attrs := make([]slog.Attr, 0, len(values.Fields))
	for _, key := range slices.Sorted(maps.Keys(values.Fields)) {
		attrs = append(attrs, slog.Any(key, values.Fields[key]))
	}
	c.logger.LogAttrs(context.Background(), level(e.Level), "certificates: "+e.Message, attrs...)
	return nil
}

func (c zapToSlog) Sync() error { return nil }
