package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// What strangers and slow nodes send to the port of nodes reaches no server, and stops nobody else.
func TestGarbageToPeers(t *testing.T) {
	leading, following := startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	leading.serve(PortMQTT, func(c net.Conn) {
		if c.RemoteAddr() == nil {
			t.Error("a connection has no address")
		}
		echo(c)
	})
	leading.leads(1, following)
	trust := testTrust(t, 1)
	secure := func(sent string) net.Conn {
		c := tls.Client(connectTo(t, leading.peers), trust.ClientConfig())
		if _, err := io.WriteString(c, sent); err != nil {
			t.Error(err)
		}
		return c
	}
	// These stay silent, in different places.
	connectTo(t, leading.peers)
	connectTo(t, leading.peers).send("\x16\x03\x01")
	secure("")
	secure("tlth\x01")
	for _, garbage := range []string{"GET / HTTP/1.1\r\n\r\n", strings.Repeat("\x00", 100)} {
		c := connectTo(t, leading.peers)
		c.send(garbage)
		_, _ = io.Copy(io.Discard, c) // an alert
		c.wantEnd()
	}
	wantEnd(t, secure("GET / HTTP/1.1\r\n\r\n"))
	wantEnd(t, secure("tlth\x01\x05\x05mqtt"))
	for _, newer := range []string{"tlth\x02\x00", "tlth\x01\x07\x06quic-h"} {
		c := secure(newer)
		said := make([]byte, 1)
		if _, err := io.ReadFull(c, said); err != nil || answer(said[0]) != answerRefused {
			t.Errorf("%q: the answer is %d, %v", newer, said[0], err)
		}
		wantEnd(t, c)
	}
	connectTo(t, following.clients).wantAddress()
	if s := leading.Stats(); s.Held != 0 || s.LedOn != 0 {
		t.Errorf("stats %+v", s)
	}
}

// A node that is silent is given up after a time.
func TestSlowHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestNode(t, FrontOptions{})
		peers := newPipeListener()
		var serving sync.WaitGroup
		serving.Go(func() {
			if err := n.ServePeers(peers); err != nil {
				t.Error(err)
			}
		})
		began := time.Now()
		wantEnd(t, peers.connect(t))
		if took := time.Since(began); took != handshakeTimeout {
			t.Errorf("without a handshake it took %s", took)
		}
		began = time.Now()
		slow := tls.Client(peers.connect(t), n.o.Trust.ClientConfig())
		for _, b := range []byte("tlth\x01\x05\x04mqtt") {
			if _, err := slow.Write([]byte{b}); err != nil {
				break
			}
			time.Sleep(time.Second)
		}
		if took := time.Since(began); took < headerTimeout || took > headerTimeout+time.Second {
			t.Errorf("a slow header took %s", took)
		}
		n.end()
		serving.Wait()
	})
}

// refusingNode accepts the connections of other nodes and closes them, and counts them.
func refusingNode(t *testing.T) (address string, tries *atomic.Int64) {
	return fakeNode(t, func(c net.Conn) { _ = c.Close() })
}

// silentNode accepts the connections of other nodes and says nothing, and counts them.
func silentNode(t *testing.T) (address string, tries *atomic.Int64) {
	var open []net.Conn // so that none is collected, which would close it
	return fakeNode(t, func(c net.Conn) { open = append(open, c) })
}

// fakeNode accepts the connections of other nodes, counts them and hands them to treat.
func fakeNode(t *testing.T, treat func(net.Conn)) (address string, tries *atomic.Int64) {
	ln := listenLocally(t)
	tries = &atomic.Int64{}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return // the test ends
			}
			treat(c)
			tries.Add(1)
		}
	}()
	return ln.Addr().String(), tries
}

// However many clients wait, a leader that takes none of them is asked a limited number of times.
func TestRetriesAreLimited(t *testing.T) {
	n := startNode(t, FrontOptions{Hold: 5*retryEvery + retryEvery/2})
	address, tries := refusingNode(t)
	n.set(Leader{Epoch: 1, Address: address})
	began := time.Now()
	var clients []*testClient
	for range 4 * dialsAtOnce {
		clients = append(clients, connectTo(t, n.clients))
	}
	for _, c := range clients {
		c.wantEnd()
	}
	// Without the limit, each client would try in each round.
	most := int64(len(clients)) * int64(time.Since(began)/retryEvery) / 2
	if got := tries.Load(); got < 2*dialsAtOnce || got > most {
		t.Errorf("%d clients tried %d times, want %d to %d", len(clients), got, 2*dialsAtOnce, most)
	}
}

// silentClient is a client that takes what is sent and sends nothing.
type silentClient struct{ net.Conn }

func (silentClient) CloseWrite() error { return nil }

// A client that keeps its connection after the leader has ended it is cut after a minute.
func TestClientLingers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestNode(t, FrontOptions{})
		defer n.end()
		client, ours := net.Pipe()
		leader, theirs := net.Pipe()
		server := tls.Server(leader, n.o.Trust.ServerConfig())
		go func() {
			if err := errors.Join(server.Handshake(), server.Close()); err != nil {
				t.Error(err)
			}
		}()
		secure := tls.Client(theirs, n.o.Trust.ClientConfig())
		if err := secure.Handshake(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		n.splice(t.Context(), silentClient{ours}, secure)
		if took := time.Since(began); took != clientLinger {
			t.Errorf("the client was cut after %s", took)
		}
		wantEnd(t, client)
	})
}

// The time limits of the beginning do not apply to what follows.
func TestSilenceAfterHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestNode(t, FrontOptions{})
		n.leads(1)
		n.serve(PortMQTT, echo)
		peers := newPipeListener()
		go func() { _ = n.ServePeers(peers) }() // until the node ends
		c := tls.Client(peers.connect(t), n.o.Trust.ClientConfig())
		h := header{port: PortMQTT, client: netip.MustParseAddrPort("192.0.2.7:4711")}
		if err := announce(t.Context(), c, h); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"192.0.2.7:4711\n", "early", "late"} {
			if text != "192.0.2.7:4711\n" {
				if _, err := io.WriteString(c, text); err != nil {
					t.Error(err)
				}
			}
			got := make([]byte, len(text))
			if _, err := io.ReadFull(c, got); string(got) != text || err != nil {
				t.Errorf("got %q, %v; want %q", got, err, text)
			}
			time.Sleep(time.Hour)
		}
		n.end()
	})
}

// blockedAddr is a connection whose address comes late, as behind a balancer that is slow.
type blockedAddr struct {
	net.Conn
	known chan struct{}
}

func (c blockedAddr) RemoteAddr() net.Addr {
	<-c.known
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 4711}
}

// A client whose address is not known yet stops nobody else; the leader is told what becomes known.
func TestSlowAddressStopsNobody(t *testing.T) {
	leading, following := startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	leading.serve(PortMQTT, echo)
	leading.leads(1, following)
	outer := newPipeListener()
	go func() { _ = following.Listen(t.Context(), PortMQTT, outer) }() // until the node ends
	known := make(chan struct{})
	client, ours := net.Pipe()
	defer client.Close()
	outer.conns <- blockedAddr{ours, known}
	quick, theirs := net.Pipe()
	defer quick.Close()
	outer.conns <- theirs
	line := make([]byte, 9)
	if _, err := io.ReadFull(quick, line); err != nil || !strings.HasPrefix(string(line), "127.0.0.1") {
		t.Errorf("the other client got %q, %v", line, err)
	}
	close(known)
	line = make([]byte, len("192.0.2.7:4711\n"))
	if _, err := io.ReadFull(client, line); err != nil || string(line) != "192.0.2.7:4711\n" {
		t.Errorf("the client got %q, %v", line, err)
	}
}

type temporaryError struct{ error }

func (temporaryError) Temporary() bool { return true }

// A temporary failure of a listener is tried again, at growing intervals; another is returned.
func TestAcceptErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestNode(t, FrontOptions{})
		outer := newPipeListener()
		ended := make(chan error, 1)
		go func() { ended <- n.Listen(t.Context(), PortHTTP, outer) }()
		began := time.Now()
		for range 10 {
			outer.errs <- temporaryError{errors.New("no descriptors")}
		}
		outer.connect(t)
		if took := time.Since(began); took < 2*time.Second || took > 5*time.Second {
			t.Errorf("ten failures took %s", took)
		}
		synctest.Wait()
		if s := n.Stats(); s.Held != 1 || strings.Count(n.log.String(), "\n") != 1 {
			t.Errorf("stats %+v, log\n%s", s, n.log.String())
		}
		broken := errors.New("broken")
		outer.errs <- broken
		if err := <-ended; !errors.Is(err, broken) {
			t.Errorf("Listen returned %v", err)
		}
		// The end of ctx and a closed front end a listener in order.
		ctx, cancel := context.WithCancel(t.Context())
		second := newPipeListener()
		go func() { ended <- n.Listen(ctx, PortHTTP, second) }()
		synctest.Wait()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("after the end of ctx Listen returned %v", err)
		}
		n.end()
		third := newPipeListener()
		if err := n.Listen(t.Context(), PortHTTP, third); err != nil {
			t.Errorf("after Close Listen returned %v", err)
		}
		select {
		case <-third.done:
		default:
			t.Error("a closed front leaves a listener open")
		}
	})
}

// A closed local listener closes what nobody accepted; what was accepted goes on.
func TestLocalListenerCloses(t *testing.T) {
	n := startNode(t, FrontOptions{})
	n.leads(1)
	ln := n.Local(PortMQTT)
	if n.Local(PortMQTT) != ln {
		t.Error("a port has two local listeners")
	}
	accepted, queued := connectTo(t, n.clients), connectTo(t, n.clients)
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	eventually(t, "one is queued", func() bool { return n.Stats().Held == 1 })
	// Another port's connections do not wait behind it.
	web := listenLocally(t)
	go func() { _ = n.Listen(t.Context(), PortHTTP, web) }() // until the node ends
	n.serve(PortHTTP, echo)
	connectTo(t, web.Addr().String()).wantAddress()

	if err := ln.Close(); err != nil {
		t.Error(err)
	}
	queued.wantEnd()
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept returned %v", err)
	}
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Error(err)
	}
	accepted.want("hello")
	if s := n.Stats(); s.Held != 0 || s.Refused != 1 {
		t.Errorf("stats %+v", s)
	}
}

// Close cuts whatever there is.
func TestCloseCutsAll(t *testing.T) {
	leading, following, alone := startNode(
		t,
		FrontOptions{},
	), startNode(
		t,
		FrontOptions{},
	), startNode(
		t,
		FrontOptions{},
	)
	leading.serve(PortMQTT, echo)
	leading.leads(1, following)
	own, led, held := connectTo(t, leading.clients), connectTo(t, following.clients), connectTo(t, alone.clients)
	own.wantAddress()
	led.wantAddress()
	eventually(t, "one is held", func() bool { return alone.Stats().Held == 1 })
	for _, n := range []*testNode{alone, following, leading} {
		n.end()
	}
	own.wantEnd()
	led.wantEnd()
	held.wantEnd()
	if _, err := leading.Local(PortMQTT).Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a local listener of a closed front returned %v", err)
	}
}

// Close does not wait longer than its context for what does not end.
func TestCloseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestNode(t, FrontOptions{})
		n.set(Leader{Epoch: 1, Address: "127.0.0.1:1"})
		outer := newPipeListener()
		go func() { _ = n.Listen(t.Context(), PortMQTT, outer) }() // until Close
		known := make(chan struct{})
		_, ours := net.Pipe()
		outer.conns <- blockedAddr{ours, known}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if err := n.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close returned %v", err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("Close took %s", took)
		}
		close(known)
		n.end()
	})
}
