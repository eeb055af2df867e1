package ingest

import (
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	v5 "github.com/eclipse/paho.golang/packets"
)

// A client that sends something that is not MQTT, or not allowed, loses its connection; other
// connections are not affected.
func TestMQTTBrokenPacketsEndTheirConnectionOnly(t *testing.T) {
	topic := "v1/devices/me/telemetry"
	publish := func(first byte, body ...byte) []byte { return framed(first, body) }
	withTopic := func(rest ...byte) []byte {
		return append(append([]byte{0, byte(len(topic))}, topic...), rest...)
	}
	tests := []struct {
		name    string
		version byte // 0: both
		bytes   []byte
		reason  byte
	}{
		{"second CONNECT", 0, framed(0x10, []byte{0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 0}), reasonProtocolError},
		{"packet type 0", 0, []byte{0x00, 0}, reasonProtocolError},
		{"AUTH", 5, []byte{0xF0, 0}, reasonProtocolError},
		{"unexpected PUBACK", 0, []byte{0x40, 2, 0, 1}, reasonProtocolError},
		{"CONNACK from a client", 0, []byte{0x20, 2, 0, 0}, reasonProtocolError},
		{"endless length", 0, []byte{0x30, 0xff, 0xff, 0xff, 0xff, 1}, reasonMalformed},
		{"oversized", 0, append([]byte{0x30}, 0x81, 0x80, 0x10), reasonTooLarge}, // 256 KiB + 1
		{"largest possible length", 0, []byte{0x32, 0xff, 0xff, 0xff, 0x7f}, reasonTooLarge},
		{"QoS 3", 0, publish(0x36, withTopic(0, 1, 0)...), reasonMalformed},
		{"QoS 0 sent again", 0, publish(0x38, withTopic(0)...), reasonMalformed},
		{"no topic length", 0, publish(0x30, 0), reasonMalformed},
		{"topic cut short", 0, publish(0x30, 0, 9, 'v', '1'), reasonMalformed},
		{"topic with wildcard", 0, publish(0x30, 0, 3, 'a', '/', '+', 0), reasonMalformed},
		{"topic with NUL", 0, publish(0x30, 0, 2, 'a', 0, 0), reasonMalformed},
		{"topic that is not UTF-8", 0, publish(0x30, 0, 2, 0xc3, 0x28, 0), reasonMalformed},
		{"empty topic", 0, publish(0x30, 0, 0, 0), reasonProtocolError},
		{"no identifier", 0, publish(0x32, withTopic(0)...), reasonMalformed},
		{"identifier 0", 0, publish(0x32, withTopic(0, 0, 0)...), reasonMalformed},
		{"properties beyond the packet", 5, publish(0x30, withTopic(9, 1)...), reasonMalformed},
		{"properties missing", 5, publish(0x30, withTopic()...), reasonMalformed},
		{"endless property length", 5, publish(0x30, withTopic(0xff, 0xff, 0xff, 0xff, 1)...), reasonMalformed},
		{"property of another packet", 5, publish(0x30, withTopic(3, 33, 0, 1)...), reasonMalformed},
		{"unknown property", 5, publish(0x30, withTopic(2, 99, 1)...), reasonMalformed},
		{"property cut short", 5, publish(0x30, withTopic(2, 35, 1)...), reasonMalformed},
		{"subscription identifier", 5, publish(0x30, withTopic(2, 11, 1)...), reasonProtocolError},
		{"PINGREQ with a body", 0, []byte{0xC0, 1, 0}, reasonMalformed},
		{"PUBREL with wrong flags", 0, []byte{0x60, 2, 0, 1}, reasonMalformed},
		{"PUBREL cut short", 0, []byte{0x62, 1, 0}, reasonMalformed},
		{"PUBREL of 0", 0, []byte{0x62, 2, 0, 0}, reasonMalformed},
		{"SUBSCRIBE with wrong flags", 4, framed(0x80, []byte{0, 1, 0, 1, 'a', 0}), reasonMalformed},
		{"SUBSCRIBE to nothing", 4, framed(0x82, []byte{0, 1}), reasonMalformed},
		{"SUBSCRIBE to nothing", 5, framed(0x82, []byte{0, 1, 0}), reasonMalformed},
		{"SUBSCRIBE without identifier", 0, framed(0x82, []byte{0}), reasonMalformed},
		{"SUBSCRIBE cut short", 4, framed(0x82, []byte{0, 1, 0, 9, 'a', 0}), reasonMalformed},
		{"SUBSCRIBE cut short", 5, framed(0x82, []byte{0, 1, 0, 0, 9, 'a', 0}), reasonMalformed},
		{"SUBSCRIBE without QoS", 4, framed(0x82, []byte{0, 1, 0, 1, 'a'}), reasonMalformed},
		{"SUBSCRIBE with QoS 3", 4, framed(0x82, []byte{0, 1, 0, 1, 'a', 3}), reasonMalformed},
		{"SUBSCRIBE with QoS 3", 5, framed(0x82, []byte{0, 1, 0, 0, 1, 'a', 3}), reasonMalformed},
		{"SUBSCRIBE, properties beyond it", 5, framed(0x82, []byte{0, 1, 9, 0}), reasonMalformed},
		{"UNSUBSCRIBE from nothing", 4, framed(0xA2, []byte{0, 1}), reasonMalformed},
		{"UNSUBSCRIBE cut short", 4, framed(0xA2, []byte{0, 1, 0, 9, 'a'}), reasonMalformed},
		{"UNSUBSCRIBE cut short", 5, framed(0xA2, []byte{0, 1, 0, 0, 1, 'a', 0, 9, 'a'}), reasonMalformed},
		{"UNSUBSCRIBE without identifier", 4, framed(0xA2, []byte{0}), reasonMalformed},
	}
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		other := e.dialSignedIn(version, "WS-2")
		broken := uint64(0)
		for _, test := range tests {
			if test.version != 0 && test.version != version {
				continue
			}
			t.Run(test.name, func(t *testing.T) {
				c := e.dialSignedIn(version, "WS-1")
				c.t = t
				c.send(test.bytes)
				c.wantEnd(test.reason)
				c.Close()
			})
			broken++
			other.ping()
		}
		if s := e.pipeline.Stats(); s.Malformed != broken || s.Panics != 0 {
			t.Errorf("stats %+v, want %d malformed", s, broken)
		}
		if n := len(e.journal.frames()); n > 0 {
			t.Errorf("%d frames were committed", n)
		}
	})
}

// An oversized packet shows in its device's diagnostics; before a sign-in there is no device to
// count it for.
func TestMQTTOversizedIsCounted(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		oversized := []byte{0x32, 0x81, 0x80, 0x10} // 256 KiB + 1
		unknown := e.dial(version)
		unknown.send(oversized)
		unknown.readToEnd()

		c := e.dialSignedIn(version, "WS-1")
		c.send(c.telemetry(1, 1, 7))
		c.wantAck(v5.PUBACK, 7, 0)
		c.send(oversized)
		c.wantEnd(reasonTooLarge)
		wantOversizedCounted(t, e, 2)
	})
}

// A client whose CONNECT is malformed is not signed in.
func TestMQTTMalformedConnect(t *testing.T) {
	hello := func(level, flags byte, rest ...byte) []byte {
		return framed(0x10, append([]byte{0, 4, 'M', 'Q', 'T', 'T', level, flags, 0, 60}, rest...))
	}
	for _, test := range []struct {
		name   string
		bytes  []byte
		answer []byte // what the client gets before the end
	}{
		{"HTTP", []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), nil},
		{"PUBLISH first", framed(0x30, []byte("\x00\x01ahello")), nil},
		{"CONNECT with flags", framed(0x11, nil), nil},
		{"empty CONNECT", []byte{0x10, 0}, nil},
		{"another protocol", framed(0x10, []byte("\x00\x04MQXX\x04\x02\x00\x00\x00\x00")), nil},
		{"MQTT by the name of MQTT 3.1", framed(0x10, []byte("\x00\x06MQIsdp\x04\x02\x00\x00\x00\x00")), nil},
		{"no level", framed(0x10, []byte("\x00\x04MQTT")), nil},
		{"cut short", framed(0x10, []byte("\x00\x04MQTT\x04\x02")), nil},
		{"over the limit before a sign-in", []byte{0x10, 0x81, 0x80, 0x02}, nil},
		{"reserved flag", hello(4, 0x03, 0, 0), nil},
		{"will QoS without will", hello(4, 0x0A, 0, 0), nil},
		{"will QoS 3", hello(4, 0x1E, 0, 0, 0, 0, 0, 0), nil},
		{"client identifier cut short", hello(4, 0x02, 0, 9, 'a'), nil},
		{"user name missing", hello(4, 0x82, 0, 1, 'a'), nil},
		{"trailing bytes", hello(4, 0x02, 0, 1, 'a', 'b'), nil},
		{"5: reserved flag", hello(5, 0x03, 0, 0, 0), []byte{0x20, 3, 0, reasonMalformed, 0}},
		{"5: no properties", hello(5, 0x02), []byte{0x20, 3, 0, reasonMalformed, 0}},
		{"5: properties beyond it", hello(5, 0x02, 9, 1), []byte{0x20, 3, 0, reasonMalformed, 0}},
		{"5: client identifier cut short", hello(5, 0x02, 0, 0, 9, 'a'), []byte{0x20, 3, 0, reasonMalformed, 0}},
		{"5: bytes left over", hello(5, 0x02, 0, 0, 1, 'a', 'b'), []byte{0x20, 3, 0, reasonMalformed, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newEdge(t).serve()
			c := e.dial(4)
			c.send(test.bytes)
			if test.answer != nil {
				c.want("the refusal", func(kind byte, body []byte) bool {
					return slices.Equal(framed(kind<<4, body), test.answer)
				})
			}
			c.wantEnd(0)
			if n := e.pipeline.Stats().Malformed; n != 1 {
				t.Errorf("%d counted", n)
			}
		})
	}
}

func TestMQTTTruncatedPackets(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		whole := (&client{version: version}).telemetry(1, 1, 1)
		for n := 1; n < len(whole); n++ {
			c := e.dialSignedIn(version, "WS-1")
			c.send(whole[:n])
			if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			c.wantEnd(0)
			c.Close()
		}
		if n := len(e.journal.frames()); n > 0 {
			t.Errorf("%d frames were made of truncated packets", n)
		}
	})
}

// A client that closes its write side still gets its answers.
func TestMQTTHalfClosed(t *testing.T) {
	e := newEdge(t).serve()
	c := e.dialSignedIn(4, "WS-1")
	e.journal.hold()
	c.send(c.telemetry(1, 1, 1), c.telemetry(2, 1, 2))
	if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	receive(t, e.journal.entered)
	e.journal.release()
	c.wantAck(v5.PUBACK, 1, 0)
	c.wantAck(v5.PUBACK, 2, 0)
	c.wantEnd(0)
}

// Messages larger than the buffer that reads them, up to the size limit, are accepted although they
// arrive in parts.
func TestMQTTLargeMessages(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		c := e.dialSignedIn(version, "WS-1")
		head := len(c.publish("v1/devices/me/telemetry", "", 1, 1)) - 2 // without the first byte and the length
		for i, size := range []int{readBufferSize - head, readBufferSize - head + 1, 100_000, 256<<10 - head} {
			payload := `{"airTemperature":1}`
			payload += strings.Repeat(" ", size-len(payload))
			whole := c.publish("v1/devices/me/telemetry", payload, 1, uint16(i+1))
			c.send(whole[:10])
			c.send(whole[10:3000])
			c.send(whole[3000:], c.telemetry(2, 0, 0))
			c.wantAck(v5.PUBACK, uint16(i+1), 0)
		}
		eventually(t, "all committed", func() bool { return len(e.journal.temperatures(1)) == 8 })
		if got := e.journal.temperatures(1); !slices.Equal(got, []float64{1, 2, 1, 2, 1, 2, 1, 2}) {
			t.Errorf("committed %v", got)
		}
	})
}

// servePipe serves one end of a pipe and returns the other; in a synctest bubble, deadlines are
// exact.
func servePipe(t *testing.T, e *edge, version byte) (c *client, ended chan struct{}) {
	ours, theirs := net.Pipe()
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		e.mqtt.ServeConn(theirs, "192.0.2.1")
	}()
	t.Cleanup(func() { ours.Close() })
	return &client{t: t, version: version, Conn: ours}, ended
}

func TestMQTTDeadlineForConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t)
		begin := time.Now()
		c, ended := servePipe(t, e, 4)
		hello := c.connect("WS-1", secretOf("WS-1"), "a")
		for i := range 9 { // sending byte by byte gains no time
			c.send(hello[i : i+1])
			time.Sleep(time.Second)
		}
		<-ended
		if d := time.Since(begin); d < 10*time.Second || d > 11*time.Second {
			t.Errorf("ended after %v", d)
		}
	})
}

func TestMQTTKeepAlive(t *testing.T) {
	for name, test := range map[string]struct {
		version   byte
		keepAlive uint16
		want      time.Duration
	}{
		"3.1.1":                     {4, 20, 30 * time.Second},
		"5":                         {5, 20, 30 * time.Second},
		"5, none: the server's own": {5, 0, 5400 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEdge(t)
				c, ended := servePipe(t, e, test.version)
				hello := c.connect("WS-1", secretOf("WS-1"), "a")
				binary.BigEndian.PutUint16(hello[10:], test.keepAlive)
				c.send(hello)
				c.want("CONNACK accepted", accepted)
				time.Sleep(test.want - time.Second)
				c.ping()
				begin := time.Now()
				c.send([]byte{0x30, 5}) // the beginning of a packet does not count
				if test.version == 5 {
					if err := c.SetReadDeadline(time.Time{}); err != nil {
						t.Fatal(err)
					}
					last := make([]byte, 3)
					if _, err := c.Conn.Read(last); err != nil || last[2] != reasonKeepAlive {
						t.Errorf("read % x, %v", last, err)
					}
				}
				<-ended
				if d := time.Since(begin); d < test.want || d > test.want+2*time.Second {
					t.Errorf("ended after %v, want %v", d, test.want)
				}
			})
		})
	}
}

// A device beyond its rate is slowed down; nothing it sent is lost.
func TestMQTTRateSlowsAndDropsNothing(t *testing.T) {
	for _, test := range []struct {
		device  string
		version byte
		share   int // devices that it publishes for
	}{{"WS-1", 4, 1}, {"WS-1", 5, 1}, {"GW-1", 5, 4}} {
		synctest.Test(t, func(t *testing.T) {
			e := newEdge(t, func(o *Options) { o.Now, o.Rate, o.Burst = runningClock(), 20, 10 })
			c, _ := servePipe(t, e, test.version)
			c.signIn(test.device, "a")
			begin := time.Now()
			const n = 90
			go func() {
				for i := range n {
					if _, err := c.Write(c.telemetry(float64(i%50), 1, uint16(i+1))); err != nil {
						return
					}
				}
			}()
			for i := range n {
				c.wantAck(v5.PUBACK, uint16(i+1), 0)
			}
			want := time.Duration(n-10*test.share) * time.Second / time.Duration(20*test.share)
			if d := time.Since(begin); d < want-time.Millisecond || d > want+time.Millisecond {
				t.Errorf("%s: %d messages took %v, want %v", test.device, n, d, want)
			}
			if got := len(e.journal.frames()); got != n {
				t.Errorf("%d of %d messages committed", got, n)
			}
		})
	}
}

// The server stops reading from a client that does not read its answers, whatever it requests again
// and again, and in the end cuts it off.
func TestMQTTClientNotReadingIsCutOff(t *testing.T) {
	subscribe := framed(0x82, []byte{0, 1, 0, 1, 'a', 0})
	for name, asks := range map[string]func(c *client) []byte{
		"pings":                        func(*client) []byte { return []byte{0xC0, 0} },
		"repeats":                      func(c *client) []byte { return withDUP(c.telemetry(1, 2, 9)) },
		"releases of unknown messages": func(c *client) []byte { return c.pubrel(77) },
		"endless subscription":         func(*client) []byte { return subscribe },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEdge(t)
				c, ended := servePipe(t, e, 4)
				c.signIn("WS-1", "a")
				c.send(c.telemetry(1, 2, 9))
				c.wantAck(v5.PUBREC, 9, 0)
				begin, asked := time.Now(), 0
				for ; ; asked++ {
					if _, err := c.Write(asks(c)); err != nil {
						break
					}
					if asked > 2*maxWaitingBytes {
						t.Fatalf("the server still reads after %d packets", asked)
					}
				}
				<-ended
				if d := time.Since(begin); d < 30*time.Second || d > 32*time.Second {
					t.Errorf("the client was cut off after %v", d)
				}
				if asked < maxWaitingBytes/8 { // an answer has two to five bytes
					t.Errorf("the server stopped reading after only %d packets", asked)
				}
			})
		})
	}
}

// withDUP marks a PUBLISH as a repetition.
func withDUP(publish []byte) []byte {
	publish = slices.Clone(publish)
	publish[0] |= 8 // DUP
	return publish
}

// Serve returns nil if the listener is closed from outside.
func TestMQTTListenerIsClosed(t *testing.T) {
	e := newEdge(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e.address = ln.Addr().String()
	served := make(chan error, 1)
	go func() { served <- e.mqtt.Serve(t.Context(), ln) }()
	e.dialSignedIn(4, "WS-1").ping()
	ln.Close()
	if err := receive(t, served); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve returned %v", err)
	}
}

// A panic ends one connection, not the process.
func TestMQTTFaultEndsOneConnection(t *testing.T) {
	e := newEdge(t).serve()
	other := e.dialSignedIn(4, "WS-2")
	c := e.dialSignedIn(4, "WS-1")
	e.fault.Store(true)
	c.send(c.telemetry(1, 1, 1))
	c.wantEnd(0)
	e.fault.Store(false)
	other.send(other.telemetry(2, 1, 1))
	other.wantAck(v5.PUBACK, 1, 0)
	if n := e.pipeline.stats.panics.Swap(0); n != 1 {
		t.Errorf("%d panics counted", n)
	}
}
