package ingest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	v5 "github.com/eclipse/paho.golang/packets"
)

// prefixed is a string or binary field of a packet, with its length.
func prefixed(s string) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(s))), s...)
}

// block is a property block, with its length.
func block(properties ...[]byte) []byte {
	all := bytes.Join(properties, nil)
	return append([]byte{byte(len(all))}, all...)
}

// property is one property of a block.
func property(id byte, fields ...string) []byte {
	b := []byte{id}
	for _, f := range fields {
		b = append(b, prefixed(f)...)
	}
	return b
}

// Every field of a CONNECT may be empty, in the middle and at the end.
func TestMQTTEmptyFieldsOfConnect(t *testing.T) {
	emptyProperties := block(property(v5.PropAuthMethod, ""), property(v5.PropAuthData, ""),
		property(v5.PropUser, "", ""), property(v5.PropUser, "", "x"), property(v5.PropUser, "x", ""))
	emptyOfWill := block(property(v5.PropContentType, ""), property(v5.PropResponseTopic, ""),
		property(v5.PropCorrelationData, ""), property(v5.PropUser, "", ""))
	const user, secret, will = 0x80, 0x40, 0x04
	for _, test := range []struct {
		name     string
		flags    byte
		fields   [][]byte // after the properties, of MQTT 3.1.1; a will's are client identifier, topic, message
		clientID string
		userName string
		password string
	}{
		{"client identifier at the end", 0, [][]byte{prefixed("")}, "", "", ""},
		{"user name at the end", user, [][]byte{prefixed("c"), prefixed("")}, "c", "", ""},
		{"password at the end", user | secret, [][]byte{prefixed("c"), prefixed("u"), prefixed("")}, "c", "u", ""},
		{"client identifier and password", user | secret, [][]byte{prefixed(""), prefixed("u"), prefixed("")}, "", "u", ""},
		{"user name in the middle", user | secret, [][]byte{prefixed("c"), prefixed(""), prefixed("p")}, "c", "", "p"},
		{"will's message at the end", will, [][]byte{prefixed("c"), prefixed("t"), prefixed("")}, "c", "", ""},
		{"all of the will", will | user, [][]byte{prefixed("c"), prefixed(""), prefixed(""), prefixed("u")}, "c", "u", ""},
		{"everything", will | user | secret, [][]byte{prefixed(""), prefixed(""), prefixed(""), prefixed(""), prefixed("")}, "", "", ""},
	} {
		eachVersion(t, func(t *testing.T, version byte) {
			for name, properties := range map[string][2][]byte{
				"no properties":    {block(), block()},
				"empty properties": {emptyProperties, emptyOfWill},
			} {
				body := []byte{test.flags | 2, 0, 60}
				fields := bytes.Join(test.fields, nil)
				if version == 5 {
					body = append(body, properties[0]...)
					if rest := test.fields[1:]; test.flags&will != 0 {
						fields = bytes.Join([][]byte{test.fields[0], properties[1], bytes.Join(rest, nil)}, nil)
					}
				}
				g, err := readConnect(append(body, fields...), version)
				if err != nil || g.clientID != test.clientID || g.userName != test.userName ||
					g.password != test.password || g.authMethod || g.keepAlive != 60 {
					t.Errorf("%s, %s: %+v, %v", test.name, name, g, err)
				}
			}
		})
	}
}

// An empty password, or an empty user name, signs in with the secret alone.
func TestMQTTSignInWithEmptyField(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		for name, test := range map[string]struct {
			user, password string
			code3, code5   byte
		}{
			"empty password":               {secretOf("WS-1"), "", 0, 0},
			"empty user name":              {"", secretOf("WS-1"), 0, 0},
			"both empty":                   {"", "", 4, 0x86},
			"name, empty password":         {"WS-1", "", 5, 0x86},
			"empty user name, wrong":       {"", "wrong", 5, 0x86},
			"empty user name, name":        {"", "WS-1", 5, 0x86},
			"empty user name, of disabled": {"", secretOf("WS-OFF"), 5, 0x86},
		} {
			code, properties := test.code3, []byte{}
			if version == 5 {
				code, properties = test.code5, block()
			}
			c := e.dial(version)
			c.send(framed(0x10, bytes.Join([][]byte{
				prefixed("MQTT"), {version, 0xC2, 0, 60}, properties,
				prefixed("a"), prefixed(test.user), prefixed(test.password),
			}, nil)))
			c.want(fmt.Sprintf("%s: CONNACK %#x", name, code), func(kind byte, body []byte) bool {
				return kind == v5.CONNACK && len(body) >= 2 && body[0] == 0 && body[1] == code
			})
			if code == 0 {
				c.send(c.telemetry(1, 1, 7))
				c.wantAck(v5.PUBACK, 7, 0)
			} else {
				c.wantEnd(0)
			}
			c.Close()
		}
	})
}

// What may be empty in packets after the CONNECT ends no connection.
func TestMQTTEmptyFieldsOfPackets(t *testing.T) {
	topic := prefixed("v1/devices/me/telemetry")
	emptyProperties := block(property(v5.PropContentType, ""), property(v5.PropResponseTopic, ""),
		property(v5.PropCorrelationData, ""), property(v5.PropUser, "", ""), property(v5.PropUser, "x", ""))
	user := block(property(v5.PropUser, "", ""))
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serve()
		c := e.dialSignedIn(version, "WS-1")
		of := func(properties ...byte) []byte { // the properties of MQTT 5
			if version == 5 {
				return properties
			}
			return nil
		}
		refused := byte(0)
		if version == 5 {
			refused = reasonBadPayload
		}
		// A PUBLISH with an empty payload is one of no readable message.
		c.send(framed(0x32, bytes.Join([][]byte{topic, {0, 1}, of(0)}, nil)))
		c.wantAck(v5.PUBACK, 1, refused)
		c.send(framed(0x32, bytes.Join([][]byte{topic, {0, 2}, of(emptyProperties...)}, nil)))
		c.wantAck(v5.PUBACK, 2, refused)
		c.send(framed(0x32, bytes.Join([][]byte{topic, {0, 3}, of(emptyProperties...), []byte(`{"humidity":5}`)}, nil)))
		c.wantAck(v5.PUBACK, 3, 0)
		c.send(framed(0x82, bytes.Join([][]byte{{0, 4}, of(user...), prefixed("v1/devices/me/attributes"), {0}}, nil)))
		c.want("SUBACK", func(kind byte, _ []byte) bool { return kind == v5.SUBACK })
		c.send(framed(0xA2, bytes.Join([][]byte{{0, 5}, of(user...), prefixed("")}, nil)))
		c.want("UNSUBACK", func(kind byte, _ []byte) bool { return kind == v5.UNSUBACK })
		// PUBREL may end after the identifier, the reason, or the properties, which may be empty.
		for id, rest := range [][]byte{nil, of(0), of(0, 0), of(append([]byte{0}, user...)...)} {
			c.send(framed(0x62, append([]byte{0, byte(id + 1)}, rest...)))
			c.want("PUBCOMP", func(kind byte, _ []byte) bool { return kind == v5.PUBCOMP })
		}
		c.ping()
		for _, rest := range [][]byte{nil, of(0), of(0, 0), of(append([]byte{0}, user...)...)} {
			last := e.dialSignedIn(version, "WS-2")
			last.send(framed(0xE0, rest))
			last.wantEnd(0)
		}
		if s := e.pipeline.Stats(); s.Malformed != 0 {
			t.Errorf("%d malformed", s.Malformed)
		}
		if got := len(e.journal.frames()); got != 1 {
			t.Errorf("%d frames", got)
		}
	})
}
