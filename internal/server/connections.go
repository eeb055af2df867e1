package server

import (
	"net"
	"net/netip"

	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/ingest"
	"tilth/internal/platform/listen"
)

// Connections that devices leave to people, and that people leave to monitoring: while all others
// are taken, the server can still say so.
const (
	reservedForPeople     = 64
	reservedForMonitoring = 16
)

// reservedConnections are how many connections are reserved for monitoring, and for people and
// monitoring together, where there may be so many in all.
func reservedConnections(most int) (watchers, people int) {
	watchers = min(reservedForMonitoring, most/16) // a share of a very low limit
	return watchers, watchers + min(reservedForPeople, most/8)
}

// limitConnections puts all listeners under one limit of connections.
func (s *Server) limitConnections() {
	watchers, people := reservedConnections(s.connections.Stats().MaxConnections)
	// MQTT has time limits of its own.
	pace := listen.Pace{ChunkSize: httpbase.ChunkSize, Within: writeTimeout}
	slashes := listen.Insertion{Beginnings: ingest.Slashless, Text: "//"}
	for _, entry := range []struct {
		name      string
		ln        *net.Listener
		kept      int
		balancers []netip.Prefix
		pace      listen.Pace
		insertion listen.Insertion
	}{
		{"http", &s.listeners.http, watchers, s.set.Balancers, pace, slashes},
		{"https", &s.listeners.https, watchers, s.set.Balancers, pace, listen.Insertion{}},
		{"mqtt", &s.listeners.mqtt, people, s.set.Balancers, listen.Pace{}, listen.Insertion{}},
		{"mqtt-tls", &s.listeners.mqttTLS, people, s.set.Balancers, listen.Pace{}, listen.Insertion{}},
		{"admin", &s.listeners.admin, 0, nil, pace, listen.Insertion{}},
	} {
		if *entry.ln != nil {
			*entry.ln = s.connections.Listen(*entry.ln, listen.ListenerOptions{
				Name:              entry.name,
				ReservedForOthers: entry.kept,
				Balancers:         entry.balancers,
				Pace:              entry.pace,
				Insertion:         entry.insertion,
			})
		}
	}
}

// describeListeners publishes how many connections are open and how many there may be.
func (s *Server) describeListeners() {
	m, figures := s.metrics, s.connections.Stats
	m.gauge(
		"tilth_connections",
		"Open connections, and listeners that wait for a free connection.",
		func() float64 { return float64(figures().Open) },
	)
	m.gauge(
		"tilth_connections_most",
		"Connections that may be open at once; 0: any number.",
		func() float64 { return float64(figures().MaxConnections) },
	)
	m.counter(
		"tilth_accept_failures_total",
		"Failures to accept a connection, for example because file descriptors ran out.",
		func() float64 { return float64(figures().Failed) },
	)
	m.counter(
		"tilth_proxy_header_failures_total",
		"Connections from --proxy-protocol without a valid PROXY header.",
		func() float64 { return float64(figures().BadHeaders) },
	)
}

// LocalAddr is an address at which this machine reaches a listener, which may listen on all
// addresses.
func LocalAddr(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
