package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"tilth/internal/platform/db"
	"tilth/internal/settings"
	"tilth/internal/tools/testkit"
)

// A client that asks for readiness learns that the database is down, but not its address. The
// server logs each failure once.
func TestUnreachableDatabaseIsLoggedOnce(t *testing.T) {
	log := testkit.NewLog()
	var fault error
	r := &databaseHealth{ping: func(context.Context) error { return fault }, logger: log.Logger}
	away := errors.New("failed to connect to user=tilth database=farm: 10.1.2.3:5432 refused")
	for _, step := range []struct{ fault, want error }{
		{nil, nil},
		{context.Canceled, errDatabaseDown},
		{away, errDatabaseDown},
		{away, errDatabaseDown},
		{nil, nil},
		{fmt.Errorf("the database farm on 10.1.2.3: %w", db.ErrTakenOver), db.ErrTakenOver},
	} {
		fault = step.fault
		if err := r.ready(t.Context()); err != step.want { //nolint:errorlint // the text is what is asked for
			t.Errorf("%v: %v, want %v", step.fault, err, step.want)
		}
	}
	text := log.Text()
	for part, times := range map[string]int{"level=ERROR": 1, away.Error(): 1, "level=INFO": 1, "context canceled": 0} {
		if n := strings.Count(text, part); n != times {
			t.Errorf("%q %d times, want %d:\n%s", part, n, times, text)
		}
	}
}

// The server's own readiness check reveals no more of its database.
func TestReadinessHidesDatabaseAddress(t *testing.T) {
	t.Parallel()
	database := ""
	if testkit.UsePostgres() {
		database = testkit.NewPostgres(t)
	}
	set := &settings.Server{
		DataDir:      t.TempDir(),
		DatabaseURL:  database,
		HTTPAddr:     testkit.AnyPort,
		MQTTAddr:     testkit.AnyPort,
		AdminAddr:    testkit.AnyPort,
		MessageLimit: 1 << 10,
	}
	s, err := New(t.Context(), set, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.ready.Store(true)
	if err := s.isReady(t.Context()); err != nil {
		t.Errorf("at first: %v", err)
	}
	if err := errors.Join(s.Stores.Close(), s.listeners.close()); err != nil {
		t.Fatal(err)
	}
	if err := s.isReady(t.Context()); !errors.Is(err, errDatabaseDown) {
		t.Errorf("without a database: %v", err)
	}
}
