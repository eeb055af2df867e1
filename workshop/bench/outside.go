package bench

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Person is a user who is signed in at a server's console.
type Person struct{ console *console }

// SignIn signs the target's user in.
func (t *Target) SignIn(ctx context.Context) (*Person, error) {
	c, err := signIn(ctx, t.Console, t.Tenant)
	if err != nil {
		return nil, err
	}
	return &Person{c}, nil
}

// Call makes a call of the console. It sends in as JSON, unless in is nil, and decodes the
// response's data into out. An envelope with another code than 200 is an error.
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

// ReadMetrics reads the target's metrics page and returns the values by name, including labels.
func (t *Target) ReadMetrics(ctx context.Context) (map[string]float64, error) { return t.metrics(ctx) }

// Load is a group of devices that continues after broken connections where it stopped. It remembers
// every acknowledgement.
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
		m.out = m.out[:0] // drop what a broken connection did not send
	}
	return l.group.connect(ctx, address)
}

// Publish publishes on open connections until ctx ends, and closes them. A connection that breaks
// earlier publishes no more.
func (l *Load) Publish(ctx context.Context) error {
	err := l.group.publish(ctx, func() {}, func() {})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Close closes connections on which nothing was published.
func (l *Load) Close() error { return l.group.close() }

// Acknowledged returns how many messages were acknowledged in all. It must not run beside Publish.
func (l *Load) Acknowledged() int {
	n := 0
	for _, m := range l.group.members {
		n += m.ackCount
	}
	return n
}

// Verify reads back all readings of the load's devices from the server, and compares them with the
// messages that were sent and acknowledged. It must not run beside Publish.
func (l *Load) Verify(ctx context.Context, p *Person) (*Verification, error) {
	return l.group.verify(ctx, p.console)
}

// Kill ends the server as kill -9 does.
func (s *Server) Kill() error {
	err := s.cmd.Process.Kill()
	<-s.ended
	return err
}

// Ended returns a channel that is closed when the server has ended, for any reason.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Restart starts a server that has ended on its folder, and waits until it is ready; its addresses
// change. After an error the server has ended.
func (s *Server) Restart(ctx context.Context) error { return s.start(ctx) }

// UpdateAddresses sets the server's new addresses if it has restarted itself since the last start
// or call.
func (s *Server) UpdateAddresses() {
	select {
	case at := <-s.announced.Ready():
		s.setAddresses(at)
	default:
	}
}

// Log returns the end of the server's log.
func (s *Server) Log() string { return s.log.String() }
