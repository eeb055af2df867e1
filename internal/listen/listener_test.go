package listen

import (
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const somebody = "192.0.2.1:1000"

// Out of descriptors it tries on, and not faster and faster; the log says so once a
// minute, and who asks is told that it is not ready, until ten seconds after the last.
func TestAcceptGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(0)
		p := h.porch(t, Door{Name: "mqtt"})
		if err := h.Ready(); err != nil {
			t.Errorf("before all: %v", err)
		}
		synctest.Wait()
		p.script.fail(outOfFiles())
		p.connect(somebody) // was awaited already
		<-p.taken
		time.Sleep(10*time.Minute + time.Second)
		if n := p.script.tried(); n < 600 || n > 620 {
			t.Errorf("%d tries in ten minutes", n)
		}
		h.told(t, 11, "listener=mqtt", "too many open files", "times=60")
		if err := h.Ready(); err == nil || err.Error() != "not every connection can be taken in: accept4: too many open files" {
			t.Errorf("meanwhile: %v", err)
		}
		p.script.fail(nil)
		p.connect(somebody)
		<-p.taken
		if h.Ready() == nil {
			t.Error("it is ready as soon as one came in")
		}
		time.Sleep(calm)
		if err := h.Ready(); err != nil {
			t.Errorf("ten seconds later: %v", err)
		}
		if f := h.Figures(); f.Failed < 600 || f.Open != 3 {
			t.Errorf("%+v", f)
		}
		// Nor is a stop kept waiting.
		p.script.fail(outOfFiles())
		p.connect(somebody)
		<-p.taken
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
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(5)
		devices, watchers := h.porch(t, Door{Name: "mqtt", Kept: 2}), h.porch(t, Door{Name: "admin"})
		synctest.Wait() // each of the two holds a place for the next
		for range 3 {
			devices.connect(somebody)
		}
		first, second := <-devices.taken, <-devices.taken
		time.Sleep(5 * time.Minute)
		if len(devices.taken) != 0 || devices.script.tried() != 2 || h.Ready() == nil {
			t.Errorf("%d more were taken in, %d tries, ready: %v", len(devices.taken), devices.script.tried(), h.Ready())
		}
		h.told(t, 1, "listener=mqtt", "as many connections are open", "most=5")
		// The watchers have the places that are left.
		for range 3 {
			watchers.connect(somebody)
		}
		<-watchers.taken
		<-watchers.taken
		synctest.Wait()
		watcher := <-watchers.taken
		if f := h.Figures(); f.Open != 5 || f.Most != 5 {
			t.Errorf("%+v", f)
		}
		if err := watcher.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if len(devices.taken) != 0 {
			t.Error("a device was taken in to a watcher's place")
		}
		for range 2 { // the second time gives nothing back
			_ = first.Close() // is closed then
		}
		if err := second.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if len(devices.taken) != 0 {
			t.Errorf("%d open, and a device was taken in", h.Figures().Open)
		}
		devices.end() // while it waits for room
		watchers.end()
	})
}

// Room again is told from the log's next minute on, and a crowd that comes and goes is
// not ready and unready by turns.
func TestTurnedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(0)
		for range 100 {
			h.Turned("mqtt", io.ErrShortBuffer)
			time.Sleep(calm - time.Second)
			if err := h.Ready(); err == nil || !strings.HasSuffix(err.Error(), ": short buffer") {
				t.Fatalf("between two: %v", err)
			}
		}
		h.told(t, 15, "times=7", "short buffer")
		time.Sleep(time.Second)
		if err := h.Ready(); err != nil {
			t.Error(err)
		}
	})
}

// What lies over a connection finds of it what it would find of the network's.
func TestConnectionIsTheNetworks(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newHouse(0).Listen(ln, Door{})
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
