package ingest

import (
	"bytes"
	"encoding/binary"
	"fmt"

	v3 "github.com/eclipse/paho.mqtt.golang/packets"

	v5 "github.com/eclipse/paho.golang/packets"
)

// sizes of parts of a CONNECT
const (
	fixedConnect = 10 // protocol name, level, flags, keep-alive
	flagsAt      = 7  // where the flags stand
)

// greeting is a CONNECT of either version.
type greeting struct {
	version   byte
	clientID  string
	userName  string
	password  string
	keepAlive uint16 // seconds; 0: none

	cleanStart bool
	hasUser    bool
	hasSecret  bool // a password came

	sessionExpiry bool   // MQTT 5: a session was asked for
	authMethod    bool   // MQTT 5: enhanced authentication was asked for
	maxPacket     uint32 // MQTT 5: largest packet the client takes; 0: any
}

// protocolLevel reads the version out of a CONNECT; ok is false when it is not
// MQTT at all.
func protocolLevel(body []byte) (level byte, ok bool) {
	name, rest, ok := cutString(body)
	if !ok || string(name) != "MQTT" || len(rest) == 0 {
		return 0, false
	}
	return rest[0], true
}

// readConnect decodes a CONNECT of a version that is spoken here. The codecs
// are lenient with strings cut short and with bytes left over; this is not.
func readConnect(body []byte, level byte) (greeting, error) {
	if len(body) < fixedConnect {
		return greeting{}, malformed("CONNECT cut short")
	}
	flags := body[flagsAt]
	will := flags&0x04 != 0
	if flags&0x01 != 0 || flags>>3&3 == 3 || !will && flags&0x38 != 0 {
		return greeting{}, malformed("CONNECT flags")
	}
	if level == 5 {
		return readConnect5(body)
	}
	return readConnect3(body)
}

func readConnect3(body []byte) (greeting, error) {
	var c v3.ConnectPacket
	if err := c.Unpack(bytes.NewReader(body)); err != nil {
		return greeting{}, malformed("CONNECT: " + err.Error())
	}
	length := fixedConnect + 2 + len(c.ClientIdentifier)
	if c.WillFlag {
		length += 4 + len(c.WillTopic) + len(c.WillMessage)
	}
	if c.UsernameFlag {
		length += 2 + len(c.Username)
	}
	if c.PasswordFlag {
		length += 2 + len(c.Password)
	}
	if length != len(body) {
		return greeting{}, malformed("CONNECT of the wrong length")
	}
	return greeting{
		version: 4, clientID: c.ClientIdentifier, userName: c.Username, password: string(c.Password),
		keepAlive: c.Keepalive, cleanStart: c.CleanSession, hasUser: c.UsernameFlag, hasSecret: c.PasswordFlag,
	}, nil
}

func readConnect5(body []byte) (greeting, error) {
	if _, _, ok := cutProperties(body[fixedConnect:]); !ok {
		return greeting{}, malformed("CONNECT properties")
	}
	c := v5.Connect{Properties: &v5.Properties{}}
	rest := bytes.NewBuffer(body)
	if err := c.Unpack(rest); err != nil {
		return greeting{}, malformed("CONNECT: " + err.Error())
	}
	if rest.Len() > 0 {
		return greeting{}, malformed("CONNECT of the wrong length")
	}
	g := greeting{
		version: 5, clientID: c.ClientID, userName: c.Username, password: string(c.Password),
		keepAlive: c.KeepAlive, cleanStart: c.CleanStart, hasUser: c.UsernameFlag, hasSecret: c.PasswordFlag,
		authMethod: c.Properties.AuthMethod != "",
	}
	if e := c.Properties.SessionExpiryInterval; e != nil {
		g.sessionExpiry = *e > 0
	}
	if m := c.Properties.MaximumPacketSize; m != nil {
		if g.maxPacket = *m; *m == 0 {
			return g, protocolError{reasonProtocolError, "maximum packet size 0"}
		}
	}
	if m := c.Properties.ReceiveMaximum; m != nil && *m == 0 {
		return g, protocolError{reasonProtocolError, "receive maximum 0"}
	}
	return g, nil
}

// unpackProperties decodes a property block of a packet of the given kind.
func unpackProperties(block []byte, kind byte) (*v5.Properties, error) {
	props := new(v5.Properties)
	if err := props.Unpack(bytes.NewBuffer(block), kind); err != nil {
		return nil, malformed(fmt.Sprintf("properties of packet type %d: %v", kind, err))
	}
	return props, nil
}

// wish is one topic filter of a SUBSCRIBE.
type wish struct {
	filter string
	qos    byte
}

func readSubscribe(pk packet, version byte) (id uint16, wishes []wish, err error) {
	if version == 5 {
		s := v5.Subscribe{Properties: &v5.Properties{}}
		if err := unpack5(&s, pk.body); err != nil {
			return 0, nil, err
		}
		for _, o := range s.Subscriptions {
			wishes = append(wishes, wish{o.Topic, o.QoS})
		}
		return s.PacketID, wishes, checkList(pk, s.PacketID, len(wishes))
	}
	s := v3.SubscribePacket{FixedHeader: v3.FixedHeader{RemainingLength: len(pk.body)}}
	if err := s.Unpack(bytes.NewReader(pk.body)); err != nil {
		return 0, nil, malformed("SUBSCRIBE: " + err.Error())
	}
	length := 2
	for i, topic := range s.Topics {
		wishes = append(wishes, wish{topic, s.Qoss[i]})
		length += 3 + len(topic)
	}
	if length != len(pk.body) {
		return 0, nil, malformed("SUBSCRIBE of the wrong length")
	}
	return s.MessageID, wishes, checkList(pk, s.MessageID, len(wishes))
}

func readUnsubscribe(pk packet, version byte) (id uint16, topics int, err error) {
	if version == 5 {
		u := v5.Unsubscribe{Properties: &v5.Properties{}}
		if err := unpack5(&u, pk.body); err != nil {
			return 0, 0, err
		}
		_, list, _ := cutProperties(pk.body[2:])
		return u.PacketID, len(u.Topics), checkTopics(pk, u.PacketID, u.Topics, len(list))
	}
	var u v3.UnsubscribePacket
	if err := u.Unpack(bytes.NewReader(pk.body)); err != nil {
		return 0, 0, malformed("UNSUBSCRIBE: " + err.Error())
	}
	return u.MessageID, len(u.Topics), checkTopics(pk, u.MessageID, u.Topics, len(pk.body)-2)
}

// checkTopics holds the topics that a codec found against the bytes that the
// packet has for them.
func checkTopics(pk packet, id uint16, topics []string, length int) error {
	for _, topic := range topics {
		length -= 2 + len(topic)
	}
	if length != 0 {
		return malformed("UNSUBSCRIBE of the wrong length")
	}
	return checkList(pk, id, len(topics))
}

// unpack5 decodes a packet that begins with an identifier and properties.
func unpack5(p v5.Packet, body []byte) error {
	if len(body) < 2 {
		return malformed("packet without identifier")
	}
	if _, _, ok := cutProperties(body[2:]); !ok {
		return malformed("properties cut short")
	}
	if err := p.Unpack(bytes.NewBuffer(body)); err != nil {
		return malformed("packet cut short: " + err.Error())
	}
	return nil
}

func checkList(pk packet, id uint16, n int) error {
	if pk.flags != 2 || id == 0 || n == 0 {
		return malformed("SUBSCRIBE or UNSUBSCRIBE without what it needs")
	}
	return nil
}

// readPubrel gives the identifier of a PUBREL.
func readPubrel(pk packet, version byte) (uint16, error) {
	if pk.flags != 2 || len(pk.body) < 2 || version != 5 && len(pk.body) != 2 {
		return 0, malformed("PUBREL")
	}
	id := binary.BigEndian.Uint16(pk.body)
	if id == 0 {
		return 0, malformed("PUBREL with packet identifier 0")
	}
	return id, nil
}
