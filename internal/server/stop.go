package server

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

// A stop takes at most stopTimeout, as the documentation promises, whatever clients do. Each step
// has a time limit; what is not finished by then is cut off.
const (
	stopTimeout = 10 * time.Second

	clientsTimeout  = 3 * time.Second         // devices, people, programs and the provider finish what they began
	pipelineTimeout = 2 * time.Second         // what they sent reaches the disk
	handOverTimeout = time.Second             // presence reaches the database, for the next leader
	mailTimeout     = 2500 * time.Millisecond // mails that a mail server is about to accept

	// exitMargin is how long before stopTimeout a hanging process is ended. The consumer, the
	// outbox and the stores have the time until then.
	exitMargin = 500 * time.Millisecond
)

// stop stops the listeners: live streams first, since they never end by themselves; then devices,
// whose messages are finished, and all other clients.
func (s *Server) stop() error {
	s.ready.Store(false)
	s.Stores.Live.Close()
	s.Provider.Stop()
	if err := s.Stores.Retention.MarkStopped(); err != nil {
		s.logger.Warn("the time until which devices were accepted cannot be saved to the second", "error", err)
	}
	s.endClients()
	err := withTimeout(pipelineTimeout, "pipeline", s.Pipeline.Close)
	if s.Stores.mails != nil { // last: a slow mail server must not delay readings
		err = errors.Join(err, withTimeout(mailTimeout, "mail", s.Stores.mails.Close))
	}
	return err
}

// endClients lets all clients finish at the same time, and after clientsTimeout cuts off those that
// have not. Devices send again what was not acknowledged.
func (s *Server) endClients() {
	var all sync.WaitGroup
	type client struct {
		who string
		end func(ctx context.Context) error
		cut func() error
	}
	clients := []client{
		{"devices", s.mqtt.Shutdown, func() error { return nil }}, // Shutdown cuts devices off itself
		{"console", s.http.Shutdown, s.http.Close},
		{"provider", s.admin.Shutdown, s.admin.Close},
	}
	if s.node != nil {
		clients = append(clients, client{"provider of this node", s.node.admin.drain, s.node.admin.server.Close})
	}
	for _, client := range clients {
		all.Go(func() {
			if err := withTimeout(clientsTimeout, client.who, client.end); err != nil {
				s.logger.Warn("clients that did not finish are cut off", "reason", errors.Join(err, client.cut()))
			}
		})
	}
	all.Wait()
}

// withTimeout runs a step of a stop within a time limit.
func withTimeout(limit time.Duration, what string, end func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := end(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("stop %s: %w", what, err)
	}
	return nil
}

// LimitStop ends the process if a stop, which begins when ctx ends, takes longer than promised. The
// caller calls stopped once everything has stopped.
func LimitStop(ctx context.Context, logger *slog.Logger) (stopped func()) {
	done := make(chan struct{})
	forget := context.AfterFunc(ctx, func() { exitIfHanging(done, stopTimeout-exitMargin, logger) })
	return func() {
		forget()
		close(done)
	}
}

// exitIfHanging ends a process that has not stopped within the limit, for example because the disk
// does not answer. What was acknowledged is on disk; the service manager starts the process again.
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
