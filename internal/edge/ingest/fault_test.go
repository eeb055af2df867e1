package ingest

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	v5 "github.com/eclipse/paho.golang/packets"

	"tilth/internal/domain/device"
)

// wantHint checks the newest hint of a device.
func (e *edge) wantHint(t *testing.T, name string, want device.Hint) {
	t.Helper()
	x := e.find(name)
	got := e.pipeline.opts.Hints.Get(x.Tenant, x.ID)
	if len(got) == 0 {
		t.Errorf("%s has no hint, want %+v", name, want)
		return
	}
	got[0].Time = 0
	if got[0] != want {
		t.Errorf("%s: %+v, want %+v", name, got[0], want)
	}
}

// mqttConnect is a CONNECT of any protocol and level; properties are those of MQTT 5.
func mqttConnect(protocol string, level, flags byte, properties []byte, fields ...string) []byte {
	body := bytes.Join([][]byte{prefixed(protocol), {level, flags, 0, 60}, properties}, nil)
	for _, f := range fields {
		body = append(body, prefixed(f)...)
	}
	return framed(0x10, body)
}

// Whoever is refused before the secret is looked at is answered as the version has it, counts, and
// leaves a hint if it can be told which device it is.
func TestMQTTFaults(t *testing.T) {
	secret := secretOf("WS-1")
	method := block(property(v5.PropAuthMethod, "SCRAM"))
	for _, test := range []struct {
		name   string
		sent   []byte
		answer []byte // nil: the connection is closed
		fault  device.Fault
		hinted bool
	}{
		{"3.1, name", mqttConnect("MQIsdp", 3, 0xC2, nil, "c", "WS-1", "x"), []byte{0x20, 2, 0, 1}, device.FaultMQTT31, true},
		{"3.1, secret", mqttConnect("MQIsdp", 3, 0x82, nil, "c", secret), []byte{0x20, 2, 0, 1}, device.FaultMQTT31, true},
		{"3.1, secret as password", mqttConnect("MQIsdp", 3, 0xC2, nil, "c", "x", secret), []byte{0x20, 2, 0, 1}, device.FaultMQTT31, true},
		{"3.1, cut short after the name", mqttConnect("MQIsdp", 3, 0xC2, nil, "c", "WS-1"), []byte{0x20, 2, 0, 1}, device.FaultMQTT31, true},
		{"3.1, a name that is none", mqttConnect("MQIsdp", 3, 0xC2, nil, "c", "WS-77", "x"), []byte{0x20, 2, 0, 1}, device.FaultMQTT31, false},
		{"3.1, nothing but the head", framed(0x10, []byte("\x00\x06MQIsdp\x03")), []byte{0x20, 2, 0, 1}, device.FaultMQTT31, false},
		{"later than 5", mqttConnect("MQTT", 6, 0xC2, nil, "c", "WS-1", "x"), []byte{0x20, 3, 0, reasonVersion, 0}, device.FaultMQTTVersion, false},
		{"malformed", mqttConnect("MQTT", 4, 0xC3, nil, "c", "WS-1", "x"), nil, device.FaultMalformed, true},
		{"too long", append(mqttConnect("MQTT", 4, 0xC2, nil, "c", "WS-1", "x")[:1], framed(0x10, append(mqttConnect("MQTT", 4, 0xC2, nil, "c", "WS-1", "x")[2:], 0))[1:]...), nil, device.FaultMalformed, true},
		{"5, unknown property", mqttConnect("MQTT", 5, 0xC2, block([]byte{99}), "c", "WS-1", "x"), []byte{0x20, 3, 0, reasonMalformed, 0}, device.FaultMalformed, true},
		{"password missing", mqttConnect("MQTT", 4, 0xC2, nil, "c", "WS-1"), nil, device.FaultMalformed, true},
		{"client identifier", mqttConnect("MQTT", 4, 0xC2, nil, "\xff", "WS-1", "x"), nil, device.FaultClientID, true},
		{"session without client identifier", mqttConnect("MQTT", 4, 0xC0, nil, "", "WS-1", "x"), []byte{0x20, 2, 0, 2}, device.FaultClientID, true},
		{"enhanced authentication", mqttConnect("MQTT", 5, 0xC2, method, "c", "WS-1", "x"), []byte{0x20, 3, 0, reasonBadAuthMethod, 0}, device.FaultAuthMethod, true},
		{"password without user name", mqttConnect("MQTT", 4, 0x42, nil, "c", secret), []byte{0x20, 2, 0, 4}, device.FaultNoUserName, true},
		{"nothing, name as client identifier", mqttConnect("MQTT", 4, 0x02, nil, "WS-1"), []byte{0x20, 2, 0, 4}, device.FaultNoSecret, true},
		{"nothing", mqttConnect("MQTT", 5, 0x02, block(), "c"), []byte{0x20, 3, 0, reasonBadCredentials, 0}, device.FaultNoSecret, false},
		{"HTTP", []byte("GET / HTTP/1.1\r\n\r\n"), nil, device.FaultNotMQTT, false},
		{"another protocol", mqttConnect("AMQP", 4, 0xC2, nil, "c", "WS-1", "x"), nil, device.FaultNotMQTT, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newEdge(t).serve()
			c := e.dial(4)
			c.t = t
			c.send(test.sent)
			if test.answer != nil {
				c.want(fmt.Sprintf("the answer % x", test.answer), func(kind byte, body []byte) bool {
					return bytes.Equal(framed(kind<<4, body), test.answer)
				})
			}
			c.wantEnd(0)
			s := e.pipeline.Stats()
			for _, f := range device.Faults {
				if want := map[bool]uint64{true: 1}[f == test.fault]; s.Faults[f] != want {
					t.Errorf("%d of %s, want %d", s.Faults[f], f, want)
				}
			}
			if test.hinted {
				e.wantHint(t, "WS-1", device.Hint{
					Kind: device.HintWrongProtocol, Fault: test.fault, Address: "127.0.0.x",
				})
			} else if got := e.pipeline.opts.Hints.Get(green, 1); got != nil {
				t.Errorf("hints %+v", got)
			}
			if got := e.pipeline.opts.Hints.Get(blue, 1); got != nil {
				t.Errorf("another tenant sees %+v", got)
			}
		})
	}
}

// A bridge that asks for more than MQTT 3.1.1 is refused in its own version, and tries again without.
func TestMQTTBridgeLevel(t *testing.T) {
	e := newEdge(t).serve()
	c := e.dial(4)
	c.send(mqttConnect("MQTT", 0x84, 0xC2, nil, "c", "WS-1", secretOf("WS-1")))
	c.want("CONNACK 1", func(kind byte, body []byte) bool {
		return kind == v5.CONNACK && bytes.Equal(body, []byte{0, 1})
	})
	c.wantEnd(0)
	if got := e.pipeline.opts.Hints.Get(green, 1); got != nil {
		t.Errorf("hints %+v", got)
	}
}

// A device's name without its secret leaves a hint; what is no name leaves none.
func TestGateNameWithoutSecret(t *testing.T) {
	e := newEdge(t)
	for _, name := range []string{"WS-77", "WS-2"} {
		if _, _, err := e.pipeline.gate.signIn("203.0.113.9:5000", name, ""); err == nil {
			t.Fatalf("%s was signed in", name)
		}
	}
	e.wantHint(t, "WS-2", device.Hint{
		Kind: device.HintWrongProtocol, Fault: device.FaultNoSecret, Address: "203.0.113.x",
	})
	if got := e.pipeline.opts.Hints.Get(green, 1); got != nil {
		t.Errorf("hints of WS-1: %+v", got)
	}
}

// An address that fails too often has no more devices looked up; it is still counted, and the log has
// one line in ten minutes for each cause, without names and secrets.
func TestGateFaultsAreBounded(t *testing.T) {
	var log bytes.Buffer
	e := newEdge(t, func(o *Options) {
		o.FailureRate, o.FailureBurst = 0.001, 2
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	g := e.pipeline.gate
	note := func(name string) {
		g.noteFault("203.0.113.9:5000", device.FaultMQTT31, device.Claim{UserName: name, Password: secretOf(name)})
	}
	for _, name := range []string{"WS-77", "WS-1", "WS-2"} {
		note(name)
	}
	e.wantHint(t, "WS-1", device.Hint{
		Kind: device.HintWrongProtocol, Fault: device.FaultMQTT31, Address: "203.0.113.x",
	})
	if got := e.pipeline.opts.Hints.Get(green, 2); got != nil {
		t.Errorf("beyond the limit: %+v", got)
	}
	e.passed.Add(faultLogEvery.Milliseconds())
	note("WS-1")
	g.notePath("198.51.100.7", device.Claim{})
	if n := e.pipeline.Stats().Faults[device.FaultMQTT31]; n != 4 {
		t.Errorf("%d counted", n)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	for i, want := range []string{
		"cause=mqtt31 network=203.0.113.x times=1",
		"cause=mqtt31 network=203.0.113.x times=3",
		"cause=path network=198.51.100.x times=1",
	} {
		if len(lines) != 3 || !strings.HasSuffix(lines[i], want) {
			t.Errorf("log:\n%s\nwant %s", log.String(), want)
		}
	}
	if strings.Contains(log.String(), "WS-") || strings.Contains(log.String(), "secret-") {
		t.Errorf("a name or a secret is in the log:\n%s", log.String())
	}
	// The right secret of a device at that address is still accepted.
	if _, _, err := g.signIn("203.0.113.9:5000", "WS-1", secretOf("WS-1")); err != nil {
		t.Error(err)
	}
}
