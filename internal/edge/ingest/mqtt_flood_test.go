package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v3 "github.com/eclipse/paho.mqtt.golang/packets"

	v5 "github.com/eclipse/paho.golang/packets"
)

// discarded reads and discards all answers to a client, and counts them.
func (c *client) discarded() (answers *atomic.Uint64) {
	c.t.Helper()
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		c.t.Fatal(err)
	}
	answers = &atomic.Uint64{}
	go func() {
		b := make([]byte, 64<<10)
		for {
			n, err := c.Conn.Read(b)
			if answers.Add(uint64(n)); err != nil {
				return
			}
		}
	}()
	return answers
}

// heapGrowth is by how many bytes the heap has grown.
func heapGrowth(before uint64) uint64 { return max(heap(), before) - before }

// For an MQTT 3.1.1 client that releases none of its QoS 2 messages, the server holds only what it
// needs to tell them apart; the client is served, and can release them. (An MQTT 5 client has a
// receive maximum: TestMQTTReceiveMaximum.)
func TestMQTTUnreleasedQoS2UsesBoundedMemory(t *testing.T) {
	const clients = 3
	e := newEdge(t, func(o *Options) { o.Journal = discardJournal{} }).serve()
	var all [clients]*client
	var answers [clients]*atomic.Uint64
	for i := range all {
		all[i] = e.dial(4)
		all[i].signIn("WS-1", fmt.Sprint("client ", i))
		answers[i] = all[i].discarded()
	}
	const answer = 4 // bytes
	answered := func(times uint64) func() bool {
		return func() bool {
			return !slices.ContainsFunc(answers[:], func(n *atomic.Uint64) bool { return n.Load() != times*answer })
		}
	}
	before := heap()
	var running sync.WaitGroup
	for _, c := range all {
		running.Go(func() {
			var many bytes.Buffer
			for id := 1; id <= math.MaxUint16; id++ {
				many.Write(c.telemetry(1, 2, uint16(id)))
				if many.Len() > 64<<10 || id == math.MaxUint16 {
					if err := c.write(many.Bytes()); err != nil {
						t.Error(err)
						return
					}
					many.Reset()
				}
			}
		})
	}
	running.Wait()
	received := func() (bytes uint64) {
		for _, n := range answers {
			bytes += n.Load()
		}
		return bytes
	}
	eventuallyWhile(t, "every message answered", received, answered(math.MaxUint16))
	// 20 KiB each, and what both ends of the connections take.
	if now := heapGrowth(before); now > clients*(20<<10)+512<<10 {
		t.Errorf("%d KiB are held for %d clients", now>>10, clients)
	}
	for _, c := range all {
		c.send(c.pubrel(1), c.pubrel(math.MaxUint16), c.telemetry(2, 2, 1))
	}
	eventually(t, "releases and another message answered", answered(math.MaxUint16+3))
}

// qos2Messages behave like a plain map.
func TestQoS2Messages(t *testing.T) {
	var x qos2Messages
	want := map[uint16]bool{}
	check := func(id uint16) {
		t.Helper()
		answered, known := x.get(id)
		if a, k := want[id]; a != answered || k != known || x.count != len(want) {
			t.Fatalf(
				"%d: answered %v, known %v, %d in all; want %v, %v, %d",
				id,
				answered,
				known,
				x.count,
				a,
				k,
				len(want),
			)
		}
	}
	ids := []uint16{1, 2, 63, 64, 65, 1023, 1024, 1025, 30000, math.MaxUint16 - 1, math.MaxUint16}
	for round := range 3 {
		for _, id := range ids {
			check(id)
			x.begin(id)
			want[id] = false
			check(id)
			if (int(id)+round)%2 == 0 {
				x.answer(id)
				want[id] = true
			}
			check(id)
		}
		for _, id := range ids {
			check(id)
			x.end(id)
			delete(want, id)
			x.end(id) // changes nothing
			check(id)
		}
		if len(x.pages) > 1 {
			t.Errorf("%d pages are left without messages", len(x.pages))
		}
	}
	x.answer(7) // an unknown message
	check(7)
}

// filled fills a packet's body with repetitions up to a size.
func filled(head, one []byte, size int) []byte {
	return append(slices.Clone(head), bytes.Repeat(one, (size-len(head))/len(one))...)
}

// withProperties puts a property block between the bytes before and after it.
func withProperties(before, block, after []byte) []byte {
	body := slices.Clone(before)
	for n := len(block); ; {
		digit := byte(n & 0x7f)
		if n >>= 7; n > 0 {
			body = append(body, digit|0x80)
			continue
		}
		body = append(body, digit)
		break
	}
	return append(append(body, block...), after...)
}

// Reading a packet takes little more memory than its own size, whatever it is full of. A codec that
// takes five hundred times as much lets a client on a slow line keep all processors busy.
func TestPacketReadingAllocatesLittle(t *testing.T) {
	const large = 256 << 10
	user := []byte{v5.PropUser, 0, 0, 0, 0}
	connect := withProperties(
		[]byte{0, 4, 'M', 'Q', 'T', 'T', 5, 0xC2, 0, 60},
		filled(nil, user, connectLimit-64),
		[]byte("\x00\x01c\x00\x01u\x00\x01p"),
	)
	for name, c := range map[string]struct {
		body []byte
		read func(body []byte) error
	}{
		"SUBSCRIBE 4":             {filled([]byte{0, 1}, []byte{0, 1, 'a', 0}, large), readSubscribeOf(4)},
		"SUBSCRIBE 5":             {filled([]byte{0, 1, 0}, []byte{0, 1, 'a', 0}, large), readSubscribeOf(5)},
		"SUBSCRIBE 5, properties": {withProperties([]byte{0, 1}, filled(nil, user, large), []byte{0, 1, 'a', 0}), readSubscribeOf(5)},
		"UNSUBSCRIBE 4":           {filled([]byte{0, 1}, []byte{0, 1, 'a'}, large), readUnsubscribeOf(4)},
		"UNSUBSCRIBE 5":           {filled([]byte{0, 1, 0}, []byte{0, 1, 'a'}, large), readUnsubscribeOf(5)},
		"PUBLISH 5": {withProperties([]byte{0, 1, 'a'}, filled(nil, user, large), nil), func(body []byte) error {
			_, err := parsePublish(packet{kind: v5.PUBLISH, body: body}, 5)
			return err
		}},
		"CONNECT 5": {connect, func(body []byte) error {
			_, rest, _ := cutProtocol(body)
			g, err := readConnect(rest, 5)
			if err == nil && (g.clientID != "c" || g.userName != "u" || g.password != "p" || g.keepAlive != 60) {
				err = fmt.Errorf("%+v", g)
			}
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.read(c.body)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; err != nil || took > uint64(len(c.body)) {
				t.Errorf("%d KiB for a packet of %d KiB, %v", took>>10, len(c.body)>>10, err)
			}
		})
	}
}

func readSubscribeOf(version byte) func([]byte) error {
	return func(body []byte) error {
		_, list, n, err := readSubscribe(packet{kind: v5.SUBSCRIBE, flags: 2, body: body}, version)
		for ; len(list) > 0; n-- {
			var filter []byte
			if filter, _, list = cutSubscription(list, version); string(filter) != "a" {
				return fmt.Errorf("unexpected filter %q", filter)
			}
		}
		if n != 0 {
			err = errors.Join(err, fmt.Errorf("the number of filters is off by %d", n))
		}
		return err
	}
}

func readUnsubscribeOf(version byte) func([]byte) error {
	return func(body []byte) error {
		_, _, err := readUnsubscribe(packet{kind: v5.UNSUBSCRIBE, flags: 2, body: body}, version)
		return err
	}
}

// Clients flood the server with requests that it answers at once, and read their answers: another
// device still gets its acknowledgements in time, and no memory is held for the flood.
func TestMQTTFloods(t *testing.T) {
	eachVersion(t, testFloods)
}

func testFloods(t *testing.T, version byte) {
	e := newEdge(t, func(o *Options) { o.Journal = discardJournal{} }).serve()
	other := e.dialSignedIn(4, "WS-1")
	start := []byte{0, 1} // of a list of topics
	if version == 5 {
		start = append(start, 0)
	}
	all := map[string]func(c *client) []byte{
		"repeats":                      func(c *client) []byte { return withDUP(c.telemetry(1, 2, 9)) },
		"releases of unknown messages": func(c *client) []byte { return c.pubrel(77) },
		"subscriptions": func(*client) []byte {
			return framed(0x82, filled(start, []byte("\x00\x15v1/devices/me/rpc/+/1\x01"), 64<<10))
		},
		"unsubscriptions": func(*client) []byte {
			return framed(0xA2, filled(start, []byte("\x00\x15v1/devices/me/rpc/+/1"), 64<<10))
		},
	}
	if version == 5 {
		all["properties"] = func(*client) []byte {
			return framed(
				0x30,
				withProperties([]byte{0, 1, 'a'}, filled(nil, []byte{v5.PropUser, 0, 0, 0, 0}, 64<<10), nil),
			)
		}
	}
	for name, flood := range all {
		t.Run(name, func(t *testing.T) {
			before := heap()
			const floods = 4
			var clients []*client
			var running sync.WaitGroup
			var sent atomic.Int64
			for i := range floods {
				c := e.dial(version)
				c.signIn("WS-2", fmt.Sprint("flood ", i))
				c.send(c.telemetry(1, 2, 9))
				c.wantAck(v5.PUBREC, 9, 0)
				c.discarded()
				clients = append(clients, c)
				one := flood(c)
				many := bytes.Repeat(one, 1+(64<<10)/len(one))
				running.Go(func() {
					for c.write(many) == nil {
						sent.Add(1)
					}
				})
			}
			eventually(t, "the floods under way", func() bool { return sent.Load() > 4*floods })
			longest := other.wantTimelyAcks()
			// This includes what the floods leave behind while the heap is measured.
			if now := heapGrowth(before); now > 64<<20 {
				t.Errorf("%d MiB are held", now>>20)
			}
			t.Logf("%d chunks of 64 KiB, the slowest acknowledgement took %s", sent.Load(), longest)
			for _, c := range clients {
				c.reset()
			}
			running.Wait()
			e.wantFloodsGone(func() uint64 { return e.pipeline.Stats().Bytes })
		})
	}
	if s := e.pipeline.Stats(); s.Panics != 0 || s.Malformed != 0 || s.Stalls != 0 {
		t.Errorf("stats %+v", s)
	}
}

// wantFloodsGone waits until one connection is left, as long as bytes are read: those that the system
// has received of the others before they were reset.
func (e *edge) wantFloodsGone(read func() uint64) {
	e.t.Helper()
	eventuallyWhile(e.t, "the floods gone", read, func() bool { return e.pipeline.Stats().Connections == 1 })
}

// wantTimelyAcks checks that fifty messages are acknowledged, nine of ten within three seconds, and
// returns how long the slowest took.
func (c *client) wantTimelyAcks() (longest time.Duration) {
	c.t.Helper()
	took := make([]time.Duration, 50)
	for i := range took {
		id := uint16(i + 1)
		begin := time.Now()
		c.send(c.telemetry(1, 1, id))
		c.wantAck(v5.PUBACK, id, 0)
		took[i] = time.Since(begin)
	}
	wantMostWithin(c.t, took, 3*time.Second)
	return slices.Max(took)
}

// wantMostWithin checks that nine of ten of what was measured took at most so long. Whatever holds others
// up holds up many of them; a busy machine delays one or the other.
func wantMostWithin(t testing.TB, took []time.Duration, most time.Duration) {
	t.Helper()
	if late := slices.Sorted(slices.Values(took))[len(took)*9/10]; late > most {
		t.Errorf("a tenth of %d took %s or longer", len(took), late)
	}
}

// A QoS 2 message that is repeated before its commit, with any content, stays one message: nothing
// more waits, and it is committed and answered once.
func TestMQTTRepeatsBeforeTheCommit(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		c := e.dialSignedIn(version, "WS-1")
		e.journal.hold()
		t.Cleanup(e.journal.release) // also if the test fails
		c.send(c.telemetry(1, 2, 9))
		receive(t, e.journal.entered)
		waiting := e.pipeline.Stats().Waiting
		before := heap()
		if err := c.SetWriteDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		repeats := bytes.Repeat(append(withDUP(c.telemetry(1, 2, 9)), c.telemetry(2, 2, 9)...), 1000)
		for range 50 {
			c.send(repeats)
		}
		c.ping() // all repeats were read, and none was answered
		if now := heapGrowth(before); now > 4<<20 {
			t.Errorf("%d KiB are held", now>>10)
		}
		if now := e.pipeline.Stats().Waiting; now != waiting {
			t.Errorf("%d messages wait, %d did", now, waiting)
		}
		e.journal.release()
		c.wantAck(v5.PUBREC, 9, 0)
		c.send(c.pubrel(9))
		c.wantAck(v5.PUBCOMP, 9, 0) // and no second PUBREC before
		if got := e.journal.temperatures(1); !slices.Equal(got, []float64{1}) {
			t.Errorf("committed %v, want once", got)
		}
	})
}

// Wills and retained messages are neither stored nor delivered, however large they are.
func TestMQTTWillsAndRetained(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		const clients = 100
		e := newEdge(t, func(o *Options) { o.PerDevice = clients }).serve()
		before := heap()
		will := bytes.Repeat([]byte("x"), 30<<10)
		copy(will, `{"airTemperature":1}`)
		var all []*client
		for i := range clients {
			c := e.dial(version)
			c.send(c.connectWithWill(fmt.Sprint("client ", i), "v1/devices/me/telemetry", will))
			c.want("CONNACK accepted", accepted)
			all = append(all, c)
		}
		if now := heapGrowth(before); now > clients*(24<<10)+1<<20 {
			t.Errorf("%d KiB are held for %d clients", now>>10, clients)
		}
		for _, c := range all {
			c.reset()
		}
		eventually(t, "all gone", func() bool { return e.pipeline.Stats().Connections == 0 })
		c := e.dial(version)
		c.signIn("WS-2", "a")
		retained := c.telemetry(7, 2, 3)
		retained[0] |= 1
		c.send(retained)
		c.wantAck(v5.PUBREC, 3, 0)
		late := e.dial(version)
		late.signIn("WS-2", "b")
		list := []byte("\x00\x17v1/devices/me/telemetry\x02")
		if version == 5 {
			list = append([]byte{0}, list...)
		}
		late.send(framed(0x82, append([]byte{0, 1}, list...)))
		late.want("SUBACK", func(kind byte, _ []byte) bool { return kind == v5.SUBACK })
		late.ping() // and nothing before it
		if got := describe(e.journal.frames()); got != "2@0 air=7" {
			t.Errorf("committed %s", got)
		}
	})
}

// connectWithWill makes a CONNECT of WS-1 with a retained will of QoS 2.
func (c *client) connectWithWill(clientID, topic string, message []byte) []byte {
	if c.version == 5 {
		p := v5.Connect{
			ProtocolName:    "MQTT",
			ProtocolVersion: 5,
			CleanStart:      true,
			KeepAlive:       60,
			ClientID:        clientID,
			UsernameFlag:    true,
			Username:        "WS-1",
			PasswordFlag:    true,
			Password:        []byte(secretOf("WS-1")),
			Properties:      &v5.Properties{},
			WillFlag:        true,
			WillRetain:      true,
			WillQOS:         2,
			WillTopic:       topic,
			WillMessage:     message,
			WillProperties:  &v5.Properties{},
		}
		return packed5(&p)
	}
	p := v3.NewControlPacket(v3.Connect).(*v3.ConnectPacket)
	p.ProtocolName, p.ProtocolVersion, p.CleanSession, p.Keepalive, p.ClientIdentifier = "MQTT", 4, true, 60, clientID
	p.UsernameFlag, p.Username, p.PasswordFlag, p.Password = true, "WS-1", true, []byte(secretOf("WS-1"))
	p.WillFlag, p.WillRetain, p.WillQos, p.WillTopic, p.WillMessage = true, true, 2, topic, message
	return packed3(p)
}
