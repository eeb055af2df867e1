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

// Out of descriptors it tries on, and not faster and faster; the log says so once a
// minute, and who asks is told that it is not ready, until ten seconds after the last.
func TestAcceptRetriesWhenOutOfFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestLimiter(0)
		p := h.startListener(t, ListenerOptions{Name: "mqtt"})
		if err := h.Ready(); err != nil {
			t.Errorf("before all: %v", err)
		}
		synctest.Wait()
		p.fake.fail(outOfFiles())
		p.connect(strangerAddr) // was awaited already
		<-p.accepted
		time.Sleep(10*time.Minute + time.Second)
		if n := p.fake.tried(); n < 600 || n > 620 {
			t.Errorf("%d tries in ten minutes", n)
		}
		h.wantLog(t, 11, "listener=mqtt", "too many open files", "times=60")
		if err := h.Ready(); err == nil ||
			err.Error() != "not every connection can be taken in: accept4: too many open files" {
			t.Errorf("meanwhile: %v", err)
		}
		p.fake.fail(nil)
		p.connect(strangerAddr)
		<-p.accepted
		if h.Ready() == nil {
			t.Error("it is ready as soon as one came in")
		}
		time.Sleep(readyAfter)
		if err := h.Ready(); err != nil {
			t.Errorf("ten seconds later: %v", err)
		}
		if f := h.Stats(); f.Failed < 600 || f.Open != 3 {
			t.Errorf("%+v", f)
		}
		// Nor is a stop kept waiting.
		p.fake.fail(outOfFiles())
		p.connect(strangerAddr)
		<-p.accepted
		time.Sleep(time.Minute)
		began := time.Now()
		p.end()
		if took := time.Since(began); took != 0 {
			t.Errorf("it ended after %s", took)
		}
	})
}

// There are never more connections than there is room for; the next is taken in once
// one has ended, and not by trying. Places that are kept for others stay free for them.
func TestConnectionLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestLimiter(5)
		devices, watchers := h.startListener(
			t,
			ListenerOptions{Name: "mqtt", ReservedForOthers: 2},
		), h.startListener(
			t,
			ListenerOptions{Name: "admin"},
		)
		synctest.Wait() // each of the two holds a place for the next
		for range 3 {
			devices.connect(strangerAddr)
		}
		first, second := <-devices.accepted, <-devices.accepted
		time.Sleep(5 * time.Minute)
		if len(devices.accepted) != 0 || devices.fake.tried() != 2 || h.Ready() == nil {
			t.Errorf(
				"%d more were taken in, %d tries, ready: %v",
				len(devices.accepted),
				devices.fake.tried(),
				h.Ready(),
			)
		}
		h.wantLog(t, 1, "listener=mqtt", "as many connections are open", "most=5")
		// The watchers have the places that are left.
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
			t.Error("a device was taken in to a watcher's place")
		}
		for range 2 { // the second time gives nothing back
			_ = first.Close() // is closed then
		}
		if err := second.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if len(devices.accepted) != 0 {
			t.Errorf("%d open, and a device was taken in", h.Stats().Open)
		}
		devices.end() // while it waits for room
		watchers.end()
	})
}

// Room again is told from the log's next minute on, and a crowd that comes and goes is
// not ready and unready by turns.
func TestRejectedConnectionsMakeUnready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestLimiter(0)
		for range 100 {
			h.NoteRejected("mqtt", io.ErrShortBuffer)
			time.Sleep(readyAfter - time.Second)
			if err := h.Ready(); err == nil || !strings.HasSuffix(err.Error(), ": short buffer") {
				t.Fatalf("between two: %v", err)
			}
		}
		h.wantLog(t, 15, "times=7", "short buffer")
		time.Sleep(time.Second)
		if err := h.Ready(); err != nil {
			t.Error(err)
		}
	})
}

// What lies over a connection finds of it what it would find of the network's.
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
		t.Error("it is no connection of TCP")
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
