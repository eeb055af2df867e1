package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"tilth/internal/edge/provider"
)

// nodeAdmin serves a node's admin port, whether the node leads or stands by.
type nodeAdmin struct {
	node     *node
	listener net.Listener
	server   *http.Server
	leads    atomic.Pointer[http.Handler] // of the local server, while this node leads
	calls    sync.RWMutex                 // held (shared) by each call of that handler
	standby  http.Handler
}

// serveAdmin begins to serve the admin port.
func (n *node) serveAdmin() {
	a := n.admin
	standby := http.NewServeMux()
	standby.Handle("/metrics", n.metrics.handler())
	standby.Handle(provider.Prefix, provider.NewUnavailable(func() string {
		return "this node is a standby, and " + n.whoLeads() + "; call the node that leads, or the balancer"
	}))
	addHealth(standby, n.readyToStandBy, func(context.Context) error { return errors.New(n.whoLeads()) })
	a.standby = standby
	a.server = &http.Server{Handler: a, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	go func() {
		err := a.server.Serve(a.listener)
		if !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			n.logger.Error("cluster: the admin port is not served any more", "error", err)
		}
	}()
}

// ServeHTTP serves the local server's handler while this node leads.
func (a *nodeAdmin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := a.leads.Load(); h != nil && a.calls.TryRLock() {
		defer a.calls.RUnlock()
		(*h).ServeHTTP(w, r)
		return
	}
	a.standby.ServeHTTP(w, r)
}

// drain waits until the calls of the local server's handler are answered; the port goes on serving what
// a standby's does.
func (a *nodeAdmin) drain(ctx context.Context) error {
	a.leads.Store(nil)
	drained := make(chan struct{})
	go func() {
		a.calls.Lock()
		defer a.calls.Unlock()
		close(drained)
	}()
	select {
	case <-drained:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// whoLeads is a part of a sentence that names the node that leads.
func (n *node) whoLeads() string {
	l, _ := n.cluster.Leader()
	switch {
	case l.Local:
		return "it is beginning to lead, or ending"
	case !n.cluster.Led() || l.Name == n.set.Cluster.Name: // it led until a moment ago
		return "no node is known to lead now"
	}
	return fmt.Sprintf("another node leads: %s at %s", l.Name, l.Address)
}

// readyToStandBy is nil if this node follows one that leads.
func (n *node) readyToStandBy(context.Context) error {
	if !n.cluster.Led() {
		return errors.New("no node of the cluster leads now")
	}
	if trouble := n.troubleText(); trouble != "" {
		return errors.New("this node cannot lead: " + trouble)
	}
	return nil
}

// isReadyToServe is nil if this node leads and serves, or is ready to take over.
func (n *node) isReadyToServe(ctx context.Context) error {
	if n.wired.Load() {
		return n.isReady(ctx)
	}
	return n.readyToStandBy(ctx)
}

// addHealth adds what tells a service manager and a balancer how the server is. ready is for any node,
// leader for one that clients shall be led to.
func addHealth(mux *http.ServeMux, ready, leader func(context.Context) error) {
	answer := func(w http.ResponseWriter, err error) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = fmt.Fprintln(w, err) // the client may have gone
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, nil) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		check := ready
		if r.URL.Query().Has("leader") {
			check = leader
		}
		answer(w, check(r.Context()))
	})
}
