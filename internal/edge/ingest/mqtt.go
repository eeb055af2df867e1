package ingest

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"tilth/internal/domain/device"
	"tilth/internal/platform/limit"
)

// errFull says that MaxConnections are open.
var errFull = errors.New("the limit of MQTT connections is reached")

// MQTT is an endpoint for devices, not a broker: it accepts what they publish, over MQTT 3.1.1 and
// 5, and delivers nothing.
type MQTT struct {
	pipeline   *Pipeline
	opts       Options
	generation atomic.Uint64 // counts changes of structure
	sweeping   atomic.Bool

	mu        sync.Mutex
	closing   bool
	listeners map[net.Listener]struct{}
	conns     map[*conn]struct{}
	addresses *limit.Slots[limit.Network] // open connections by network
	devices   map[device.ID][]*conn       // signed in, oldest first
	running   sync.WaitGroup
}

// NewMQTT makes an endpoint that submits messages to p.
func NewMQTT(p *Pipeline) *MQTT {
	m := &MQTT{
		pipeline:  p,
		opts:      p.opts,
		listeners: map[net.Listener]struct{}{},
		conns:     map[*conn]struct{}{},
		addresses: limit.NewSlots[limit.Network](
			limit.Options{Name: "mqtt_connections", Meter: p.opts.Limits},
			p.opts.PerAddress,
			0,
		),
		devices: map[device.ID][]*conn{},
	}
	return m
}

// Serve accepts connections until ctx ends or Shutdown is called, and then closes ln and returns
// nil; open connections continue until Shutdown. Otherwise it returns why it can no longer accept
// connections. The listener itself waits out temporary errors, such as a lack of file descriptors.
func (m *MQTT) Serve(ctx context.Context, ln net.Listener) error {
	if !m.listen(ln) {
		return errors.Join(ErrClosed, ln.Close())
	}
	defer context.AfterFunc(ctx, func() { m.stopListening(ln) })()
	defer m.stopListening(ln)
	for {
		nc, err := ln.Accept()
		if err == nil {
			go m.ServeConn(nc, "")
			continue
		}
		if ctx.Err() != nil || !m.listening(ln) {
			return nil
		}
		return err
	}
}

func (m *MQTT) listen(ln net.Listener) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closing {
		m.listeners[ln] = struct{}{}
	}
	return !m.closing
}

func (m *MQTT) listening(ln net.Listener) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.listeners[ln]
	return ok
}

func (m *MQTT) stopListening(ln net.Listener) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, open := m.listeners[ln]; !open {
		return
	}
	delete(m.listeners, ln)
	if err := ln.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		m.opts.Logger.Warn("cannot close a listener", "error", err)
	}
}

// ServeConn serves one connection until it ends, and closes it. The connection is one that Serve
// accepted or one over a WebSocket. clientAddr is the address that the connection and failed
// sign-ins count for; empty: the connection's remote address.
func (m *MQTT) ServeConn(nc net.Conn, clientAddr string) {
	if clientAddr == "" {
		clientAddr = nc.RemoteAddr().String()
	}
	c := newConn(m, nc, clientAddr)
	if !m.register(c) {
		c.out.abort()
		return
	}
	defer m.unregister(c)
	c.run()
}

// register adds a connection if there is room for it.
func (m *MQTT) register(c *conn) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closing:
		return false
	case len(m.conns) >= m.opts.MaxConnections:
		m.pipeline.stats.refusedFull.Add(1)
		m.opts.OnFull(errFull)
		return false
	case m.addresses.Enter(c.network) != limit.NotFull:
		m.pipeline.stats.refusedAddress.Add(1)
		return false
	}
	m.conns[c] = struct{}{}
	m.running.Add(1)
	m.pipeline.stats.connections.Add(1)
	m.pipeline.stats.connectionsTotal.Add(1)
	return true
}

func (m *MQTT) unregister(c *conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.conns, c)
	m.addresses.Leave(c.network)
	m.pipeline.stats.connections.Add(-1)
	m.running.Done()
}

// attach adds a connection that signed in. It replaces a connection of the device with the same
// client id, or the oldest if the device has too many. It returns false if the endpoint shuts down.
func (m *MQTT) attach(c *conn) bool {
	m.mu.Lock()
	if m.closing {
		m.mu.Unlock()
		return false
	}
	list := m.devices[c.ref.ID]
	var superseded, oldest *conn
	if i := slices.IndexFunc(list, func(o *conn) bool { return o.clientID == c.clientID }); i >= 0 {
		superseded = list[i]
		list = slices.Delete(list, i, i+1)
	} else if len(list) >= m.opts.PerDevice {
		oldest = list[0]
		list = slices.Delete(list, 0, 1)
	}
	m.devices[c.ref.ID] = append(list, c)
	c.attached, c.allowance = true, m.pipeline.gate.pin(c.ref.ID)
	m.mu.Unlock()

	m.opts.Presence.Connected(c.ref)
	if superseded != nil {
		superseded.end(reasonTakenOver)
	}
	if oldest != nil {
		oldest.end(reasonQuota)
	}
	return true
}

// detach removes a connection that attach added.
func (m *MQTT) detach(c *conn) {
	if !c.attached {
		return
	}
	m.mu.Lock()
	list := m.devices[c.ref.ID]
	if i := slices.Index(list, c); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	if len(list) == 0 {
		delete(m.devices, c.ref.ID)
	} else {
		m.devices[c.ref.ID] = list
	}
	m.mu.Unlock()
	m.opts.Presence.Disconnected(c.ref)
	c.allowance.Release()
}

// StructureChanged makes every connection check its device before its next message, and ends
// connections whose secret is no longer valid.
func (m *MQTT) StructureChanged() {
	m.generation.Add(1)
	if m.sweeping.CompareAndSwap(false, true) {
		go m.endRevoked()
	}
}

func (m *MQTT) endRevoked() {
	m.sweeping.Store(false) // a change from here on needs another sweep
	m.mu.Lock()
	var signedIn []*conn
	for _, list := range m.devices {
		signedIn = append(signedIn, list...)
	}
	m.mu.Unlock()
	for _, c := range signedIn {
		if !m.opts.Registry.StillValid(c.ref.ID, c.hash) {
			c.end(reasonAdministrative)
		}
	}
}

// Shutdown stops accepting, lets every connection finish the accepted messages, and closes it. If
// ctx ends first, it cuts off the remaining connections and returns ctx's error. The pipeline must
// be closed after it.
func (m *MQTT) Shutdown(ctx context.Context) error {
	m.mu.Lock()
	m.closing = true
	listeners := make([]net.Listener, 0, len(m.listeners))
	for ln := range m.listeners {
		listeners = append(listeners, ln)
	}
	conns := make([]*conn, 0, len(m.conns))
	for c := range m.conns {
		conns = append(conns, c)
	}
	m.mu.Unlock()
	for _, ln := range listeners {
		m.stopListening(ln)
	}
	for _, c := range conns {
		c.stop()
	}
	finished := make(chan struct{})
	go func() {
		m.running.Wait()
		close(finished)
	}()
	select {
	case <-finished:
		return nil
	case <-ctx.Done():
		for _, c := range conns {
			c.abort()
		}
		<-finished
		return ctx.Err()
	}
}
