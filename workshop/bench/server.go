package bench

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"tilth/internal/tools/announced"
)

// ServerOptions say how to start a server for a run.
type ServerOptions struct {
	Binary string // path of tilth
	Dir    string // an empty folder for its data
	// Args are further settings of serve. They must not change the folder, the addresses or the log,
	// from which the addresses are read.
	Args []string
	// Ports are the addresses of a node of a cluster, which must be known before it leads. The zero value
	// lets the server take free ports.
	Ports announced.Addresses
	// LimitNotices keeps the default limit of notices that a rule opens within an hour; otherwise there
	// is no limit.
	LimitNotices bool
	Tenant       Tenant
	Others       []Tenant // that the server has beside Tenant
	// Apply hands a provider's file to the server with this admin address.
	Apply func(ctx context.Context, admin, token string, file []byte) error
	// Load writes data into the folder while no server has it open; may be nil.
	Load func(ctx context.Context) error
	// StartTimeout is how long a start may take; 0 means a minute.
	StartTimeout time.Duration
}

const (
	startTime    = 60 * time.Second
	stopTime     = 20 * time.Second // twice what a stop may take
	pollInterval = 20 * time.Millisecond
)

var errEnded = errors.New("the server has ended")

// Server is a tilth that a run started.
type Server struct {
	Target

	binary    string
	args      []string
	patience  time.Duration // how long a start may take
	steady    bool          // keep the default limit of notices
	token     string
	admin     string // http://host:port
	cmd       *exec.Cmd
	ended     chan struct{} // closed once the process is gone
	err       error         // of its end; set before ended is closed
	log       logTail
	announced *announced.Reader
}

// anyPort lets a server take a free port, a new one at each start. If the run chose a port
// beforehand, another process could take it.
const anyPort = "127.0.0.1:0"

// Start starts a server on free ports, applies the tenant's file, and restarts the server, so that
// the run finds one that has done nothing yet. Stop ends it.
func Start(ctx context.Context, o ServerOptions) (*Server, error) {
	s := newServer(o)
	file, err := fileOf(append([]Tenant{o.Tenant}, o.Others...))
	if err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	err = o.Apply(ctx, s.admin, s.token, file)
	if err := errors.Join(err, s.Stop()); err != nil {
		return nil, err
	}
	if o.Load != nil {
		if err := o.Load(ctx); err != nil {
			return nil, err
		}
	}
	return s, s.start(ctx)
}

// newServer makes a server that does not run yet.
func newServer(o ServerOptions) *Server {
	return &Server{
		Target: Target{Name: "tilth", Tenant: o.Tenant, Dir: o.Dir},
		token:  rand.Text() + rand.Text(), // a provider's token must be longer than a device's secret
		binary: o.Binary, patience: cmp.Or(o.StartTimeout, startTime), steady: o.LimitNotices,
		args: append([]string{
			"serve", "--data-dir", o.Dir, "--http-addr", cmp.Or(o.Ports.HTTP, anyPort),
			"--mqtt-addr", cmp.Or(o.Ports.MQTT, anyPort), "--admin-addr", cmp.Or(o.Ports.Admin, anyPort),
		}, o.Args...),
	}
}

// start starts the process and waits until it is ready. After an error the process has ended.
func (s *Server) start(ctx context.Context) error {
	if err := s.launch(ctx); err != nil {
		return err
	}
	err := s.ready(ctx)
	if err == nil || errors.Is(err, errEnded) {
		return err
	}
	return errors.Join(err, s.Stop())
}

// launch starts the process.
func (s *Server) launch(ctx context.Context) error {
	s.ended, s.announced = make(chan struct{}), announced.NewReader()
	// ctx does not end the process: Stop ends it with SIGTERM.
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), s.binary, s.args...)
	s.cmd.Env = append(environment(), "TILTH_PROVIDER_TOKEN="+s.token)
	if !s.steady {
		// This is no flag, since versions without the setting ignore a variable.
		s.cmd.Env = append(s.cmd.Env, "TILTH_NOTICES_AN_HOUR=0")
	}
	s.cmd.Stderr = io.MultiWriter(&s.log, s.announced)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.PID = s.cmd.Process.Pid
	go func() {
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	return nil
}

// kill ends the process at once, as if it crashed.
func (s *Server) kill() error {
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.ended
	return nil
}

// ready waits until the server admits devices.
func (s *Server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	for at := (announced.Addresses{HTTP: announced.Off}); at.HTTP == announced.Off; { // a node that stands by
		select {
		case at = <-s.announced.Ready():
			s.setAddresses(at)
		case <-s.ended:
			return fmt.Errorf("%w: %w\n%s", errEnded, s.err, &s.log)
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready: %w\n%s", ctx.Err(), &s.log)
		}
	}
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.admin+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = res.Body.Close() // only the status is needed
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-s.ended:
			return fmt.Errorf("%w: %w\n%s", errEnded, s.err, &s.log)
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready: %w\n%s", ctx.Err(), &s.log)
		case <-time.After(pollInterval): // another process: there is no event to wait for
		}
	}
}

// restart stops the server, starts it, and gives the signed-in people its new address.
func (s *Server) restart(ctx context.Context, people ...*console) error {
	if err := s.Stop(); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	for _, c := range people {
		c.base = s.Console
	}
	return nil
}

func (s *Server) setAddresses(at announced.Addresses) {
	s.MQTT, s.Console = at.MQTT, "http://"+at.HTTP
	s.admin, s.MetricsURL = "http://"+at.Admin, "http://"+at.Admin+"/metrics"
}

// Stop ends the server with SIGTERM, or with SIGKILL if that takes too long. It returns an error if
// the server did not end well.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		// For example on Windows, which has no SIGTERM.
		_ = s.cmd.Process.Kill()
		<-s.ended
		return fmt.Errorf("the server was killed, since it could not be asked to stop: %w", err)
	}
	select {
	case <-s.ended:
		if s.err != nil {
			return fmt.Errorf("the server ended badly: %w\n%s", s.err, &s.log)
		}
		return nil
	case <-time.After(stopTime):
		_ = s.cmd.Process.Kill()
		<-s.ended
		return fmt.Errorf("the server did not stop within %s\n%s", stopTime, &s.log)
	}
}

// environment returns this process's environment without settings of tilth, so that the server has
// only the settings of the run.
func environment() []string {
	var kept []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "TILTH_") {
			kept = append(kept, e)
		}
	}
	return kept
}

// logTail keeps the end of what is written to it.
type logTail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 4 << 10

func (t *logTail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(b), nil
}

func (t *logTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
