package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	v3 "github.com/eclipse/paho.mqtt.golang/packets"

	v5 "github.com/eclipse/paho.golang/packets"
)

// client is an MQTT client that does what the test says, valid or not.
type client struct {
	t       testing.TB
	version byte
	net.Conn
}

// dial opens a connection to the edge's listener.
func (e *edge) dial(version byte) *client {
	e.t.Helper()
	nc, err := net.Dial("tcp", e.address)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { nc.Close() })
	return &client{t: e.t, version: version, Conn: nc}
}

// reset ends the connection without a DISCONNECT, like a machine that loses power: what the server
// has not read yet is lost.
func (c *client) reset() {
	c.t.Helper()
	if err := c.Conn.(*net.TCPConn).SetLinger(0); err != nil {
		c.t.Fatal(err)
	}
	c.Close()
}

// dialSignedIn opens a connection of a device and signs it in.
func (e *edge) dialSignedIn(version byte, name string) *client {
	e.t.Helper()
	c := e.dial(version)
	c.signIn(name, "client of "+name)
	return c
}

func (c *client) signIn(name, clientID string) {
	c.t.Helper()
	c.send(c.connect(name, secretOf(name), clientID))
	c.want("CONNACK accepted", accepted)
}

// accepted tells whether a packet is a CONNACK that accepts the client.
func accepted(kind byte, body []byte) bool {
	return kind == v5.CONNACK && len(body) >= 2 && body[0] == 0 && body[1] == 0
}

func (c *client) send(packets ...[]byte) {
	c.t.Helper()
	if _, err := c.Write(bytes.Join(packets, nil)); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

// read reads one packet and returns its kind and body.
func (c *client) read() (kind byte, body []byte, err error) {
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return 0, nil, err
	}
	var head [2]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return 0, nil, err
	}
	if head[1] >= 0x80 {
		return 0, nil, errors.New("an answer of more than 127 bytes")
	}
	body = make([]byte, head[1])
	_, err = io.ReadFull(c, body)
	return head[0] >> 4, body, err
}

// want reads one packet and checks it.
func (c *client) want(what string, is func(kind byte, body []byte) bool) {
	c.t.Helper()
	kind, body, err := c.read()
	if err != nil || !is(kind, body) {
		c.t.Fatalf("want %s, got kind %d % x, %v", what, kind, body, err)
	}
}

// wantAck reads a PUBACK, PUBREC or PUBCOMP with an identifier and reason.
func (c *client) wantAck(kind byte, id uint16, reason byte) {
	c.t.Helper()
	body := binary.BigEndian.AppendUint16(nil, id)
	if reason != 0 {
		body = append(body, reason)
	}
	c.want(fmt.Sprintf("ack %d of %d with reason %#x", kind, id, reason), func(k byte, b []byte) bool {
		return k == kind && bytes.Equal(b, body)
	})
}

// wantEnd checks that the server ends the connection, and that an MQTT 5 client gets the reason,
// unless that is 0.
func (c *client) wantEnd(reason byte) {
	c.t.Helper()
	if c.version == 5 && reason != 0 {
		c.want(fmt.Sprintf("DISCONNECT %#x", reason), func(kind byte, body []byte) bool {
			return kind == v5.DISCONNECT && len(body) > 0 && body[0] == reason
		})
	}
	kind, body, err := c.read()
	if err == nil {
		c.t.Fatalf("want the end of the connection, got kind %d % x", kind, body)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Fatal("the connection was not ended")
	}
}

// readToEnd reads and discards everything until the connection ends.
func (c *client) readToEnd() {
	c.t.Helper()
	for {
		if _, _, err := c.read(); errors.Is(err, os.ErrDeadlineExceeded) {
			c.t.Fatal("the connection was not ended")
		} else if err != nil {
			return
		}
	}
}

// ping checks that the connection is open, and that the server has read everything sent before.
func (c *client) ping() {
	c.t.Helper()
	c.send([]byte{v5.PINGREQ << 4, 0})
	c.want("PINGRESP", func(kind byte, _ []byte) bool { return kind == v5.PINGRESP })
}

// connect makes a CONNECT.
func (c *client) connect(user, password, clientID string) []byte {
	if c.version == 5 {
		p := v5.Connect{ProtocolName: "MQTT", ProtocolVersion: 5, CleanStart: true, KeepAlive: 60, ClientID: clientID,
			UsernameFlag: user != "", Username: user, PasswordFlag: password != "", Password: []byte(password),
			Properties: &v5.Properties{}}
		return packed5(&p)
	}
	p := v3.NewControlPacket(v3.Connect).(*v3.ConnectPacket)
	p.ProtocolName, p.ProtocolVersion, p.CleanSession, p.Keepalive = "MQTT", 4, true, 60
	p.ClientIdentifier = clientID
	p.UsernameFlag, p.Username = user != "", user
	p.PasswordFlag, p.Password = password != "", []byte(password)
	return packed3(p)
}

func packed3(p v3.ControlPacket) []byte {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func packed5(p v5.Packet) []byte {
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// publish makes a PUBLISH; with QoS 0 it has no identifier.
func (c *client) publish(topic, payload string, qos byte, id uint16) []byte {
	if c.version == 5 {
		p := v5.Publish{Topic: topic, Payload: []byte(payload), QoS: qos, PacketID: id, Properties: &v5.Properties{}}
		return packed5(&p)
	}
	p := v3.NewControlPacket(v3.Publish).(*v3.PublishPacket)
	p.TopicName, p.Payload, p.Qos, p.MessageID = topic, []byte(payload), qos, id
	return packed3(p)
}

// telemetry makes a PUBLISH of one air temperature.
func (c *client) telemetry(celsius float64, qos byte, id uint16) []byte {
	return c.publish("v1/devices/me/telemetry", fmt.Sprintf(`{"airTemperature":%v}`, celsius), qos, id)
}

// pubrel makes a PUBREL.
func (c *client) pubrel(id uint16) []byte {
	return []byte{v5.PUBREL<<4 | 2, 2, byte(id >> 8), byte(id)}
}

// eachVersion runs a test with both versions of the protocol.
func eachVersion(t *testing.T, f func(t *testing.T, version byte)) {
	t.Helper()
	for _, version := range []byte{4, 5} {
		t.Run(fmt.Sprintf("MQTT %d", version), func(t *testing.T) { f(t, version) })
	}
}

// refusedDial tells whether no listener accepts at an address.
func refusedDial(address string) bool {
	nc, err := net.Dial("tcp", address)
	if err == nil {
		nc.Close()
	}
	return err != nil
}
