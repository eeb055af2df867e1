package ingest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	v5 "github.com/eclipse/paho.golang/packets"

	"tilth/internal/domain/device"
	"tilth/internal/platform/limit"
)

func TestMQTTQoS1IsAnsweredAfterTheCommit(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		c := e.dialSignedIn(version, "WS-1")
		e.journal.hold()
		c.send(c.telemetry(3.4, 1, 7))
		receive(t, e.journal.entered)
		c.ping() // answered at once, so there was no PUBACK before
		e.journal.release()
		c.wantAck(v5.PUBACK, 7, 0)
		if got := describe(e.journal.frames()); got != "1@0 air=3.4" {
			t.Errorf("committed %s", got)
		}
	})
}

// The messages of a client that pipelines are not serialised: they go into few commits and are
// answered in order.
func TestMQTTPipelinedClient(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		c := e.dialSignedIn(version, "WS-1")
		e.journal.hold()
		var all [][]byte
		var want []float64
		for i := range 32 {
			all = append(all, c.telemetry(float64(i), 1, uint16(100+i)))
			want = append(want, float64(i))
		}
		c.send(all...)
		c.ping()
		if s := e.pipeline.Stats(); s.Waiting != 32 || s.Acks != 0 {
			t.Errorf("%d waiting, %d answered; want all 32 to wait for the commit", s.Waiting, s.Acks)
		}
		e.journal.release()
		for i := range 32 {
			c.wantAck(v5.PUBACK, uint16(100+i), 0)
		}
		if got := e.journal.temperatures(1); !slices.Equal(got, want) {
			t.Errorf("committed %v", got)
		}
		if n := e.journal.commits(); n > 2 {
			t.Errorf("%d commits for the pipelined messages", n)
		}
	})
}

func TestMQTTFailedCommitIsNotAnswered(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		other := e.dialSignedIn(version, "WS-2")
		for qos := byte(1); qos <= 2; qos++ {
			e.journal.fail(errDisk)
			c := e.dialSignedIn(version, "WS-1")
			c.send(c.telemetry(3.4, qos, 7))
			c.wantEnd(reasonServerBusy)
			if frames := e.journal.frames(); len(frames) != int(qos)-1 {
				t.Fatalf("committed %s", describe(frames))
			}
			// The device reconnects and sends again.
			e.journal.fail(nil)
			c = e.dialSignedIn(version, "WS-1")
			c.send(c.telemetry(3.4, qos, 7))
			c.wantAck([]byte{v5.PUBACK, v5.PUBREC}[qos-1], 7, 0)
		}
		other.ping()
	})
}

func TestMQTTQoS0(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		c := e.dialSignedIn(version, "WS-1")
		c.send(c.telemetry(1, 0, 0), c.publish("v1/devices/me/telemetry", "{", 0, 0), c.telemetry(2, 0, 0))
		eventually(t, "both committed", func() bool { return slices.Equal(e.journal.temperatures(1), []float64{1, 2}) })
		c.ping() // the QoS 0 message was not answered
		if s := e.pipeline.Stats(); s.Acks != 0 {
			t.Errorf("%d answers", s.Acks)
		}
	})
}

func TestMQTTQoS2(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		c := e.dialSignedIn(version, "WS-1")
		first := c.telemetry(1, 2, 9)
		again := withDUP(first)

		e.journal.hold()
		c.send(first)
		receive(t, e.journal.entered)
		c.send(again) // before it is answered
		c.ping()
		e.journal.release()
		c.wantAck(v5.PUBREC, 9, 0)
		c.send(again) // as after a lost PUBREC
		c.wantAck(v5.PUBREC, 9, 0)
		c.send(c.pubrel(9))
		c.wantAck(v5.PUBCOMP, 9, 0)
		if got := e.journal.temperatures(1); !slices.Equal(got, []float64{1}) {
			t.Errorf("committed %v, want once", got)
		}
		// The identifier is free again.
		c.send(c.telemetry(2, 2, 9))
		c.wantAck(v5.PUBREC, 9, 0)
		c.send(c.pubrel(9))
		c.wantAck(v5.PUBCOMP, 9, 0)
		if got := e.journal.temperatures(1); !slices.Equal(got, []float64{1, 2}) {
			t.Errorf("committed %v", got)
		}
		// The PUBREL of an earlier connection is answered, too.
		c.send(c.pubrel(77))
		unknown := byte(0)
		if version == 5 {
			unknown = reasonIDNotFound
		}
		c.wantAck(v5.PUBCOMP, 77, unknown)
		// A PUBREL for an unanswered message violates the protocol.
		e.journal.hold()
		c.send(c.telemetry(3, 2, 10), c.pubrel(10))
		c.wantEnd(reasonProtocolError)
	})
}

func TestMQTTPublishReasonCodes(t *testing.T) {
	tests := []struct {
		from, topic, payload string
		reason               byte // for MQTT 5
	}{
		{"WS-1", "v1/devices/me/telemetry", `{"airTemperature":3}`, 0},
		{"WS-1", "v1/devices/me/telemetry", `{"airTemperature":3,"wind":1}`, 0},
		{"WS-1", "v1/devices/me/telemetry", `{}`, 0},
		{"WS-1", "v1/devices/me/telemetry", `{"airTemperature":-999}`, reasonBadPayload},
		{"WS-1", "v1/devices/me/telemetry", `no json`, reasonBadPayload},
		{"WS-1", "v1/devices/me/telemetry", ``, reasonBadPayload},
		{"WS-1", "v1/devices/me/attributes", `{"firmware":"1.2"}`, 0},
		{"WS-1", "v1/devices/me/attributes/request/1", `{}`, 0},
		{"WS-1", "v1/devices/me/rpc/response/4", `{}`, 0},
		{"WS-1", "v1/devices/me/claim", ``, 0},
		{"WS-1", "v1/devices/me/telemetri", `{}`, reasonBadTopic},
		{"WS-1", "v1/devices/WS-2/telemetry", `{"airTemperature":3}`, reasonBadTopic},
		{"WS-1", "v1/devices/BLUE-1/telemetry", `{"airTemperature":3}`, reasonBadTopic},
		{"WS-1", "/v1/devices/me/telemetry", `{"airTemperature":3}`, reasonBadTopic},
		{"WS-1", "v1/gateway/telemetry", `{"WS-2":[{"airTemperature":3}]}`, reasonNotAuthorized},
		{"WS-1", "v1/gateway/connect", `{"device":"WS-2"}`, reasonNotAuthorized},
		{"GW-1", "v1/gateway/attributes", `{"WS-2":{}}`, 0},
		{"GW-1", "v1/gateway/rpc", `{"device":"WS-2"}`, 0},
		{"GW-1", "v1/gateway/connect", `{"device":"WS-2"}`, 0},
		{"GW-1", "v1/gateway/connect", `{"device":"BLUE-1"}`, reasonBadPayload},
		{"GW-1", "v1/gateway/telemetry", `{"BLUE-1":[{"airTemperature":3}]}`, reasonBadPayload},
	}
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		clients := map[string]*client{"WS-1": e.dialSignedIn(version, "WS-1"), "GW-1": e.dialSignedIn(version, "GW-1")}
		for i, test := range tests {
			c, id := clients[test.from], uint16(i+1)
			reason := test.reason
			if version != 5 {
				reason = 0 // MQTT 3.1.1 has no reason codes
			}
			c.send(c.publish(test.topic, test.payload, 1, id))
			c.wantAck(v5.PUBACK, id, reason)
			c.send(c.publish(test.topic, test.payload, 2, id))
			c.wantAck(v5.PUBREC, id, reason)
			if reason == 0 {
				c.send(c.pubrel(id))
				c.wantAck(v5.PUBCOMP, id, 0)
			}
		}
		if got := e.journal.temperatures(2); len(got) > 0 {
			t.Errorf("frames were written for another device: %v", got)
		}
		if got := e.journal.temperatures(5); len(got) > 0 {
			t.Errorf("frames were written for another tenant's device: %v", got)
		}
		in := e.diagnostics.Get(green, 1)
		if in.Messages != 32 || in.Refused != 20 || in.LastRefusal.Reason != device.ReasonNotGateway {
			t.Errorf("diagnostics %+v", in)
		}
	})
}

func TestMQTTGateway(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		c := e.dialSignedIn(version, "GW-1")
		c.send(c.publish("v1/gateway/connect", `{"device":"WS-2"}`, 1, 1))
		c.wantAck(v5.PUBACK, 1, 0)
		if !e.presence.Status(green, 2).Online {
			t.Error("the child is not online after connect")
		}
		c.send(c.publish("v1/gateway/telemetry",
			`{"WS-1":[{"airTemperature":1}],"BLUE-1":[{"airTemperature":2}],"WS-2":[{"airTemperature":3}]}`, 1, 2))
		c.wantAck(v5.PUBACK, 2, 0)
		if got := describe(e.journal.frames()); got != "1@0 air=1; 2@0 air=3" {
			t.Errorf("committed %s", got)
		}
		if e.presence.Status(blue, 5).Online || e.diagnostics.Get(blue, 5).Messages != 0 {
			t.Error("another tenant's device is online")
		}
		in := e.diagnostics.Get(green, 3)
		if in.Refused != 1 || in.LastRefusal.Identifier != "BLUE-1" || in.LastRefusal.Reason != device.ReasonNotYours {
			t.Errorf("the gateway's diagnostics %+v", in)
		}
		c.send(c.publish("v1/gateway/disconnect", `{"device":"WS-2"}`, 1, 3))
		c.wantAck(v5.PUBACK, 3, 0)
		if e.presence.Status(green, 2).Online {
			t.Error("the child is not offline after disconnect")
		}
	})
}

func TestMQTTTopicAliases(t *testing.T) {
	e := newEdge(t).serve()
	c := e.dialSignedIn(5, "WS-1")
	publish := func(topic string, alias, id uint16) []byte {
		p := v5.Publish{Topic: topic, Payload: fmt.Appendf(nil, `{"airTemperature":%d}`, id), QoS: 1, PacketID: id,
			Properties: &v5.Properties{TopicAlias: &alias, User: []v5.User{{Key: "k", Value: "v"}}}}
		return packed5(&p)
	}
	c.send(
		publish("v1/devices/me/telemetry", 3, 1),
		publish("", 3, 2),
		publish("v1/devices/me/attributes", 3, 3),
		publish("", 3, 4),
	)
	for id := range uint16(4) {
		c.wantAck(v5.PUBACK, id+1, 0)
	}
	if got := e.journal.temperatures(1); !slices.Equal(got, []float64{1, 2}) {
		t.Errorf("committed %v", got)
	}
	c.send(publish("", 4, 5))
	c.wantEnd(reasonProtocolError)
	for _, alias := range []uint16{0, topicAliases + 1} {
		c = e.dialSignedIn(5, "WS-1")
		c.send(publish("v1/devices/me/telemetry", alias, 1))
		c.wantEnd(reasonBadAlias)
	}
}

func TestMQTTReceiveMaximum(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.InFlight = 4 }).serve()
	c := e.dialSignedIn(5, "WS-1")
	for id := range uint16(4) {
		c.send(c.telemetry(1, 2, id+1))
		c.wantAck(v5.PUBREC, id+1, 0)
	}
	c.send(c.telemetry(1, 2, 5))
	c.wantEnd(reasonReceiveMaximum)
	if n := len(e.journal.frames()); n != 4 {
		t.Errorf("%d committed", n)
	}
}

// Beyond the messages in flight the server stops reading from a client, and nothing is lost.
func TestMQTTInFlightLimit(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t, func(o *Options) { o.InFlight = 4 }).serve()
		c := e.dialSignedIn(version, "WS-1")
		e.journal.hold()
		var all [][]byte
		for i := range 20 {
			all = append(all, c.telemetry(float64(i), 1, uint16(i+1)))
		}
		c.send(all...)
		eventually(t, "as many in flight as may be", func() bool { return e.pipeline.Stats().Waiting == 4 })
		e.journal.release()
		for i := range 20 {
			c.wantAck(v5.PUBACK, uint16(i+1), 0)
		}
		if n := len(e.journal.frames()); n != 20 {
			t.Errorf("%d committed", n)
		}
	})
}

func TestMQTTSubscribe(t *testing.T) {
	filters := []struct {
		filter  string
		qos     byte
		device  byte // code for a device, MQTT 5
		gateway byte // code for a gateway, MQTT 5
	}{
		{"v1/devices/me/attributes", 1, 1, 1},
		{"v1/devices/me/rpc/request/+", 0, 0, 0},
		{"v1/devices/me/#", 2, 2, 2},
		{"v1/gateway/rpc", 1, reasonNotAuthorized, 1},
		{"v1/devices/WS-2/telemetry", 1, reasonNotAuthorized, reasonNotAuthorized},
		{"#", 1, reasonNotAuthorized, reasonNotAuthorized},
		{"v1/devices/+/telemetry", 1, reasonNotAuthorized, reasonNotAuthorized},
		{"$share/g/v1/devices/me/rpc", 1, reasonNotAuthorized, reasonNotAuthorized},
		{"v1/devices/me/a#", 1, reasonBadFilter, reasonBadFilter},
		{"v1/devices/me/#/b", 1, reasonBadFilter, reasonBadFilter},
		{"v1/devices/me/a+/b", 1, reasonBadFilter, reasonBadFilter},
	}
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		for _, name := range []string{"WS-1", "GW-1"} {
			body := []byte{0, 5}
			if version == 5 {
				body = append(body, 0)
			}
			unsubscribe := slices.Clone(body)
			want := slices.Clone(body)
			for _, f := range filters {
				body = append(append(body, 0, byte(len(f.filter))), f.filter...)
				unsubscribe = append(append(unsubscribe, 0, byte(len(f.filter))), f.filter...)
				body = append(body, f.qos)
				code := f.device
				if name == "GW-1" {
					code = f.gateway
				}
				if version != 5 && code > 2 {
					code = 0x80
				}
				want = append(want, code)
			}
			c := e.dialSignedIn(version, name)
			c.send(framed(v5.SUBSCRIBE<<4|2, body))
			c.want("SUBACK", func(kind byte, b []byte) bool { return kind == v5.SUBACK && slices.Equal(b, want) })
			c.send(framed(v5.UNSUBSCRIBE<<4|2, unsubscribe))
			want = want[:2]
			if version == 5 {
				want = append(want, make([]byte, 1+len(filters))...)
			}
			c.want("UNSUBACK", func(kind byte, b []byte) bool { return kind == v5.UNSUBACK && slices.Equal(b, want) })
		}
	})
}

// framed puts a first byte and a length before a body.
func framed(first byte, body []byte) []byte {
	out := []byte{first}
	n := len(body)
	for ; n >= 128; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(append(out, byte(n)), body...)
}

func TestMQTTShutdownFinishesWhatWasAccepted(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		c := e.dialSignedIn(version, "WS-1")
		idle := e.dialSignedIn(version, "WS-2")
		unknown := e.dial(version)
		e.journal.hold()
		c.send(c.telemetry(1, 1, 1), c.telemetry(2, 2, 2))
		c.ping()
		down := make(chan error, 1)
		go func() { down <- e.mqtt.Shutdown(context.Background()) }()
		idle.wantEnd(reasonShuttingDown)
		unknown.wantEnd(0)
		eventually(t, "no new connections", func() bool { return refusedDial(e.address) })
		select {
		case err := <-down:
			t.Fatalf("Shutdown returned before the commit (%v)", err)
		default:
		}
		e.journal.release()
		c.wantAck(v5.PUBACK, 1, 0)
		c.wantAck(v5.PUBREC, 2, 0)
		c.wantEnd(reasonShuttingDown)
		c.Close()
		if err := receive(t, down); err != nil {
			t.Error(err)
		}
		if n := e.pipeline.Stats().Connections; n != 0 {
			t.Errorf("%d connections left", n)
		}
	})
}

func TestMQTTShutdownGivesUpInTime(t *testing.T) {
	e := newEdge(t).serve()
	c := e.dialSignedIn(4, "WS-1")
	e.journal.hold()
	c.send(c.telemetry(1, 1, 1))
	c.ping()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := e.mqtt.Shutdown(ctx); err == nil {
		t.Error("Shutdown that ran out of time returned no error")
	}
	c.wantEnd(0)
}

// A message that waits for the rate limit is not lost when the server stops.
func TestMQTTShutdownTakesRateLimitedMessage(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.Rate, o.Burst = 0.001, 1 }).serve()
	c := e.dialSignedIn(5, "WS-1")
	c.send(c.telemetry(1, 1, 1), c.telemetry(2, 1, 2))
	c.wantAck(v5.PUBACK, 1, 0)
	eventually(
		t,
		"the second waits",
		func() bool { return e.pipeline.gate.messages.Peek(1, limit.One).Retry > 1000*time.Second },
	)
	down := make(chan error, 1)
	go func() { down <- e.mqtt.Shutdown(context.Background()) }()
	c.wantAck(v5.PUBACK, 2, 0)
	c.wantEnd(reasonShuttingDown)
	c.Close()
	if err := receive(t, down); err != nil {
		t.Error(err)
	}
}

// After the pipeline is closed nothing is accepted, and the client learns that it must send again.
func TestMQTTPipelineClosed(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		c := e.dialSignedIn(version, "WS-1")
		if err := e.pipeline.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		c.send(c.telemetry(1, 1, 1))
		c.wantEnd(reasonShuttingDown)
	})
}

// A device that is revoked while it waits for capacity releases its place.
func TestMQTTRevokedDeviceReleasesQueuePlace(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.QueueBytes = itemWeight + 100 }).serve()
	c, other := e.dialSignedIn(4, "WS-1"), e.dialSignedIn(4, "WS-2")
	e.journal.hold()
	other.send(other.telemetry(1, 1, 1))
	receive(t, e.journal.entered)
	c.send(c.telemetry(2, 1, 1))
	eventually(t, "the second waits", func() bool {
		e.mqtt.mu.Lock()
		defer e.mqtt.mu.Unlock()
		out := e.mqtt.devices[1][0].out
		out.mu.Lock()
		defer out.mu.Unlock()
		return out.pending == 1
	})
	entries := testDevices()
	entries[0] = entry(green, 1, "WS-1", false, true)
	e.registry.Replace(entries)
	c.wantEnd(0)
	e.journal.release()
	other.wantAck(v5.PUBACK, 1, 0)
	if got := describe(e.journal.frames()); got != "2@0 air=1" {
		t.Errorf("committed %s", got)
	}
}

func TestMQTTServeAfterShutdown(t *testing.T) {
	e := newEdge(t)
	if err := e.mqtt.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.mqtt.Serve(context.Background(), ln); !errors.Is(err, ErrClosed) {
		t.Errorf("Serve returned %v", err)
	}
	if !refusedDial(ln.Addr().String()) {
		t.Error("the listener is still open")
	}
}
