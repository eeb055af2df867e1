package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"tilth/internal/tools/pgpair"
	"tilth/workshop/bench"
	"tilth/workshop/haproxy"
)

const (
	nodeStartTime = 30 * time.Second // until a node answers
	nodeStopTime  = 20 * time.Second // twice what a stop may take
	askTimeout    = time.Second      // a node that does not answer within it is frozen or has ended
)

// balancers are where HAProxy connects from.
var balancers = netip.MustParsePrefix("127.0.0.1/32")

// clusterNode is a node of the cluster: a process, its folder, its ports, and its ways to the two
// servers of PostgreSQL.
type clusterNode struct {
	name, dir               string
	http, mqtt, admin       string // host:port
	proxies                 [2]*pgpair.Proxy
	binary, token, database string
	args                    []string
	log                     *nodeLog

	cmd   *exec.Cmd
	ended chan struct{} // closed when the process has ended; nil: it was never started
	err   error         // of its end; set before ended is closed
}

// newClusterNode makes a node without a process.
func newClusterNode(
	o *ClusterOptions,
	pair *pgpair.Pair,
	name, token string,
	args []string,
) (n *clusterNode, err error) {
	n = &clusterNode{
		name: name, dir: filepath.Join(o.Dir, name), binary: o.Binary, token: token,
		log: &nodeLog{},
	}
	for i, s := range []*pgpair.Server{pair.Primary(), pair.Copy()} {
		p, err := pgpair.NewProxy(s.Addr())
		if err != nil {
			return nil, errors.Join(err, n.close())
		}
		n.proxies[i] = p
	}
	n.database = pair.URLThrough(n.proxies[0].Addr(), n.proxies[1].Addr())
	for _, at := range []*string{&n.http, &n.mqtt, &n.admin} {
		if *at, err = nodePorts.next(); err != nil {
			return nil, errors.Join(err, n.close())
		}
	}
	n.args = append([]string{
		"serve", "--data-dir", n.dir, "--http-addr", n.http, "--mqtt-addr", n.mqtt, "--admin-addr", n.admin,
		"--cluster", "--proxy-protocol", balancers.String(), "--node-name", name, "--database-url", n.database,
	}, args...)
	return n, nil
}

// start starts the process and waits until it stands by, or leads.
func (n *clusterNode) start(ctx context.Context) error {
	if err := n.launch(ctx); err != nil {
		return err
	}
	return n.awaitStarted(ctx)
}

// launch starts the process.
func (n *clusterNode) launch(ctx context.Context) error {
	n.ended = make(chan struct{})
	// ctx does not end the process: close does.
	n.cmd = exec.CommandContext(context.WithoutCancel(ctx), n.binary, n.args...)
	n.cmd.Env = n.environment()
	// The log goes through a pipe, so that a limit on files does not stop it.
	n.cmd.Stderr = io.MultiWriter(n.log)
	if err := n.cmd.Start(); err != nil {
		close(n.ended)
		return err
	}
	go func() {
		n.err = n.cmd.Wait()
		close(n.ended)
	}()
	return nil
}

// environment is this process's, without settings of tilth.
func (n *clusterNode) environment() []string {
	kept := []string{"TILTH_PROVIDER_TOKEN=" + n.token}
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "TILTH_") {
			kept = append(kept, e)
		}
	}
	return kept
}

func (n *clusterNode) awaitStarted(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, nodeStartTime)
	defer cancel()
	return n.await(ctx, n.name+" to answer", func() (bool, error) {
		status, _, err := n.ask(ctx, "/healthz")
		return err == nil && status == http.StatusOK, nil
	})
}

// await asks until the answer is yes, the process ends, or ctx.
func (n *clusterNode) await(ctx context.Context, what string, done func() (bool, error)) error {
	return waitFor(ctx, what, func() (bool, error) {
		select {
		case <-n.ended:
			return false, fmt.Errorf("%s has ended: %w", n.name, n.err)
		default:
			return done()
		}
	})
}

// ask calls the node's admin port.
func (n *clusterNode) ask(ctx context.Context, path string) (status int, body string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+n.admin+path, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	return doRequest(r)
}

// leads tells whether the node says that it leads.
func (n *clusterNode) leads(ctx context.Context) bool {
	status, _, err := n.ask(ctx, "/readyz?leader")
	return err == nil && status == http.StatusOK
}

// metric returns a figure of the node itself.
func (n *clusterNode) metric(ctx context.Context, name string) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	all, err := (&bench.Target{MetricsURL: "http://" + n.admin + "/metrics"}).ReadMetrics(ctx)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", n.name, err)
	}
	value, found := all[name]
	if !found {
		return 0, fmt.Errorf("%s has no metric %s", n.name, name)
	}
	return value, nil
}

// runs tells whether the process runs.
func (n *clusterNode) runs() bool {
	if n.ended == nil {
		return false
	}
	select {
	case <-n.ended:
		return false
	default:
		return true
	}
}

// kill ends the process as kill -9 does, frozen or not.
func (n *clusterNode) kill() error {
	if !n.runs() {
		return nil
	}
	err := n.cmd.Process.Kill()
	<-n.ended
	return err
}

// terminate ends the process with SIGTERM, and returns an error if it did not end well.
func (n *clusterNode) terminate() error {
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-n.ended:
		if n.err != nil {
			return fmt.Errorf("%s ended badly: %w", n.name, n.err)
		}
		return nil
	case <-time.After(nodeStopTime):
		return errors.Join(fmt.Errorf("%s did not stop within %s", n.name, nodeStopTime), n.kill())
	}
}

func (n *clusterNode) freeze(ctx context.Context) error { return freezeProcess(ctx, n.cmd.Process) }

func (n *clusterNode) thaw() error { return thawProcess(n.cmd.Process) }

// eachProxy calls f with both ways to PostgreSQL.
func (n *clusterNode) eachProxy(f func(p *pgpair.Proxy)) {
	for _, p := range n.proxies {
		f(p)
	}
}

// run runs a command of tilth and returns what it wrote.
func (n *clusterNode) run(ctx context.Context, args ...string) (string, error) {
	c := exec.CommandContext(ctx, n.binary, args...)
	c.Env = n.environment()
	out, err := c.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return text, fmt.Errorf("tilth %s: %w: %s", strings.Join(args[:min(2, len(args))], " "), err, text)
	}
	return text, nil
}

// join makes the folder of the node from the one that leads, or makes its readings anew.
func (n *clusterNode) join(ctx context.Context, balancer *haproxy.Process, more ...string) error {
	from := "http://" + balancer.Admin
	_, err := n.run(ctx, append([]string{"join", "--from", from, "--data-dir", n.dir}, more...)...)
	return err
}

// close ends the process and its ways to PostgreSQL.
func (n *clusterNode) close() error {
	err := n.kill()
	for _, p := range n.proxies {
		if p != nil {
			err = errors.Join(err, p.Close())
		}
	}
	return err
}

// portSource gives away ports below those that the system gives to connections: a node that starts
// again must find its own.
type portSource struct {
	mu   sync.Mutex
	last int
}

var nodePorts portSource

// next returns an address of this machine.
func (s *portSource) next() (string, error) {
	const lowest, count = 12000, 8000
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == 0 {
		s.last = lowest + int(time.Now().UnixNano()/1000)%count
	}
	for range count {
		if s.last++; s.last >= lowest+count {
			s.last = lowest
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(s.last))
		l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
		if err == nil {
			return address, l.Close()
		}
	}
	return "", errors.New("no port is free")
}

// nodeLog keeps the end of a node's log.
type nodeLog struct {
	mu      sync.Mutex
	text    []byte
	dropped int // bytes before text
}

const nodeLogBytes = 256 << 10

func (l *nodeLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text = append(l.text, b...); len(l.text) > 2*nodeLogBytes {
		drop := len(l.text) - nodeLogBytes
		l.dropped += drop
		l.text = append(l.text[:0], l.text[drop:]...)
	}
	return len(b), nil
}

// end is where the log ends now.
func (l *nodeLog) end() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped + len(l.text)
}

// since returns what was logged from a place on, as far as it is kept.
func (l *nodeLog) since(place int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text[min(max(0, place-l.dropped), len(l.text)):])
}

// String returns the newest lines.
func (l *nodeLog) String() string {
	const most = 12 << 10
	return strings.TrimSpace(l.since(l.end() - most))
}
