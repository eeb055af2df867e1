// Package server makes a server of its parts: it opens the stores, wires the edges to them,
// and starts and stops all of it in the right order.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tilth/internal/domain/audit"
	"tilth/internal/edge/console"
	"tilth/internal/edge/ingest"
	"tilth/internal/edge/provider"
	"tilth/internal/platform/listen"
	"tilth/internal/platform/memory"
	"tilth/internal/settings"
)

// Server is a whole Tilth server in one process.
type Server struct {
	set      *settings.Server
	logger   *slog.Logger
	Stores   *Stores
	Pipeline *ingest.Pipeline
	consumer *ingest.Consumer
	mqtt     *ingest.MQTT
	Provider *provider.Service

	metrics     *metrics
	http        *http.Server
	admin       *http.Server
	listeners   listeners
	connections *listen.Limiter // limits the connections of all listeners
	accepting   chan struct{}   // closed once the server accepts devices
	ready       atomic.Bool

	certificates certificates
	disk         *disk
	storage      *storageWatch
	database     *databaseHealth
	lastBackup   *backupAge
	memory       *memory.Gauge
	node         *node // nil: this server is no node of a cluster
}

// New opens the ports and the data folder, and wires everything. Run then accepts people and
// devices.
func New(ctx context.Context, set *settings.Server, logger *slog.Logger) (*Server, error) {
	s, err := newServer(set, logger)
	if err != nil {
		return nil, err
	}
	if err := s.openPorts(ctx, set); err != nil {
		return nil, err
	}
	f, err := openFoundation(ctx, set, s.logger)
	if err != nil {
		return nil, errors.Join(err, s.listeners.close())
	}
	if err := s.build(ctx, f); err != nil {
		return nil, errors.Join(err, f.close(), s.listeners.close())
	}
	return s, nil
}

// newServer makes a server that has nothing open yet.
func newServer(set *settings.Server, logger *slog.Logger) (s *Server, err error) {
	go console.ReadContract()
	figures := newMetrics()
	logger = figures.countingLogger(logger)
	s = &Server{
		set:       set,
		logger:    logger,
		metrics:   figures,
		accepting: make(chan struct{}),
		memory:    newGauge(set.Memory, logger),
	}
	if err = s.ownCertificate(); err != nil {
		return nil, err
	}
	most, err := listen.ConnectionLimit()
	if err != nil {
		return nil, err
	}
	s.connections = listen.NewLimiter(listen.Options{MaxConnections: most, Now: time.Now, Logger: logger})
	return s, nil
}

// openPorts opens the ports that have an address in set.
func (s *Server) openPorts(ctx context.Context, set *settings.Server) (err error) {
	if s.listeners, err = openListeners(ctx, set); err != nil {
		return err
	}
	s.limitConnections()
	return nil
}

// build makes the stores and wires everything.
func (s *Server) build(ctx context.Context, f *foundation) (err error) {
	if s.Stores, err = newStores(ctx, s.set, s.linkBase(), s.logger, f); err != nil {
		return err
	}
	if s.node == nil {
		s.disk = newDisk(s.set.DataDir, s.Stores.Readings.Broken, s.Stores.DB.StorageFailures, s.logger)
	}
	s.storage = newStorageWatch(s.storageStopped)
	s.database = &databaseHealth{ping: s.Stores.DB.Ping, logger: s.logger}
	if err = s.issuedCertificates(ctx); err != nil {
		return err
	}
	return s.wire()
}

// HTTPAddr is the HTTP address for people and devices.
func (s *Server) HTTPAddr() net.Addr { return s.listeners.http.Addr() }

// MQTTAddr is the MQTT address for devices.
func (s *Server) MQTTAddr() net.Addr { return s.listeners.mqtt.Addr() }

// AdminAddr is the address of the provider API and of /metrics.
func (s *Server) AdminAddr() net.Addr { return s.adminListener().Addr() }

// adminListener is the admin port. That of a node is served by the node.
func (s *Server) adminListener() net.Listener {
	if s.node != nil {
		return s.node.admin.listener
	}
	return s.listeners.admin
}

// WrapHTTP puts a handler around the one that serves people and devices. The caller does so before
// Run.
func (s *Server) WrapHTTP(wrap func(http.Handler) http.Handler) {
	s.http.Handler = wrap(s.http.Handler)
}

// linkBase is the address that links in messages begin with, but for the tenant's host; empty: it
// is not known.
func (s *Server) linkBase() string {
	if s.set.PublicURL == "" && s.set.LinksToHTTPAddr {
		return "http://" + LocalAddr(s.listeners.http.Addr())
	}
	return s.set.PublicURL
}

// isReady is nil while the server accepts requests. Unauthenticated clients see its error.
func (s *Server) isReady(ctx context.Context) error {
	if !s.ready.Load() {
		return errStartingOrStopping
	}
	if err := s.disk.ready(); err != nil {
		return err
	}
	if err := s.connections.Ready(); err != nil {
		return err
	}
	if s.node != nil {
		if err := s.node.confirms(); err != nil {
			return err
		}
	}
	return s.database.ready(ctx)
}

// takesClients is nil while a balancer shall lead clients here. A node takes them while the database is away
// for a moment, as during its failover: they stay connected. After that another node may lead.
func (s *Server) takesClients(ctx context.Context) error {
	if s.node == nil {
		return s.isReady(ctx)
	}
	if !s.ready.Load() {
		return errStartingOrStopping
	}
	if silent := s.node.base.term.Silent(); silent >= s.set.Cluster.TakeoverAfter {
		return fmt.Errorf("the database has not answered for %s: another node may lead", silent.Round(time.Second))
	}
	return nil
}

// errStartingOrStopping is what unauthenticated clients see.
var errStartingOrStopping = errors.New("starting or stopping")

// Run works until ctx ends, then stops: it accepts nothing more, finishes what it has accepted, and
// closes the stores. If prepare is not nil, Run calls it before it accepts people and devices, and
// ready once it does. Meanwhile it evaluates what an earlier run left in the journal.
func (s *Server) Run(ctx context.Context, prepare func(context.Context) error, ready func()) error {
	// The consumer and the background writers outlive the listeners: they finish what the listeners
	// accepted.
	inner, stopInner := context.WithCancel(context.WithoutCancel(ctx))
	defer stopInner()
	work, inner := errgroup.WithContext(inner)
	outer, stopOuter := context.WithCancel(ctx)
	defer stopOuter()
	var restartDue atomic.Bool
	stopped := make(chan struct{})
	defer close(stopped)
	work.Go(func() error {
		if s.disk.run(inner) != nil {
			restartDue.Store(true)
			go exitIfHanging(stopped, 2*stopTimeout, s.logger)
			stopOuter()
		}
		return nil
	})
	work.Go(func() error { s.storage.run(inner); return nil })
	work.Go(func() error { return s.consumer.Run(inner) })
	work.Go(func() error { return s.Stores.Readings.Run(inner) })
	work.Go(func() error {
		select {
		case <-s.accepting:
			return s.Stores.Alarms.Run(s.Stores.Audit.NewContext(inner, audit.Actor{Kind: audit.Server}))
		case <-inner.Done():
			return nil
		}
	})
	work.Go(func() error {
		select {
		case <-s.accepting:
			return s.Stores.Outbox.Run(s.Stores.Audit.NewContext(inner, audit.Actor{Kind: audit.Server}))
		case <-inner.Done():
			return nil
		}
	})
	work.Go(func() error {
		select {
		case <-s.accepting: // the ACME server checks our addresses
			s.certificates.run(inner)
		case <-inner.Done():
		}
		return nil
	})
	work.Go(func() error { return s.Stores.Status.Run(inner) })
	work.Go(func() error { return s.Stores.Traces.Run(inner) })
	work.Go(func() error {
		select {
		case <-s.accepting:
			// While the server stops, devices cannot report, so their silence does not count.
			s.Stores.Presence.Run(outer)
		case <-outer.Done():
		}
		return nil
	})
	work.Go(func() error {
		select {
		case <-s.accepting:
			return s.Stores.HomeAssistant.Run(outer) // brokers learn of a stop while clients finish
		case <-outer.Done():
			return nil
		}
	})
	work.Go(func() error { return s.Stores.Credentials.Run(inner, s.logger) })
	work.Go(func() error { return s.Stores.SignIn.Run(inner, s.logger) })
	work.Go(func() error {
		select {
		case <-s.accepting:
			serverContext := s.Stores.Audit.NewContext(inner, audit.Actor{Kind: audit.Server})
			return s.Stores.Calibrations.Run(serverContext, s.logger)
		case <-inner.Done():
			return nil
		}
	})
	work.Go(func() error { return s.Stores.Audit.Run(inner, s.logger) })
	work.Go(func() error { return s.sweepHourly(inner) })
	if s.Stores.mails != nil {
		work.Go(func() error { s.Stores.mails.Run(inner); return nil })
	}

	// If one part fails, all stop: half a server would lose readings.
	defer context.AfterFunc(inner, stopOuter)()
	err := s.serve(outer, prepare, ready)
	stopInner()
	if e := work.Wait(); e != nil && !errors.Is(e, context.Canceled) {
		err = errors.Join(err, e)
	}
	if s.node != nil && err == nil {
		// Another node leads sooner or later; it takes no device for silent that was not.
		if err := withTimeout(handOverTimeout, "presence", s.Stores.Status.HandOver); err != nil {
			s.logger.Warn(
				"presence is not handed over: the next leader counts the silence of devices anew",
				"error",
				err,
			)
		}
	}
	err = errors.Join(err, s.Stores.Close())
	if restartDue.Load() {
		err = errors.Join(ErrRestartDue, err)
	}
	return err
}

func (s *Server) serve(ctx context.Context, prepare func(context.Context) error, ready func()) error {
	if ctx.Err() != nil {
		return s.listeners.close()
	}
	if prepare != nil {
		if err := prepare(ctx); err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				err = nil // a stop is no failure
			}
			return errors.Join(err, s.listeners.close())
		}
	}
	s.Stores.Presence.AcceptDevices()
	close(s.accepting)
	serving, ctx := errgroup.WithContext(ctx)
	serving.Go(func() error { return ignoreClosed(s.mqtt.Serve(ctx, s.listeners.mqtt)) })
	if s.listeners.mqttTLS != nil {
		serving.Go(func() error { return ignoreClosed(s.mqtt.Serve(ctx, s.listeners.mqttTLS)) })
	}
	serving.Go(func() error { return ignoreClosed(s.http.Serve(s.listeners.http)) })
	if s.listeners.https != nil {
		serving.Go(func() error { return ignoreClosed(s.http.ServeTLS(s.listeners.https, "", "")) })
	}
	if s.node == nil {
		serving.Go(func() error { return ignoreClosed(s.admin.Serve(s.listeners.admin)) })
	}
	serving.Go(func() error {
		<-ctx.Done()
		return s.stop()
	})
	s.ready.Store(true)
	s.logger.Info(
		"tilth is ready",
		"version", Version,
		"http", listenAddr(s.listeners.http),
		"https", listenAddr(s.listeners.https),
		"mqtt", listenAddr(s.listeners.mqtt),
		"mqtt-tls", listenAddr(s.listeners.mqttTLS),
		"admin", listenAddr(s.adminListener()),
		"data", s.set.DataDir,
	)
	if err := s.warnIfHeld(ctx); err != nil && ctx.Err() == nil {
		s.logger.Warn("the server cannot count the mail, SMS and webhooks that are held", "error", err)
	}
	if ready != nil {
		ready()
	}
	err := serving.Wait()
	s.logger.Info("tilth has stopped")
	return err
}
