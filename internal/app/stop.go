package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"
)

// A stop takes no longer than stopTimeout, as promised, whatever clients do: each of
// its steps has a time of its own, and what is not over by then is cut off.
const (
	stopTimeout = 10 * time.Second

	clientsTimeout  = 3 * time.Second         // devices, people, programs and the provider finish what they began
	pipelineTimeout = 2 * time.Second         // what they handed over is on disk
	mailTimeout     = 2500 * time.Millisecond // letters that a mail server is about to take
	exitMargin      = 500 * time.Millisecond  // before stopTimeout: of the judge, the outbox and the stores, which have the time until then
)

// stop ends the listeners: screens first, since their streams never end by
// themselves; then devices, whose messages are finished, and everybody else.
func (s *Server) stop() error {
	s.ready.Store(false)
	s.Stores.Live.Close()
	s.Provider.Stop()
	if err := s.Stores.Retention.MarkStopped(); err != nil {
		s.logger.Warn("until when devices were let in is not written down to the second", "error", err)
	}
	s.endClients()
	err := withTimeout(pipelineTimeout, "pipeline", s.Pipeline.Close)
	if s.mails != nil { // last: a mail server that is slow must not keep readings waiting
		err = errors.Join(err, withTimeout(mailTimeout, "mail", s.mails.Close))
	}
	return err
}

// clientsTimeout lets clients finish what they began, all at the same time, and cuts off
// those that do not: what they were not answered for they send again.
func (s *Server) endClients() {
	var all sync.WaitGroup
	for _, client := range []struct {
		who string
		end func(ctx context.Context) error
		cut func() error
	}{
		{"devices", s.mqtt.Shutdown, func() error { return nil }}, // cuts them off itself
		{"console", s.http.Shutdown, s.http.Close},
		{"provider", s.admin.Shutdown, s.admin.Close},
	} {
		all.Go(func() {
			if err := withTimeout(clientsTimeout, client.who, client.end); err != nil {
				s.logger.Warn("clients that did not finish are cut off", "reason", errors.Join(err, client.cut()))
			}
		})
	}
	all.Wait()
}

// withTimeout gives a step of a stop its time.
func withTimeout(limit time.Duration, what string, end func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := end(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("stop %s: %w", what, err)
	}
	return nil
}

// LimitStop ends the process if a stop, which begins when ctx ends, takes longer than
// promised. The caller calls stopped once everything has stopped.
func LimitStop(ctx context.Context, logger *slog.Logger) (stopped func()) {
	done := make(chan struct{})
	forget := context.AfterFunc(ctx, func() { exitIfHanging(done, stopTimeout-exitMargin, logger) })
	return func() {
		forget()
		close(done)
	}
}

// exitIfHanging ends a process that has not stopped within a time, as on a disk that
// does not answer. What was acknowledged is on disk; whoever watches over the
// process starts it.
func exitIfHanging(stopped <-chan struct{}, limit time.Duration, logger *slog.Logger) {
	timer := time.NewTimer(limit)
	select {
	case <-stopped:
		timer.Stop()
	case <-timer.C:
		logger.Error("the stop hangs; ending at once", "after", limit)
		os.Exit(1)
	}
}
