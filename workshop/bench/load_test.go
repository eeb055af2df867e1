package bench

import (
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

func newTestGroup(t *testing.T, connections, devices int) *connectionGroup {
	t.Helper()
	c, err := newConnectionGroup(
		Options{Connections: connections, Window: 1, Duration: time.Second, Protocol: 4},
		NewTenant(devices, 1),
		time.Now(),
	)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// For any numbers of connections and devices, each message of a device has a number of its own,
// without gaps.
func TestMessageNumbersHaveNoGaps(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {7, 3}, {8, 4}, {16, 1}, {5, 5}, {3, 10}} {
		c := newTestGroup(t, n[0], n[1])
		members := 0
		for device := range min(n[0], n[1]) {
			own := c.ofDevice(device)
			members += len(own)
			var numbers []int
			for _, m := range own {
				if m.stream.device != device || m.parts != len(own) {
					t.Errorf("%v: of device %d: a connection of %d with %d parts", n, device, m.stream.device, m.parts)
				}
				for order := range 5 {
					numbers = append(numbers, m.number(order))
				}
			}
			slices.Sort(numbers)
			for i, number := range numbers {
				if number != i {
					t.Fatalf("%v: device %d has numbers %v", n, device, numbers)
				}
			}
			check := deviceCheck{group: c, senders: own}
			for number := range numbers {
				if m, order := check.sender(number); m.number(order) != number {
					t.Errorf("%v: number %d is found as %d", n, number, m.number(order))
				}
			}
		}
		if members != n[0] {
			t.Errorf("%v: %d connections belong to devices", n, members)
		}
	}
}

// If one connection fails, the group closes the others.
func TestConnectAllOrNone(t *testing.T) {
	f := newFakeServer(t, 3, 1)
	address := f.target().MQTT
	c := newTestGroup(t, 3, 3)
	c.world.Devices = slices.Clone(f.world.Devices)
	c.world.Devices[1].Secret = "wrong"
	err := c.connect(t.Context(), address)
	if err == nil || !strings.Contains(err.Error(), "of 3: CONNECT refused, code 0x5") {
		t.Fatalf("%v", err)
	}
	for i, m := range c.members {
		if m.nc == nil {
			continue
		}
		if _, err := m.nc.Write([]byte{0}); err == nil {
			t.Errorf("connection %d is still open", i)
		}
	}
}

// The run waits for the messages in flight at its end; they count as acknowledged, but not in time.
func TestLateAcknowledgements(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c := newTestGroup(t, 1, 1)
	m := c.members[0]
	m.nc, m.pending = near, make([]pendingMessage, 2)
	m.packets = *newPacketReader(4, []byte{0x40, 2, 0, 2, 0x40, 2, 0, 1})
	got := make(chan int, 1)
	go func() {
		n, b := 0, make([]byte, 4096)
		for {
			k, err := far.Read(b)
			n += k
			if err != nil || b[max(0, k-2)] == disconnectPacket {
				got <- n
				return
			}
		}
	}()
	m.run(time.Now(), time.Now().Add(10*time.Second), &c.latency)
	if m.err != nil || m.sent != 2 || m.ackCount != 2 || m.ackedInTime != 0 || !m.acked.has(0) || !m.acked.has(1) ||
		c.latency.max() != 0 {
		t.Errorf("%d sent, %d answered, %d in time, %v", m.sent, m.ackCount, m.ackedInTime, m.err)
	}
	if n := <-got; n < 2*70 {
		t.Errorf("%d bytes arrived", n)
	}
}

// The run gives up a server that stops answering; unacknowledged messages do not count.
func TestSilentServerIsGivenUp(t *testing.T) {
	f := newFakeServer(t, 1, 1)
	f.faulty = func(n int) (bool, bool) { return n <= 3, true }
	c := newTestGroup(t, 1, 1)
	c.world = f.world
	if err := c.connect(t.Context(), f.target().MQTT); err != nil {
		t.Fatal(err)
	}
	m := c.members[0]
	m.run(time.Now().Add(10*time.Second), time.Now().Add(100*time.Millisecond), &c.latency)
	var r Result
	c.count(&r)
	if r.Broken != 1 || r.Sent != 4 || r.Acknowledged != 3 || m.acked.has(3) ||
		!strings.Contains(r.FirstBreak.Error(), "BENCH-00001") {
		t.Errorf("%+v", r)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

// The connection answers acknowledgements that arrive together with one message each, in one write.
func TestAcknowledgementsTogether(t *testing.T) {
	near, far := net.Pipe()
	c := newTestGroup(t, 1, 1)
	m := c.members[0]
	m.nc, m.pending = near, make([]pendingMessage, 3)
	m.packets = *newPacketReader(4, []byte{0x40, 2, 0, 3, 0x40, 2, 0, 1, 0x40, 2, 0, 2, 0x40, 2, 0, 9})
	writes := make(chan []byte, 8)
	go func() {
		defer close(writes)
		for {
			b := make([]byte, 4096) // each read of a pipe returns one write, if it fits
			n, err := far.Read(b)
			if err != nil {
				return
			}
			writes <- b[:n]
		}
	}()
	m.run(time.Now().Add(time.Minute), time.Now().Add(time.Minute), &c.latency)
	near.Close()
	// The fourth acknowledgement has a packet identifier that does not exist.
	if m.err == nil || !strings.Contains(m.err.Error(), "packet 9") || m.ackedInTime != 3 || m.sent != 6 {
		t.Errorf("%d sent, %d in time, %v", m.sent, m.ackedInTime, m.err)
	}
	n := 0
	for b := range writes {
		n++
		if len(b) < 3*70 {
			t.Errorf("write %d has %d bytes, too few for three messages", n, len(b))
		}
	}
	if n != 1 { // the next three messages were not written: the connection broke first
		t.Errorf("%d writes", n)
	}
}
