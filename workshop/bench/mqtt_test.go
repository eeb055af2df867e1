package bench

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	v3 "github.com/eclipse/paho.mqtt.golang/packets"

	v5 "github.com/eclipse/paho.golang/packets"
)

// Another implementation reads the packets that are written.
func TestEncoding311(t *testing.T) {
	p, err := v3.ReadPacket(bytes.NewReader(appendConnect(nil, 4, "id", "name", "secret")))
	if err != nil {
		t.Fatal(err)
	}
	c := p.(*v3.ConnectPacket)
	if c.ProtocolName != "MQTT" || c.ProtocolVersion != 4 || !c.CleanSession || c.ClientIdentifier != "id" ||
		c.Username != "name" || string(c.Password) != "secret" || c.Keepalive != keepAlive || c.WillFlag || c.Validate() != v3.Accepted {
		t.Errorf("CONNECT: %v", c)
	}
	for _, size := range []int{0, 90, 99, 100, 101, 16_353, 16_354, 16_400, 300_000} {
		payload := []byte(strings.Repeat("p", size))
		p, err := v3.ReadPacket(bytes.NewReader(appendPublish(nil, 4, 0xABCD, payload)))
		if err != nil {
			t.Fatal(err)
		}
		pub := p.(*v3.PublishPacket)
		if pub.TopicName != telemetryTopic || pub.MessageID != 0xABCD || pub.Qos != 1 || pub.Dup || pub.Retain ||
			!bytes.Equal(pub.Payload, payload) {
			t.Errorf("PUBLISH of %d bytes: %v", size, pub.FixedHeader)
		}
	}
}

func TestEncoding5(t *testing.T) {
	cp, err := v5.ReadPacket(bytes.NewReader(appendConnect(nil, 5, "id", "name", "secret")))
	if err != nil {
		t.Fatal(err)
	}
	c := cp.Content.(*v5.Connect)
	if c.ProtocolName != "MQTT" || c.ProtocolVersion != 5 || !c.CleanStart || c.ClientID != "id" ||
		c.Username != "name" || string(c.Password) != "secret" || c.KeepAlive != keepAlive {
		t.Errorf("CONNECT: %v", c)
	}
	cp, err = v5.ReadPacket(bytes.NewReader(appendPublish([]byte{}, 5, 7, []byte("payload"))))
	if err != nil {
		t.Fatal(err)
	}
	if p := cp.Content.(*v5.Publish); p.Topic != telemetryTopic || p.PacketID != 7 || p.QoS != 1 ||
		string(p.Payload) != "payload" {
		t.Errorf("PUBLISH: %v", p)
	}
}

func newPacketReader(protocol byte, b []byte) *packetReader {
	return &packetReader{r: bufio.NewReaderSize(bytes.NewReader(b), maxPacket), protocol: protocol}
}

// The reader reads the packets of another implementation.
func TestDecoding(t *testing.T) {
	most := uint16(77)
	text, number, yes := "because", uint32(4096), byte(1)
	welcome := v5.Connack{Properties: &v5.Properties{
		ReceiveMaximum:    &most,
		MaximumPacketSize: &number,
		AssignedClientID:  "you",
		ReasonString:      text,
		MaximumQOS:        &yes,
		User: []v5.User{
			{Key: "k", Value: "v"},
			{Key: "", Value: ""},
		},
		ServerReference:   "there",
		TopicAliasMaximum: &most,
	}}
	refused := v5.Puback{PacketID: 300, ReasonCode: 0x99, Properties: &v5.Properties{ReasonString: text}}
	var b bytes.Buffer
	for _, p := range []io.WriterTo{&welcome, &v5.Puback{PacketID: 258, Properties: &v5.Properties{}}, &refused} {
		if _, err := p.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
	}
	a := newPacketReader(5, b.Bytes())
	if n, err := a.readConnack(); n != 77 || err != nil {
		t.Errorf("CONNACK: %d, %v", n, err)
	}
	if !a.ackBuffered() {
		t.Error("ackBuffered does not see an acknowledgement that has arrived")
	}
	if id, reason, err := a.readPuback(); id != 258 || reason != 0 || err != nil {
		t.Errorf("PUBACK: %d, %#x, %v", id, reason, err)
	}
	if id, reason, err := a.readPuback(); id != 300 || reason != 0x99 || err != nil {
		t.Errorf("PUBACK: %d, %#x, %v", id, reason, err)
	}
	if a.ackBuffered() {
		t.Error("ackBuffered sees an acknowledgement that has not arrived")
	}
	if _, _, err := a.readPuback(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}

	a = newPacketReader(4, []byte{0x20, 2, 1, 0, 0x40, 2, 0xAB, 0xCD, 0x40, 2, 0})
	if n, err := a.readConnack(); n != 0 || err != nil {
		t.Errorf("CONNACK: %d, %v", n, err)
	}
	if id, _, err := a.readPuback(); id != 0xABCD || err != nil {
		t.Errorf("PUBACK: %d, %v", id, err)
	}
	if a.ackBuffered() {
		t.Error("ackBuffered counts half an acknowledgement as a whole one")
	}
}

func TestDecodingFaults(t *testing.T) {
	for name, c := range map[string]struct {
		protocol byte
		packet   string
		says     string
	}{
		"refused":              {4, "\x20\x02\x00\x05", "refused, code 0x5"},
		"another packet":       {4, "\x40\x02\x00\x01", "0x40 instead of a CONNACK"},
		"closed":               {4, "", "closed the connection"},
		"too short":            {4, "\x20\x01\x00", "instead of a CONNACK"},
		"properties missing":   {5, "\x20\x02\x00\x00", "wrong length"},
		"properties too short": {5, "\x20\x04\x00\x00\x05\x21", "wrong length"},
		"property cut short":   {5, "\x20\x05\x00\x00\x02\x21\x00", "cut short"},
		"text cut short":       {5, "\x20\x06\x00\x00\x03\x1f\x00\x09", "cut short"},
		"second text missing":  {5, "\x20\x06\x00\x00\x03\x26\x00\x00", "cut short"},
		"unknown property":     {5, "\x20\x05\x00\x00\x02\x7f\x00", "0x7f"},
		"endless":              {5, "\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "overflow"},
		"too large":            {5, "\x20\xff\xff\x7f", "bytes from the server"},
		"cut short":            {5, "\x20\x05\x00\x00", "EOF"},
	} {
		n, err := newPacketReader(c.protocol, []byte(c.packet)).readConnack()
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
	for name, c := range map[string]struct {
		protocol byte
		packet   string
		says     string
	}{
		"DISCONNECT":        {5, "\xe0\x02\x89\x00", "DISCONNECT, reason 0x89"},
		"another packet":    {4, "\xd0\x00", "0xd0 of 0 bytes"},
		"reason in 3.1.1":   {4, "\x40\x03\x00\x01\x99", "of 3 bytes"},
		"no identifier":     {5, "\x40\x01\x01", "of 1 bytes"},
		"length cut short":  {5, "\x40", "EOF"},
		"DISCONNECT, empty": {5, "\xe0\x00", "0xe0"},
	} {
		_, _, err := newPacketReader(c.protocol, []byte(c.packet)).readPuback()
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
