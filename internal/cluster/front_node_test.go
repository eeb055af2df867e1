package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const patience = time.Minute // of tests, for what comes at once on an idle machine

// election is what a node knows of who leads.
type election struct {
	mu      sync.Mutex
	leader  Leader
	changed chan struct{}
}

func (e *election) get() (Leader, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.leader, e.changed
}

func (e *election) set(l Leader) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leader = l
	close(e.changed)
	e.changed = make(chan struct{})
}

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// testNode is a node with its front; other nodes reach it at peers, clients at clients.
type testNode struct {
	*Front
	election
	t              *testing.T
	log            lockedBuffer
	peers, clients string
}

// newTestNode makes a node without listeners, where nobody is known to lead.
func newTestNode(t *testing.T, o FrontOptions) *testNode {
	n := &testNode{t: t, election: election{changed: make(chan struct{})}}
	if o.Trust == nil {
		o.Trust = testTrust(t, 1)
	}
	o.Leader, o.Logger = n.get, slog.New(slog.NewTextHandler(&n.log, nil))
	n.Front = NewFront(o)
	return n
}

// startNode starts a node with a port for nodes and a port mqtt for clients. Clients wait for a leader
// for longer than the test has patience, unless it says otherwise. When the test ends, the node must end
// without leaving a goroutine.
func startNode(t *testing.T, o FrontOptions) *testNode {
	t.Helper()
	o.Hold = cmp.Or(o.Hold, 10*patience)
	n := newTestNode(t, o)
	peers, clients := listenLocally(t), listenLocally(t)
	n.peers, n.clients = peers.Addr().String(), clients.Addr().String()
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := n.ServePeers(peers); err != nil {
			t.Error(err)
		}
	})
	serving.Go(func() {
		if err := n.Listen(t.Context(), PortMQTT, clients); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		n.end()
		serving.Wait()
	})
	return n
}

// end closes the front and checks that nothing of it goes on.
func (n *testNode) end() {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := n.Close(ctx); err != nil {
		n.t.Error(err)
	}
	if s := n.Stats(); s.Held != 0 || s.Spliced != 0 {
		n.t.Errorf("after Close: %+v", s)
	}
}

// leads makes this node the leader, in its own eyes and in those of the others.
func (n *testNode) leads(epoch int64, others ...*testNode) {
	n.set(Leader{Epoch: epoch, Local: true})
	for _, o := range others {
		o.set(Leader{Epoch: epoch, Address: n.peers})
	}
}

// serve serves a port of the node until the test ends.
func (n *testNode) serve(port string, handle func(net.Conn)) net.Listener {
	ln := n.Local(port)
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				if !errors.Is(err, net.ErrClosed) {
					n.t.Error(err)
				}
				return
			}
			go func() {
				defer c.Close()
				handle(c)
			}()
		}
	}()
	return ln
}

// echo answers the client's address in a line, then everything that the client sends.
func echo(c net.Conn) {
	_, _ = io.WriteString(c, c.RemoteAddr().String()+"\n")
	_, _ = io.Copy(c, c) // until the client ends, or is cut
}

func listenLocally(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

// testClient is a client with a limit of time.
type testClient struct {
	*net.TCPConn
	t *testing.T
}

func connectTo(t *testing.T, address string) *testClient {
	t.Helper()
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	c := &testClient{nc.(*net.TCPConn), t}
	c.beginTime()
	return c
}

// beginTime begins the client's time anew: many clients have their turns one after another.
func (c *testClient) beginTime() {
	c.t.Helper()
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *testClient) send(text string) {
	c.t.Helper()
	c.beginTime()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Error(err)
	}
}

func (c *testClient) want(text string) {
	c.t.Helper()
	c.beginTime()
	got := make([]byte, len(text))
	if n, err := io.ReadFull(c, got); string(got) != text {
		c.t.Errorf("the client got %q, %v; want %q", got[:n], err, text)
	}
}

// wantAddress expects the line of echo.
func (c *testClient) wantAddress() {
	c.t.Helper()
	c.want(c.LocalAddr().String() + "\n")
}

// wantEnd expects that the connection is closed or cut without another byte.
func (c *testClient) wantEnd() {
	c.t.Helper()
	c.beginTime()
	wantEnd(c.t, c.TCPConn)
}

func wantEnd(t *testing.T, c net.Conn) {
	t.Helper()
	var late net.Error
	if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil || errors.As(err, &late) && late.Timeout() {
		t.Errorf("the connection goes on: %d bytes, %v", n, err)
	}
}

// eventually waits until something that follows soon has happened.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it did not come to this in %s", what, patience)
		}
	}
}

// frontGoroutines counts the goroutines that run code of the front itself.
func frontGoroutines() (n int) {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, one := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(one, "cluster.(*Front)") {
			n++
		}
	}
	return n
}
