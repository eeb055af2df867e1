package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Bytes pass through another node in both directions, and each side's end is passed on while the
// other goes on.
func TestSpliceHalfClose(t *testing.T) {
	leading, following := startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	long := strings.Repeat("0123456789abcdef", 200_000)
	got := make(chan string, 1)
	for _, who := range []string{"the client ends first", "the server ends first"} {
		t.Run(who, func(t *testing.T) {
			clientFirst := who == "the client ends first"
			ln := leading.serve(PortMQTT, func(c net.Conn) {
				if clientFirst {
					all, _ := io.ReadAll(c)
					got <- string(all)
					_, _ = io.WriteString(c, long)
					return
				}
				_, _ = io.WriteString(c, long)
				if err := closeWrite(c); err != nil {
					t.Error(err)
				}
				all, _ := io.ReadAll(c)
				got <- string(all)
			})
			defer ln.Close()
			leading.leads(1, following)
			c := connectTo(t, following.clients)
			if !clientFirst {
				c.want(long)
				c.wantEnd()
			}
			c.send(long)
			if err := c.CloseWrite(); err != nil {
				t.Error(err)
			}
			if sent := <-got; sent != long {
				t.Errorf("the server got %d bytes of %d", len(sent), len(long))
			}
			if clientFirst {
				c.want(long)
			}
			c.wantEnd()
			eventually(t, "the splice ends", func() bool { return following.Stats().Spliced == 0 })
		})
	}
	if s := following.Stats(); s.LedOn != 2 || s.Refused != 0 {
		t.Errorf("stats %+v", s)
	}
}

// The server sees the client's address, at the leader and through another node.
func TestClientAddressKept(t *testing.T) {
	leading, following := startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	leading.serve(PortMQTT, func(c net.Conn) {
		if _, ok := c.RemoteAddr().(*net.TCPAddr); !ok {
			t.Errorf("the address is a %T", c.RemoteAddr())
		}
		echo(c)
	})
	leading.leads(1, following)
	for _, n := range []*testNode{leading, following} {
		c := connectTo(t, n.clients)
		c.wantAddress()
		c.send("hello")
		c.want("hello")
	}
	if got, want := leading.Local(PortMQTT).Addr().String(), leading.clients; got != want {
		t.Errorf("the local listener has the address %s, want %s", got, want)
	}
	six, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skipf("this machine has no IPv6: %v", err)
	}
	go func() { _ = following.Listen(t.Context(), PortMQTT, six) }() // until the test ends
	connectTo(t, six.Addr().String()).wantAddress()
}

// A client waits while nobody leads, and goes on as soon as somebody does, here or elsewhere.
func TestHeldUntilSomebodyLeads(t *testing.T) {
	a, b := startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	a.serve(PortMQTT, echo)
	here, there := connectTo(t, a.clients), connectTo(t, b.clients)
	here.send("early")
	there.send("early")
	eventually(t, "both are held", func() bool { return a.Stats().Held == 1 && b.Stats().Held == 1 })
	a.leads(1, b)
	for _, c := range []*testClient{here, there} {
		c.wantAddress()
		c.want("early")
	}
	if a.Stats().Held != 0 || b.Stats().Held != 0 || a.Stats().LedOn != 0 || b.Stats().LedOn != 1 {
		t.Errorf("stats %+v, %+v", a.Stats(), b.Stats())
	}
}

// The node that leads holds clients, its own and those of others, until its server listens, and
// again after the server has stopped.
func TestHeldUntilServerListens(t *testing.T) {
	a, b := startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	a.leads(1, b)
	for range 2 {
		here, there := connectTo(t, a.clients), connectTo(t, b.clients)
		eventually(t, "both are held", func() bool { return a.Stats().Held == 1 && b.Stats().Held == 1 })
		ln := a.serve(PortMQTT, echo)
		here.wantAddress()
		there.wantAddress()
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
	}
}

// pipeListener is a listener whose connections a test makes; they may have addresses that block.
type pipeListener struct {
	conns chan net.Conn
	errs  chan error
	done  chan struct{}
	once  sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), errs: make(chan error), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case err := <-l.errs:
		return nil, err
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{Port: 1} }

func (l *pipeListener) connect(t *testing.T) net.Conn {
	client, ours := net.Pipe()
	t.Cleanup(func() { _ = client.Close() })
	l.conns <- ours
	return client
}

// Clients wait for ten seconds and no longer, and no more of them than may; a line in the log says
// so once a minute.
func TestHoldLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestNode(t, FrontOptions{MaxHeld: 2})
		outer := newPipeListener()
		var serving sync.WaitGroup
		serving.Go(func() {
			if err := n.Listen(t.Context(), PortHTTP, outer); err != nil {
				t.Error(err)
			}
		})
		began := time.Now()
		clients := []net.Conn{outer.connect(t), outer.connect(t)}
		wantEnd(t, outer.connect(t))
		if took := time.Since(began); took != 0 {
			t.Errorf("one too many was closed after %s", took)
		}
		synctest.Wait()
		if s := n.Stats(); s.Held != 2 || s.Refused != 1 {
			t.Errorf("stats %+v", s)
		}
		for _, c := range clients {
			wantEnd(t, c)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("the others were closed after %s", took)
		}
		synctest.Wait()
		if s := n.Stats(); s.Held != 0 || s.Refused != 3 {
			t.Errorf("stats %+v", s)
		}
		time.Sleep(time.Minute)
		wantEnd(t, outer.connect(t))
		synctest.Wait()
		if log := n.log.String(); strings.Count(log, "\n") != 2 || !strings.Contains(log, "port=http") ||
			!strings.Contains(log, errFull.Error()) || !strings.Contains(log, errNoLeader.Error()) ||
			!strings.Contains(log, "times=3") {
			t.Errorf("the log has\n%s", log)
		}
		n.end()
		serving.Wait()
	})
}

// What was passed on to a leader, and what a leader serves itself, is cut when another leads, and
// not before.
func TestLeaderChangeCuts(t *testing.T) {
	a, b, c := startNode(t, FrontOptions{}), startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	a.serve(PortMQTT, echo)
	b.serve(PortMQTT, echo)
	a.leads(1, b, c)
	own, led := connectTo(t, a.clients), connectTo(t, c.clients)
	own.wantAddress()
	led.wantAddress()
	asked, err := c.Dial(t.Context(), PortMQTT)
	if err != nil {
		t.Fatal(err)
	}
	defer asked.Close()
	// Nobody is known to lead for a while, and then the same leader is found again.
	var waiting []*testClient
	for _, n := range []*testNode{a, c} {
		n.set(Leader{})
		waiting = append(waiting, connectTo(t, n.clients))
		eventually(t, "a client is held", func() bool { return n.Stats().Held == 1 })
	}
	for _, x := range []*testClient{own, led} {
		x.send("still here")
		x.want("still here")
	}
	a.leads(1, c)
	for _, x := range waiting {
		x.wantAddress()
	}
	for _, x := range []*testClient{own, led} {
		x.send("still here")
		x.want("still here")
	}
	b.leads(2, a, c)
	own.wantEnd()
	led.wantEnd()
	// It ends, in order if the former leader ends it first.
	_, _ = io.Copy(io.Discard, asked)
	for _, n := range []*testNode{a, b, c} {
		connectTo(t, n.clients).wantAddress()
	}
}

// A leader that refuses connections, or does not know yet that it leads, is asked again.
func TestLeaderRefusesThenAccepts(t *testing.T) {
	following := startNode(t, FrontOptions{})
	reserved := listenLocally(t)
	address := reserved.Addr().String()
	if err := reserved.Close(); err != nil {
		t.Fatal(err)
	}
	following.set(Leader{Epoch: 1, Address: address})
	var clients []*testClient
	for range 2 * dialsAtOnce {
		clients = append(clients, connectTo(t, following.clients))
	}
	time.Sleep(3 * retryEvery) // some are refused
	leading := newTestNode(t, FrontOptions{})
	defer leading.end()
	leading.serve(PortMQTT, echo)
	peers, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("another process took the port: %v", err)
	}
	go func() { _ = leading.ServePeers(peers) }() // until the node ends
	time.Sleep(3 * retryEvery)                    // some meet a node that does not lead
	if s := following.Stats(); s.Held != len(clients) {
		t.Errorf("stats %+v", s)
	}
	leading.set(Leader{Epoch: 1, Local: true})
	for _, c := range clients {
		c.wantAddress()
	}
}

// A leader that takes connections and says nothing, as if frozen, keeps no client from the next one.
func TestFrozenLeader(t *testing.T) {
	frozen, tries := silentNode(t)
	leading, following := startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	leading.serve(PortMQTT, echo)
	var clients []*testClient
	for range dialsAtOnce + 10 {
		clients = append(clients, connectTo(t, following.clients))
	}
	eventually(t, "all are held", func() bool { return following.Stats().Held == len(clients) })
	began := time.Now()
	following.set(Leader{Epoch: 1, Address: frozen})
	eventually(t, "as many try as may", func() bool { return tries.Load() == dialsAtOnce })
	leading.leads(2, following)
	eventually(t, "one goes on", func() bool { return following.Stats().LedOn > 0 })
	// Those that waited for the frozen node would go on only after this time.
	if took := time.Since(began); took >= handshakeTimeout {
		t.Errorf("clients waited for the frozen node, %s", took)
	}
	for _, c := range clients {
		c.wantAddress()
	}
}

func TestLeaderWithAnotherKey(t *testing.T) {
	leading := startNode(t, FrontOptions{Trust: testTrust(t, 2)})
	following := startNode(t, FrontOptions{})
	leading.serve(PortMQTT, echo)
	leading.leads(1, following)
	_, err := following.Dial(t.Context(), PortSeed)
	want := "the node at " + leading.peers + " has another key: it belongs to another cluster, " +
		"or was not joined with tilth join"
	if err == nil || err.Error() != want {
		t.Errorf("Dial returned %v, want %s", err, want)
	}
	connectTo(t, following.clients).wantEnd() // at once
	eventually(t, "the log says so", func() bool { return strings.Contains(following.log.String(), want) })
}

func TestDial(t *testing.T) {
	leading, following := startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	hasty := startNode(t, FrontOptions{Hold: 300 * time.Millisecond})
	if _, err := hasty.Dial(t.Context(), PortSeed); !errors.Is(err, errNoLeader) {
		t.Errorf("without a leader: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := following.Dial(ctx, PortSeed); !errors.Is(err, context.Canceled) {
		t.Errorf("after the caller gave up: %v", err)
	}
	leading.leads(1, following, hasty)
	if _, err := leading.Dial(t.Context(), PortSeed); !errors.Is(err, ErrLeads) {
		t.Errorf("at the leader: %v", err)
	}
	// If the time ends between two tries, the error is that of the last; it may also end within one.
	eventually(t, "the error says that nobody serves the port", func() bool {
		_, err := hasty.Dial(t.Context(), PortSeed)
		if err == nil {
			t.Fatal("nobody serves the port, and Dial returned a connection")
		}
		return strings.Contains(err.Error(), "its server is not ready")
	})
	ln := leading.serve(PortSeed, echo)
	if a := ln.Addr(); a.Network() != "cluster" || a.String() != PortSeed {
		t.Errorf("a port without clients has the address %s %s", a.Network(), a)
	}
	c, err := following.Dial(t.Context(), PortSeed)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "hello"); err != nil {
		t.Error(err)
	}
	if err := closeWrite(c); err != nil {
		t.Error(err)
	}
	// The node speaks for itself, so the address is its own.
	if got, err := io.ReadAll(c); string(got) != c.LocalAddr().String()+"\nhello" || err != nil {
		t.Errorf("the leader answered %q, %v", got, err)
	}
}

// A stream of events passes through another node event by event.
func TestStream(t *testing.T) {
	leading, following := startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	next := make(chan string)
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			select {
			case event := <-next:
				fmt.Fprintf(w, "data: %s from %s\n\n", event, r.RemoteAddr)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				close(next)
				return
			}
		}
	})}
	defer server.Close()
	go func() { _ = server.Serve(leading.Local(PortMQTT)) }() // until Close
	leading.leads(1, following)
	c := connectTo(t, following.clients)
	c.send("GET / HTTP/1.0\r\n\r\n")
	next <- "first"
	got := make([]byte, 4096)
	for _, event := range []string{"first", "second", "third"} {
		var text string
		for !strings.HasSuffix(text, fmt.Sprintf("data: %s from %s\n\n", event, c.LocalAddr())) {
			n, err := c.Read(got)
			if err != nil {
				t.Fatalf("%q, %v", text, err)
			}
			text += string(got[:n])
		}
		if event != "third" {
			next <- map[string]string{"first": "second", "second": "third"}[event]
		}
	}
	_ = c.Close()
	if _, open := <-next; open {
		t.Error("an event was sent by nobody")
	}
}

func TestThousandConnections(t *testing.T) {
	leading, following := startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	leading.serve(PortMQTT, echo)
	const many = 1000
	var clients []*testClient
	for range many {
		clients = append(clients, connectTo(t, following.clients))
	}
	eventually(t, "all are held", func() bool { return following.Stats().Held == many })
	leading.leads(1, following)
	for _, c := range clients {
		c.wantAddress()
	}
	if s := following.Stats(); s.Spliced != many || s.LedOn != many || s.Held != 0 || s.Refused != 0 {
		t.Errorf("stats %+v", s)
	}
	for _, c := range clients {
		c.send("hello")
	}
	for _, c := range clients {
		c.want("hello")
		_ = c.Close()
	}
	eventually(t, "all splices end", func() bool { return following.Stats().Spliced == 0 })
}
