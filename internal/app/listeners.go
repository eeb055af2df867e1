package app

import (
	"net"
	"net/netip"
	"time"

	"tilth/internal/httpbase"
	"tilth/internal/listen"
)

// Places that connections of devices leave to people, and those of people to whoever
// watches the server: who is crowded out can still be told so.
const (
	placesOfPeople   = 64
	placesOfWatchers = 16
)

// takeIn has all that comes to the ports taken in by one room.
func (s *Server) takeIn() error {
	most, err := listen.MostConnections()
	if err != nil {
		return err
	}
	s.room = listen.NewRoom(listen.Options{Most: most, Now: time.Now, Log: s.log})
	watchers := min(placesOfWatchers, most/16) // of a very low limit, a part
	people := watchers + min(placesOfPeople, most/8)
	pace := listen.Pace{Piece: httpbase.Piece, Within: writeWithin} // devices' answers have a time of their own
	for _, one := range []struct {
		name      string
		ln        *net.Listener
		kept      int
		balancers []netip.Prefix
		pace      listen.Pace
	}{
		{"http", &s.ports.http, watchers, s.set.Balancers, pace}, {"https", &s.ports.https, watchers, s.set.Balancers, pace},
		{"mqtt", &s.ports.mqtt, people, s.set.Balancers, listen.Pace{}}, {"mqtt-tls", &s.ports.mqttTLS, people, s.set.Balancers, listen.Pace{}},
		{"admin", &s.ports.admin, 0, nil, pace},
	} {
		if *one.ln != nil {
			*one.ln = s.room.Listen(*one.ln, listen.Door{Name: one.name, Kept: one.kept, Balancers: one.balancers, Pace: one.pace})
		}
	}
	return nil
}

// describeListeners publishes how many connections there are and may be.
func (s *Server) describeListeners() {
	m, figures := s.metrics, s.room.Figures
	m.gauge("tilth_connections", "Open connections, and listeners that wait for one.", func() float64 { return float64(figures().Open) })
	m.gauge("tilth_connections_most", "Connections that there may be; 0: any number.", func() float64 { return float64(figures().Most) })
	m.counter("tilth_accept_failures_total", "Times that taking a connection in failed, as for want of descriptors.", func() float64 { return float64(figures().Failed) })
	m.counter("tilth_proxy_header_failures_total", "Connections from --proxy-protocol without a right PROXY header.", func() float64 { return float64(figures().Strange) })
}
