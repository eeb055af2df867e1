package listen

import (
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const strangerAddr = "192.0.2.1:1000"

// When descriptors run out the listener tries again at growing intervals; it logs this once a
// minute, and Ready returns an error until ten seconds after the last failure.
func TestAcceptRetriesWhenOutOfFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestLimiter(0)
		p := h.startListener(t, ListenerOptions{Name: "mqtt"})
		if err := h.Ready(); err != nil {
			t.Errorf("at the start: %v", err)
		}
		synctest.Wait()
		p.fake.fail(outOfFiles())
		p.connect(strangerAddr) // Accept was already waiting for it
		<-p.accepted
		time.Sleep(10*time.Minute + time.Second)
		if n := p.fake.tried(); n < 600 || n > 620 {
			t.Errorf("%d accepts in ten minutes", n)
		}
		h.wantLog(t, 11, "listener=mqtt", "too many open files", "times=60")
		if err := h.Ready(); err == nil ||
			err.Error() != "not every connection can be taken in: accept4: too many open files" {
			t.Errorf("while descriptors are out: %v", err)
		}
		p.fake.fail(nil)
		p.connect(strangerAddr)
		<-p.accepted
		if h.Ready() == nil {
			t.Error("Ready returned nil as soon as one connection was accepted")
		}
		time.Sleep(readyAfter)
		if err := h.Ready(); err != nil {
			t.Errorf("ten seconds later: %v", err)
		}
		if f := h.Stats(); f.Failed < 600 || f.Open != 3 {
			t.Errorf("stats %+v", f)
		}
		// Close does not wait for the next try either.
		p.fake.fail(outOfFiles())
		p.connect(strangerAddr)
		<-p.accepted
		time.Sleep(time.Minute)
		began := time.Now()
		p.end()
		if took := time.Since(began); took != 0 {
			t.Errorf("Accept returned after %s", took)
		}
	})
}

// There are never more connections than the limit. The next one is accepted as soon as one ends,
// without polling. Reserved places stay free for other listeners.
func TestConnectionLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestLimiter(5)
		devices := h.startListener(t, ListenerOptions{Name: "mqtt", ReservedForOthers: 2})
		watchers := h.startListener(t, ListenerOptions{Name: "admin"})
		synctest.Wait() // each of the two listeners holds a place for its next connection
		for range 3 {
			devices.connect(strangerAddr)
		}
		first, second := <-devices.accepted, <-devices.accepted
		time.Sleep(5 * time.Minute)
		if len(devices.accepted) != 0 || devices.fake.tried() != 2 || h.Ready() == nil {
			t.Errorf(
				"%d more connections were accepted, %d accepts, ready: %v",
				len(devices.accepted),
				devices.fake.tried(),
				h.Ready(),
			)
		}
		h.wantLog(t, 1, "listener=mqtt", "as many connections are open", "most=5")
		// The other listener has the places that are left.
		for range 3 {
			watchers.connect(strangerAddr)
		}
		<-watchers.accepted
		<-watchers.accepted
		synctest.Wait()
		watcher := <-watchers.accepted
		if f := h.Stats(); f.Open != 5 || f.MaxConnections != 5 {
			t.Errorf("%+v", f)
		}
		if err := watcher.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if len(devices.accepted) != 0 {
			t.Error("a device got a reserved place")
		}
		for range 2 { // the second Close releases nothing
			_ = first.Close() // is closed then
		}
		if err := second.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if len(devices.accepted) != 0 {
			t.Errorf("%d open, and a device was accepted", h.Stats().Open)
		}
		devices.end() // while it waits for room
		watchers.end()
	})
}

// The log reports rejected connections at most once a minute, and a fluctuating number of
// connections does not make the server ready and unready by turns.
func TestRejectedConnectionsMakeUnready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestLimiter(0)
		for range 100 {
			h.NoteRejected("mqtt", io.ErrShortBuffer)
			time.Sleep(readyAfter - time.Second)
			if err := h.Ready(); err == nil || !strings.HasSuffix(err.Error(), ": short buffer") {
				t.Fatalf("between two rejections: %v", err)
			}
		}
		h.wantLog(t, 15, "times=7", "short buffer")
		time.Sleep(time.Second)
		if err := h.Ready(); err != nil {
			t.Error(err)
		}
	})
}

// Wrapping layers find the same TCP connection as without the limiter.
func TestConnExposesUnderlyingTCP(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newTestLimiter(0).Listen(ln, ListenerOptions{})
	defer func() { _ = l.Close() }() // nothing was written
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }() // likewise
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := c.(interface{ Plain() net.Conn }).Plain().(*net.TCPConn); !ok {
		t.Error("Plain returned no TCP connection")
	}
	if n, err := c.(io.ReaderFrom).ReadFrom(strings.NewReader("hello")); n != 5 || err != nil {
		t.Error(n, err)
	}
	if err := c.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Error(err)
	}
	if said, err := io.ReadAll(client); string(said) != "hello" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
	if _, err := io.WriteString(client, "and back"); err != nil {
		t.Error(err)
	}
	if n, err := c.Read(make([]byte, 100)); n != 8 || err != nil {
		t.Error(n, err)
	}
}
