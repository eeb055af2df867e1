package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	v5 "github.com/eclipse/paho.golang/packets"
)

func TestPacketReader(t *testing.T) {
	small, large := bytes.Repeat([]byte("a"), 100), bytes.Repeat([]byte("b"), 60_000)
	stream := bytes.Join([][]byte{framed(0x30, small), framed(0x32, large), {0xC0, 0}, framed(0x31, small)}, nil)
	for name, r := range map[string]io.Reader{
		"at once":      bytes.NewReader(stream),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(stream)),
		"in halves":    iotest.HalfReader(bytes.NewReader(stream)),
		"end with it":  iotest.DataErrReader(bytes.NewReader(stream)),
	} {
		p := packetReader{r: bufio.NewReaderSize(r, 256), limit: 1 << 20}
		for i, want := range []packet{{3, 0, small}, {3, 2, large}, {12, 0, nil}, {3, 1, small}} {
			got, err := p.next()
			if err != nil || got.kind != want.kind || got.flags != want.flags || !bytes.Equal(got.body, want.body) {
				t.Errorf("%s: packet %d: kind %d, %d bytes, %v", name, i, got.kind, len(got.body), err)
			}
		}
		if _, err := p.next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: at the end: %v", name, err)
		}
	}
}

func TestPacketReaderCutShort(t *testing.T) {
	whole := framed(0x30, bytes.Repeat([]byte("a"), 500))
	for n := 1; n < len(whole); n++ {
		for _, size := range []int{16, 4096} {
			p := packetReader{r: bufio.NewReaderSize(bytes.NewReader(whole[:n]), size), limit: 1 << 20}
			if _, err := p.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
	}
}

// An announced length is not allocated before the bytes have arrived.
func TestPacketReaderAllocatesWhatArrives(t *testing.T) {
	announced := append([]byte{0x30, 0xff, 0xff, 0xff, 0x7f}, make([]byte, 1000)...)
	p := packetReader{r: bufio.NewReader(bytes.NewReader(announced)), limit: 1 << 28}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := p.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if allocated > 100_000 {
		t.Errorf("%d bytes allocated for 256 MiB announced and 1,000 bytes sent", allocated)
	}
	p = packetReader{r: bufio.NewReader(bytes.NewReader(announced)), limit: 1 << 18}
	var violation protocolError
	if _, err := p.next(); !errors.As(err, &violation) || violation.reason != reasonTooLarge ||
		!strings.Contains(err.Error(), "268435455") {
		t.Errorf("error of a packet over the limit: %v", err)
	}
}

func TestParsePublishAllocatesNothing(t *testing.T) {
	for _, version := range []byte{4, 5} {
		whole := (&client{version: version}).telemetry(1, 1, 7)
		pk := packet{kind: v5.PUBLISH, flags: whole[0] & 15, body: whole[2:]}
		n := testing.AllocsPerRun(100, func() {
			pub, err := parsePublish(pk, version)
			if err != nil || pub.id != 7 || pub.qos != 1 || kindOf(pub.topic) != Telemetry ||
				string(pub.payload) != `{"airTemperature":1}` {
				t.Fatalf("%+v %v", pub, err)
			}
		})
		if n > 0 {
			t.Errorf("version %d: %v allocations", version, n)
		}
	}
}

// replayConn is a connection whose client has sent everything already and reads every answer.
type replayConn struct {
	*bytes.Reader
	net.Conn
}

func (w replayConn) Read(b []byte) (int, error)       { return w.Reader.Read(b) }
func (w replayConn) Write(b []byte) (int, error)      { return len(b), nil }
func (w replayConn) Close() error                     { return nil }
func (w replayConn) SetReadDeadline(time.Time) error  { return nil }
func (w replayConn) SetWriteDeadline(time.Time) error { return nil }

// FuzzConnection feeds a signed-in connection with arbitrary bytes: it ends without a panic, and
// never writes for another device.
func FuzzConnection(f *testing.F) {
	for _, version := range []byte{4, 5} {
		c := client{version: version}
		f.Add(version, bytes.Join([][]byte{
			c.telemetry(1, 0, 0), c.telemetry(2, 1, 1), c.telemetry(3, 2, 2), c.pubrel(2),
			c.publish("v1/gateway/telemetry", `{"WS-2":[{"humidity":5}]}`, 1, 3), {0xC0, 0}, {0xE0, 0},
		}, nil))
		f.Add(version, framed(0x82, []byte("\x00\x01\x00\x19v1/devices/me/attributes\x01")))
		f.Add(version, framed(0xA2, []byte("\x00\x01\x00\x00\x01a")))
	}
	e := newEdge(f, func(o *Options) { o.Now = runningClock() }) // more messages than a burst
	f.Fuzz(func(t *testing.T, version byte, sent []byte) {
		version = 4 + version%2
		c := client{version: version}
		whole := append(c.connect("WS-1", secretOf("WS-1"), "a"), sent...)
		e.mqtt.ServeConn(replayConn{Reader: bytes.NewReader(whole)}, "192.0.2.1")
		checkFuzzed(t, e)
	})
}

// FuzzConnect feeds a connection that has not signed in.
func FuzzConnect(f *testing.F) {
	for _, version := range []byte{4, 5} {
		c := client{version: version}
		f.Add(c.connect("WS-1", secretOf("WS-1"), "a"))
		f.Add(c.connect("WS-1", "wrong", ""))
	}
	f.Add([]byte("\x10\x0c\x00\x04MQTT\x05\xce\x00\x00\x00"))
	e := newEdge(f, func(o *Options) { o.Now, o.FailureRate, o.FailureBurst = runningClock(), 1e9, 1e9 })
	f.Fuzz(func(t *testing.T, sent []byte) {
		e.mqtt.ServeConn(replayConn{Reader: bytes.NewReader(sent)}, "192.0.2.1")
		checkFuzzed(t, e)
	})
}

func checkFuzzed(t *testing.T, e *edge) {
	t.Helper()
	s := e.pipeline.Stats()
	if s.Panics > 0 || s.Connections != 0 {
		t.Fatalf("stats %+v", s)
	}
	eventually(t, "everything settled", func() bool { return e.pipeline.Stats().Waiting == 0 })
	for _, f := range e.journal.frames() {
		if f.Device != 1 || f.Tenant != green {
			t.Fatalf("a frame was written for device %d", f.Device)
		}
	}
	e.journal.forget()
}

// FuzzProperties compares the reader of MQTT 5 properties with a codec: they accept and refuse the
// same blocks, except for numbers that are cut short, and read the same values.
func FuzzProperties(f *testing.F) {
	two, four := uint16(7), uint32(70_000)
	for _, p := range []v5.Properties{
		{SessionExpiryInterval: &four, ReceiveMaximum: &two, MaximumPacketSize: &four, AuthMethod: "m", AuthData: []byte("d"), User: []v5.User{{Key: "k", Value: "v"}}},
		{TopicAlias: &two, ContentType: "c", ResponseTopic: "r", CorrelationData: []byte("x"), MessageExpiry: &four},
	} {
		for _, kind := range []byte{v5.CONNECT, v5.PUBLISH} {
			f.Add(kind, p.Pack(kind))
		}
	}
	f.Add(v5.SUBSCRIBE, []byte{v5.PropSubscriptionIdentifier, 0x80, 0x01})
	f.Add(v5.UNSUBSCRIBE, []byte{v5.PropUser, 0, 1, 'a', 0, 1})
	f.Fuzz(func(t *testing.T, kind byte, block []byte) {
		if !slices.Contains([]byte{v5.CONNECT, v5.PUBLISH, v5.SUBSCRIBE, v5.UNSUBSCRIBE}, kind) || len(block) > 1<<20 {
			return
		}
		body := withProperties(nil, block, nil)
		whole, rest, ok := cutProperties(body)
		if !ok || len(rest) > 0 {
			t.Fatal("the block's length is wrong")
		}
		got, err := readProperties(whole, kind)
		var want v5.Properties
		number := malformed(fmt.Sprintf("property %d is cut short", v5.PropSubscriptionIdentifier))
		if e := want.Unpack(bytes.NewBuffer(body), kind); (e == nil) != (err == nil) && !errors.Is(err, number) {
			t.Fatalf("error %v, the codec's is %v", err, e)
		}
		if err != nil {
			return
		}
		same := func(p *uint16, has bool, v uint16) bool { return (p != nil) == has && (p == nil || *p == v) }
		if !same(want.TopicAlias, got.has.alias, got.alias) ||
			!same(want.ReceiveMaximum, got.has.receiveMaximum, got.receiveMaximum) ||
			(want.MaximumPacketSize != nil) != got.has.maxPacket ||
			want.MaximumPacketSize != nil && *want.MaximumPacketSize != got.maxPacket ||
			want.SessionExpiryInterval != nil && *want.SessionExpiryInterval != got.sessionExpiry ||
			(want.AuthMethod != "") != got.authMethod ||
			(want.SubscriptionIdentifier != nil) != got.has.subscription {
			t.Errorf("properties %+v, the codec's are %+v", got, want)
		}
	})
}
