package ingest

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"testing"

	v3 "github.com/eclipse/paho.mqtt.golang/packets"

	v5 "github.com/eclipse/paho.golang/packets"

	"tilth/internal/domain/device"
)

func TestMQTTSignIn(t *testing.T) {
	tests := []struct {
		name, user, password, clientID string
		code3, reason                  byte
	}{
		{"name and secret", "WS-1", secretOf("WS-1"), "a", 0, 0},
		{"secret alone", secretOf("WS-1"), "", "a", 0, 0},
		{"no client identifier", "WS-1", secretOf("WS-1"), "", 0, 0},
		{"wrong secret", "WS-1", "wrong", "a", 5, 0x86},
		{"another's secret", "WS-1", secretOf("WS-2"), "a", 5, 0x86},
		{"name alone", "WS-1", "", "a", 5, 0x86},
		{"disabled", "WS-OFF", secretOf("WS-OFF"), "a", 5, 0x86},
		{"nothing", "", "", "a", 4, 0x86},
		{"unreadable client identifier", "WS-1", secretOf("WS-1"), "\xff", 0xff, 0x81},
	}
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		for _, test := range tests {
			c := e.dial(version)
			c.send(c.connect(test.user, test.password, test.clientID))
			code := test.code3
			if version == 5 {
				code = test.reason
			}
			if code == 0xff { // MQTT 3.1.1 has no code for it
				c.wantEnd(0)
				continue
			}
			c.want(fmt.Sprintf("%s: CONNACK %#x", test.name, code), func(kind byte, body []byte) bool {
				return kind == v5.CONNACK && len(body) >= 2 && body[0] == 0 && body[1] == code
			})
			if code == 0 {
				c.ping()
			} else {
				c.wantEnd(0)
			}
			c.Close()
		}
		if n := e.pipeline.Stats().SignInFailures; n != 4 {
			t.Errorf("%d failed sign-ins counted", n)
		}
	})
}

func TestMQTTSignInForms(t *testing.T) {
	e := newEdge(t).serve()

	// MQTT 5: the secret as password without a user name.
	c := e.dial(5)
	c.send(c.connect("", secretOf("WS-1"), "a"))
	c.want("CONNACK accepted", accepted)

	// MQTT 3.1.1 forbids that.
	c = e.dial(4)
	c.send(c.connect("", secretOf("WS-1"), "a"))
	c.want("CONNACK 4", func(kind byte, body []byte) bool { return kind == v5.CONNACK && body[1] == 4 })

	// A session to be kept needs a client identifier.
	c = e.dial(4)
	p := v3.NewControlPacket(v3.Connect).(*v3.ConnectPacket)
	p.ProtocolName, p.ProtocolVersion, p.UsernameFlag, p.Username = "MQTT", 4, true, secretOf("WS-1")
	c.send(packed3(p))
	c.want("CONNACK 2", func(kind byte, body []byte) bool { return kind == v5.CONNACK && body[1] == 2 })

	// With a client identifier it is accepted; the CONNACK says that no session is present.
	c = e.dial(4)
	p.ClientIdentifier = "kept"
	p.WillFlag, p.WillTopic, p.WillMessage, p.WillQos = true, "v1/devices/me/attributes", []byte("gone"), 1
	c.send(packed3(p))
	c.want("CONNACK accepted", accepted)

	// The length of a client identifier is limited, because it stays in memory.
	eachVersion(t, func(t *testing.T, version byte) {
		c := e.dial(version)
		c.t = t
		c.signIn("WS-1", strings.Repeat("x", maxClientID))
		c = e.dial(version)
		c.send(c.connect("WS-1", secretOf("WS-1"), strings.Repeat("x", maxClientID+1)))
		c.want("a refusal", func(kind byte, body []byte) bool {
			return kind == v5.CONNACK && body[1] == map[byte]byte{4: 2, 5: 0x85}[version]
		})
		c.t = t
		c.wantEnd(0)
	})

	for level, code := range map[byte]byte{3: 1, 2: 1} {
		c = e.dial(4)
		p.ProtocolVersion = level
		c.send(packed3(p))
		c.want("CONNACK 1", func(kind byte, body []byte) bool { return kind == v5.CONNACK && body[1] == code })
		c.wantEnd(0)
	}
	c = e.dial(5)
	p.ProtocolVersion = 6
	c.send(packed3(p))
	c.want("CONNACK 0x84", func(kind byte, body []byte) bool { return kind == v5.CONNACK && body[1] == reasonVersion })
	c.wantEnd(0)
}

func TestMQTT5Connack(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.InFlight, o.MaxMessage = 77, 9000 }).serve()
	connect := func(change func(*v5.Connect)) *v5.Connack {
		t.Helper()
		c := e.dial(5)
		p := v5.Connect{ProtocolName: "MQTT", ProtocolVersion: 5, CleanStart: true, KeepAlive: 60, ClientID: "a",
			UsernameFlag: true, Username: secretOf("WS-1"), Properties: &v5.Properties{}}
		change(&p)
		c.send(packed5(&p))
		kind, body, err := c.read()
		if err != nil || kind != v5.CONNACK {
			t.Fatalf("kind %d, %v", kind, err)
		}
		answer := v5.Connack{Properties: &v5.Properties{}}
		if err := answer.Unpack(bytes.NewBuffer(body)); err != nil {
			t.Fatal(err)
		}
		if answer.SessionPresent {
			t.Error("the CONNACK says that a session is present")
		}
		return &answer
	}

	a := connect(func(*v5.Connect) {})
	props := a.Properties
	if a.ReasonCode != 0 || *props.ReceiveMaximum != 77 || *props.MaximumPacketSize != 9000 ||
		*props.TopicAliasMaximum != topicAliases {
		t.Errorf("answer %v", a)
	}
	if props.AssignedClientID != "" || props.ServerKeepAlive != nil || props.SessionExpiryInterval != nil {
		t.Errorf("the CONNACK has unneeded properties: %v", a)
	}

	hour := uint32(3600)
	a = connect(func(p *v5.Connect) {
		p.ClientID, p.KeepAlive, p.CleanStart = "", 0, false
		p.Properties.SessionExpiryInterval = &hour
		p.WillFlag, p.WillTopic, p.WillMessage = true, "t", []byte("m")
		p.WillProperties = &v5.Properties{WillDelayInterval: &hour}
	})
	props = a.Properties
	if a.ReasonCode != 0 || props.AssignedClientID == "" || props.ServerKeepAlive == nil ||
		*props.ServerKeepAlive != maxKeepAlive {
		t.Errorf("answer %v", a)
	}
	if props.SessionExpiryInterval == nil || *props.SessionExpiryInterval != 0 {
		t.Error("a session was promised")
	}
	other := connect(func(p *v5.Connect) { p.ClientID = "" })
	if other.Properties.AssignedClientID == props.AssignedClientID {
		t.Error("the same client identifier was assigned twice")
	}

	zero, zero32 := uint16(0), uint32(0)
	for name, test := range map[string]struct {
		reason byte
		change func(*v5.Connect)
	}{
		"enhanced authentication": {reasonBadAuthMethod, func(p *v5.Connect) { p.Properties.AuthMethod = "SCRAM" }},
		"receive maximum 0":       {reasonProtocolError, func(p *v5.Connect) { p.Properties.ReceiveMaximum = &zero }},
		"maximum packet size 0":   {reasonProtocolError, func(p *v5.Connect) { p.Properties.MaximumPacketSize = &zero32 }},
	} {
		if a := connect(test.change); a.ReasonCode != test.reason {
			t.Errorf("%s: %#x", name, a.ReasonCode)
		}
	}
}

// A packet that is larger than an MQTT 5 client accepts is not sent.
func TestMQTT5MaximumPacketSize(t *testing.T) {
	e := newEdge(t).serve()
	dial := func(size uint32) *client {
		c := e.dial(5)
		p := v5.Connect{ProtocolName: "MQTT", ProtocolVersion: 5, CleanStart: true, KeepAlive: 60, ClientID: "a",
			UsernameFlag: true, Username: secretOf("WS-1"), Properties: &v5.Properties{MaximumPacketSize: &size}}
		c.send(packed5(&p))
		return c
	}
	c := dial(24)
	c.want("CONNACK accepted", accepted)
	body := []byte{0, 5, 0}
	for range 30 {
		body = append(body, 0, 1, 'a', 0)
	}
	c.send(framed(v5.SUBSCRIBE<<4|2, body)) // the SUBACK would be too large
	c.ping()
	dial(5).wantEnd(0)
}

func TestMQTTTakeOver(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t, func(o *Options) { o.PerDevice = 3 }).serve()
		first, other, unrelated := e.dial(version), e.dial(version), e.dial(version)
		first.signIn("WS-1", "logger")
		other.signIn("WS-1", "another client")
		unrelated.signIn("WS-2", "logger")
		again := e.dial(version)
		again.signIn("WS-1", "logger")
		first.wantEnd(reasonTakenOver)
		again.ping()
		other.ping()
		unrelated.ping()

		// Beyond the connections of one device its oldest one is ended.
		third, fourth := e.dial(version), e.dial(version)
		third.signIn("WS-1", "third")
		other.ping()
		fourth.signIn("WS-1", "fourth")
		other.wantEnd(reasonQuota)
		again.ping()
		third.ping()
		fourth.ping()
		eventually(t, "the ended ones are gone", func() bool { return e.pipeline.Stats().Connections == 4 })
	})
}

func TestMQTTPresence(t *testing.T) {
	e := newEdge(t).serve()
	// An hour later, only an open connection keeps the device online.
	online := func() bool {
		e.passed.Add(3_600_000)
		e.presence.Expire()
		return e.presence.Status(green, 1).Online
	}
	c := e.dialSignedIn(4, "WS-1")
	second := e.dial(4)
	second.signIn("WS-1", "second")
	if !online() {
		t.Error("the device is offline despite its connection")
	}
	c.send([]byte{v5.DISCONNECT << 4, 0})
	c.wantEnd(0)
	eventually(t, "one connection left", func() bool { return e.pipeline.Stats().Connections == 1 })
	if !online() {
		t.Error("the device is offline despite its second connection")
	}
	second.Close()
	eventually(t, "offline without a connection", func() bool { return !online() })
}

func TestMQTTRevokedDeviceIsDisconnected(t *testing.T) {
	replaced := func(e *edge, change func(name string) *device.Entry) {
		entries := testDevices()
		for i, x := range entries {
			if n := change(x.Name); n != nil {
				entries[i] = n
			}
		}
		e.registry.Replace(entries)
	}
	changes := map[string]func(name string) *device.Entry{
		"device disabled": func(name string) *device.Entry {
			if name == "WS-1" {
				return entry(green, 1, name, false, true)
			}
			return nil
		},
		"secret revoked": func(name string) *device.Entry {
			if name == "WS-1" {
				return device.NewEntry(
					device.Ref{Tenant: green, ID: 1},
					name,
					station(),
					false,
					false,
					device.HashSecret(hashKey, "another"),
				)
			}
			return nil
		},
		"device recreated": func(name string) *device.Entry {
			if name == "WS-1" {
				return entry(green, 100, name, false, false)
			}
			return nil
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, version byte) {
				e := newEdge(t).serve()
				idle, busy, other := e.dial(version), e.dial(version), e.dialSignedIn(version, "WS-2")
				idle.signIn("WS-1", "idle")
				busy.signIn("WS-1", "busy")
				replaced(e, change)
				// Whatever it sends from now on is not accepted.
				if _, err := busy.Write(busy.telemetry(1, 1, 1)); err != nil {
					t.Log("the connection has ended already:", err)
				}
				idle.wantEnd(reasonAdministrative)
				busy.wantEnd(reasonAdministrative)
				other.ping()
				if got := e.journal.temperatures(1); len(got) > 0 {
					t.Errorf("written after the end: %v", got)
				}
			})
		})
	}
}

// A change of the product reaches open connections.
func TestMQTTNewStructureReachesOpenConnections(t *testing.T) {
	e := newEdge(t).serve()
	c := e.dialSignedIn(5, "WS-1")
	c.send(c.publish("v1/devices/me/telemetry", `{"wind":3}`, 1, 1))
	c.wantAck(v5.PUBACK, 1, reasonBadPayload)
	wider := station()
	wider.Properties = append(wider.Properties, device.Property{ID: 99, Identifier: "wind", DataType: device.Number})
	e.registry.Replace([]*device.Entry{
		device.NewEntry(
			device.Ref{Tenant: green, ID: 1},
			"WS-1",
			wider,
			false,
			false,
			device.HashSecret(hashKey, secretOf("WS-1")),
		),
	})
	c.send(c.publish("v1/devices/me/telemetry", `{"wind":3}`, 1, 2))
	c.wantAck(v5.PUBACK, 2, 0)
}

func TestMQTTFailedSignInsAreLimited(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t, func(o *Options) { o.FailureRate, o.FailureBurst = 0.001, 2 }).serve()
		inside := e.dialSignedIn(version, "WS-2")
		code := map[byte]byte{4: 5, 5: reasonBadCredentials}[version]
		try := func(secret string) {
			t.Helper()
			c := e.dial(version)
			c.send(c.connect("WS-1", secret, "a"))
			c.want(
				fmt.Sprintf("CONNACK %#x", code),
				func(kind byte, body []byte) bool { return kind == v5.CONNACK && body[1] == code },
			)
			c.wantEnd(0)
		}
		try("wrong")
		try("wrong again")
		code = map[byte]byte{4: 3, 5: reasonTooManyConnection}[version]
		try("wrong once more")
		inside.ping()
		e.dialSignedIn(version, "WS-1").ping() // although others of its address fail
	})
}

func TestMQTTConnectionCap(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.MaxConnections = 2 }).serve()
	a, b := e.dialSignedIn(4, "WS-1"), e.dialSignedIn(5, "WS-2")
	e.dial(4).wantEnd(0)
	a.ping()
	b.ping()
	a.Close()
	eventually(t, "room again", func() bool { return e.pipeline.Stats().Connections == 1 })
	e.dialSignedIn(4, "WS-1").ping()
	if s := e.pipeline.Stats(); s.RefusedFull != 1 || s.RefusedAddress != 0 {
		t.Errorf("stats %+v", s)
	}
}

// An address gets a limited number of connections, over whatever transport; other addresses are not
// affected, and a place is free again when a connection ends.
func TestMQTTConnectionsPerAddress(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.PerAddress = 2 })
	from := func(address string) (ours net.Conn, ended chan struct{}) {
		ours, theirs := net.Pipe()
		ended = make(chan struct{})
		go func() {
			defer close(ended)
			e.mqtt.ServeConn(theirs, address)
		}()
		t.Cleanup(func() { ours.Close() })
		return ours, ended
	}
	open := func(n int64) {
		t.Helper()
		eventually(t, "connections open", func() bool { return e.pipeline.Stats().Connections == n })
	}
	first, ended := from("2001:db8::1")
	open(1)
	from("[2001:db8::2]:1234") // of the same network
	open(2)
	_, refused := from("2001:db8::3")
	receive(t, refused)
	from("2001:db8:0:1::1") // of another network
	open(3)
	from("192.0.2.1:1")
	from("192.0.2.1:2")
	open(5)
	_, refused = from("::ffff:192.0.2.1")
	receive(t, refused)
	if s := e.pipeline.Stats(); s.RefusedAddress != 2 || s.RefusedFull != 0 || s.ConnectionsTotal != 5 {
		t.Errorf("stats %+v", s)
	}
	first.Close()
	receive(t, ended)
	from("2001:db8::3")
	open(5)
	if n := e.pipeline.Stats().RefusedAddress; n != 2 {
		t.Errorf("%d refused: the place of the ended connection was not free", n)
	}
}
