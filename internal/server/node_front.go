package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"tilth/internal/cluster"
	"tilth/internal/edge/provider"
	"tilth/internal/platform/listen"
)

// adminPort is the port of the provider API among the ports of the front.
const adminPort = "admin"

// frontCloseTimeout is how long the connections of a front may take to end.
const frontCloseTimeout = time.Second

// listenForPeers opens the port for the other nodes.
func (n *node) listenForPeers(ctx context.Context) (err error) {
	var lc net.ListenConfig
	if n.peers, err = lc.Listen(ctx, "tcp", n.set.Cluster.Addr); err != nil {
		return fmt.Errorf("--cluster-addr: %w", err)
	}
	host, port, err := net.SplitHostPort(n.set.Cluster.Address)
	if err != nil {
		return err
	}
	if port == "0" { // the system chose one
		if _, port, err = net.SplitHostPort(n.peers.Addr().String()); err != nil {
			return err
		}
	}
	n.address = net.JoinHostPort(host, port)
	return nil
}

// openFront puts the front between the ports and the local server: what clients send reaches the
// server at the node that leads, whichever that is.
func (n *node) openFront(ctx context.Context) error {
	trust, err := cluster.NewTrust(n.base.key)
	if err != nil {
		return err
	}
	n.front = cluster.NewFront(cluster.FrontOptions{Trust: trust, Leader: n.cluster.Leader, Logger: n.logger})
	n.outer = n.listeners
	for _, p := range []struct {
		name string
		ln   *net.Listener
	}{
		{"http", &n.listeners.http},
		{"https", &n.listeners.https},
		{"mqtt", &n.listeners.mqtt},
		{"mqtt-tls", &n.listeners.mqttTLS},
	} {
		if *p.ln == nil {
			continue
		}
		outer := *p.ln
		*p.ln = n.front.Local(p.name)
		go n.acceptClients(ctx, p.name, outer)
	}
	// Each node serves its admin port itself.
	n.listeners.admin = n.front.Local(adminPort)
	// What other nodes pass on is mostly devices: it leaves connections to people and monitoring here.
	_, people := reservedConnections(n.connections.Stats().MaxConnections)
	n.peers = n.connections.Listen(n.peers, listen.ListenerOptions{Name: "cluster", ReservedForOthers: people})
	go func() {
		if err := n.front.ServePeers(n.peers); err != nil && !errors.Is(err, net.ErrClosed) {
			n.logger.Error("cluster: this node takes no connections from other nodes any more", "error", err)
		}
	}()
	return nil
}

func (n *node) acceptClients(ctx context.Context, port string, outer net.Listener) {
	if err := n.front.Listen(context.WithoutCancel(ctx), port, outer); err != nil && !errors.Is(err, net.ErrClosed) {
		n.logger.Error("cluster: this node takes no clients any more", "port", port, "error", err)
	}
}

// nodeAdmin serves a node's own admin port: health and figures are the node's, the provider API is that
// of the node that leads.
type nodeAdmin struct {
	server *http.Server
	leads  atomic.Pointer[http.Handler] // of the local server, while this node leads
	calls  sync.RWMutex                 // held (shared) by each call of that handler
	node   *node
	proxy  *httputil.ReverseProxy
}

// serveAdmin begins to serve the admin port.
func (n *node) serveAdmin() *nodeAdmin {
	a := &nodeAdmin{node: n}
	a.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: adminPort})
			r.Out.Host = r.In.Host
		},
		Transport: &http.Transport{
			DisableKeepAlives: true, // the next request may be for another node
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return n.front.Dial(ctx, adminPort)
			},
		},
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			n.logger.Warn("cluster: a call of the provider API cannot be passed on", "error", err)
			http.Error(w, "no node of the cluster leads now; try again in some seconds", http.StatusServiceUnavailable)
		},
	}
	a.server = &http.Server{Handler: a, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	n.admin = a
	go func() {
		err := a.server.Serve(n.outer.admin)
		if !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			n.logger.Error("cluster: the admin port is not served any more", "error", err)
		}
	}()
	return a
}

// ServeHTTP serves the local server's handler while this node leads.
func (a *nodeAdmin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := a.leads.Load(); h != nil && a.calls.TryRLock() {
		defer a.calls.RUnlock()
		(*h).ServeHTTP(w, r)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", a.node.metrics.handler())
	mux.Handle(provider.Prefix, a.proxy)
	addHealth(mux, a.node.frontReady, func(context.Context) error { return errStandby })
	mux.ServeHTTP(w, r)
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

// stop ends the admin port and the front.
func (a *nodeAdmin) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), frontCloseTimeout)
	defer cancel()
	if err := errors.Join(a.node.front.Close(ctx), a.server.Close()); err != nil {
		a.node.logger.Debug("cluster: connections were cut off", "error", err)
	}
}

// errStandby is what a balancer learns that looks for the node that leads.
var errStandby = errors.New("another node leads")

// frontReady is nil if this node reaches the one that leads.
func (n *node) frontReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, frontReadyTimeout)
	defer cancel()
	nc, err := n.front.Dial(ctx, adminPort)
	if err != nil {
		return errors.New("no node of the cluster leads now")
	}
	return nc.Close()
}

// isReadyToServe is nil if clients of this node are served: by itself, or by the node that leads.
func (n *node) isReadyToServe(ctx context.Context) error {
	if n.wired.Load() {
		return n.isReady(ctx)
	}
	return n.frontReady(ctx)
}

const frontReadyTimeout = time.Second

// addHealth adds what tells a service manager and a balancer how the server is. ready is for any node,
// leader is for the one that leads.
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
