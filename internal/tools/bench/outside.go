package bench

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Person is somebody signed in at the console of a server.
type Person struct{ console *console }

// SignIn signs the target's user in.
func (t *Target) SignIn(ctx context.Context) (*Person, error) {
	c, err := signIn(ctx, t.Console, t.Tenant)
	if err != nil {
		return nil, err
	}
	return &Person{c}, nil
}

// Call makes a call of the console: in is sent as JSON where there is one, and
// the answer's data goes into out. An answer that refuses is an error.
func (p *Person) Call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	return p.console.call(ctx, method, path, body, out)
}

// ReadMetrics reads the target's metrics page: the figures by their names, labels
// included.
func (t *Target) ReadMetrics(ctx context.Context) (map[string]float64, error) { return t.metrics(ctx) }

// Load is a crowd of devices that goes on, after any number of broken
// connections, where it was: each acknowledgement of any of them is remembered.
type Load struct{ group *connectionGroup }

// NewLoad makes a load of the options' connections; their Duration is not used.
func NewLoad(o Options, w Tenant) (*Load, error) {
	o.Duration = endless
	c, err := newConnectionGroup(o, w, time.Now())
	if err != nil {
		return nil, err
	}
	return &Load{c}, nil
}

// endless is longer than any run.
const endless = 24 * time.Hour

// Connect opens all connections and signs in.
func (l *Load) Connect(ctx context.Context, address string) error {
	for _, m := range l.group.members {
		m.out = m.out[:0] // of a connection that broke
	}
	return l.group.connect(ctx, address)
}

// Publish publishes on open connections until ctx ends, which closes them; a
// connection that breaks before publishes no more.
func (l *Load) Publish(ctx context.Context) error {
	err := l.group.publish(ctx, func() {}, func() {})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Close closes connections that nothing was published on.
func (l *Load) Close() error { return l.group.close() }

// Acknowledged is how many messages were, in all. Nothing may be publishing.
func (l *Load) Acknowledged() int {
	n := 0
	for _, m := range l.group.members {
		n += m.ackCount
	}
	return n
}

// Verify reads back everything that its devices have in the server, and compares
// it with what was sent and acknowledged. Nothing may be publishing.
func (l *Load) Verify(ctx context.Context, p *Person) (*Verification, error) {
	return l.group.verify(ctx, p.console)
}

// Kill ends the server as kill -9 does.
func (s *Server) Kill() error {
	err := s.cmd.Process.Kill()
	<-s.ended
	return err
}

// Ended is closed when the server has ended, for whatever reason.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Restart starts a server that has ended on its folder, and waits until it is
// ready; it listens elsewhere then. After an error it is gone.
func (s *Server) Restart(ctx context.Context) error { return s.start(ctx) }

// UpdateAddresses takes up where the server listens if it began anew by itself since it
// was started, or followed.
func (s *Server) UpdateAddresses() {
	select {
	case at := <-s.announced.Ready():
		s.setAddresses(at)
	default:
	}
}

// Log is the end of what the server has written to its log.
func (s *Server) Log() string { return s.log.String() }
