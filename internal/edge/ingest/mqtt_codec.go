package ingest

import (
	"bytes"
	"encoding/binary"

	v3 "github.com/eclipse/paho.mqtt.golang/packets"

	v5 "github.com/eclipse/paho.golang/packets"
)

// Lengths and offsets in a CONNECT.
const (
	fixedConnect = 10 // protocol name, level, flags, keep-alive
	flagsAt      = 7  // offset of the flags
)

// connectRequest is a CONNECT of either version.
type connectRequest struct {
	version   byte
	clientID  string
	userName  string
	password  string
	keepAlive uint16 // seconds; 0: none

	cleanStart bool
	hasUser    bool
	hasSecret  bool // a password is present

	sessionExpiry bool   // MQTT 5: the client asks for a session
	authMethod    bool   // MQTT 5: the client asks for enhanced authentication
	maxPacket     uint32 // MQTT 5: largest packet that the client accepts; 0: any
}

// protocolLevel reads the version of a CONNECT; ok is false if it is not MQTT.
func protocolLevel(body []byte) (level byte, ok bool) {
	name, rest, ok := cutString(body)
	if !ok || string(name) != "MQTT" || len(rest) == 0 {
		return 0, false
	}
	return rest[0], true
}

// readConnect decodes a CONNECT of a supported version. Unlike the codecs, it accepts neither
// truncated strings nor trailing bytes.
func readConnect(body []byte, level byte) (connectRequest, error) {
	if len(body) < fixedConnect {
		return connectRequest{}, malformed("CONNECT cut short")
	}
	flags := body[flagsAt]
	will := flags&0x04 != 0
	if flags&0x01 != 0 || flags>>3&3 == 3 || !will && flags&0x38 != 0 {
		return connectRequest{}, malformed("CONNECT flags")
	}
	if level == 5 {
		return readConnect5(body)
	}
	return readConnect3(body)
}

func readConnect3(body []byte) (connectRequest, error) {
	var c v3.ConnectPacket
	if err := c.Unpack(bytes.NewReader(body)); err != nil {
		return connectRequest{}, malformed("CONNECT: " + err.Error())
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
		return connectRequest{}, malformed("CONNECT of the wrong length")
	}
	return connectRequest{
		version: 4, clientID: c.ClientIdentifier, userName: c.Username, password: string(c.Password),
		keepAlive: c.Keepalive, cleanStart: c.CleanSession, hasUser: c.UsernameFlag, hasSecret: c.PasswordFlag,
	}, nil
}

func readConnect5(body []byte) (connectRequest, error) {
	block, rest, ok := cutProperties(body[fixedConnect:])
	if !ok {
		return connectRequest{}, malformed("CONNECT properties")
	}
	props, err := readProperties(block, v5.CONNECT)
	if err != nil {
		return connectRequest{}, err
	}
	flags := body[flagsAt]
	g := connectRequest{
		version: 5, keepAlive: binary.BigEndian.Uint16(body[flagsAt+1:]), cleanStart: flags&0x02 != 0,
		hasUser: flags&0x80 != 0, hasSecret: flags&0x40 != 0,
		sessionExpiry: props.sessionExpiry > 0, authMethod: props.authMethod, maxPacket: props.maxPacket,
	}
	if g.clientID, rest, err = cutField(rest, true); err != nil {
		return g, err
	}
	if flags&0x04 != 0 {
		if rest, err = cutWill(rest); err != nil {
			return g, err
		}
	}
	if g.userName, rest, err = cutField(rest, g.hasUser); err != nil {
		return g, err
	}
	if g.password, rest, err = cutField(rest, g.hasSecret); err != nil {
		return g, err
	}
	switch {
	case len(rest) > 0:
		return g, malformed("CONNECT of the wrong length")
	case props.has.maxPacket && props.maxPacket == 0:
		return g, protocolError{reasonProtocolError, "maximum packet size 0"}
	case props.has.receiveMaximum && props.receiveMaximum == 0:
		return g, protocolError{reasonProtocolError, "receive maximum 0"}
	}
	return g, nil
}

// cutField cuts a string off b if the CONNECT has it.
func cutField(b []byte, has bool) (s string, rest []byte, err error) {
	if !has {
		return "", b, nil
	}
	raw, rest, ok := cutString(b)
	if !ok {
		return "", nil, malformed("CONNECT cut short")
	}
	return string(raw), rest, nil
}

// cutWill cuts the will of an MQTT 5 CONNECT off b. The will is ignored, because it is no reading.
func cutWill(b []byte) (rest []byte, err error) {
	block, rest, ok := cutProperties(b)
	if !ok {
		return nil, malformed("will properties")
	}
	if _, err := readProperties(block, v5.CONNECT); err != nil {
		return nil, err
	}
	for range 2 { // topic and message
		if _, rest, ok = cutString(rest); !ok {
			return nil, malformed("CONNECT cut short")
		}
	}
	return rest, nil
}

// readSubscribe returns the identifier of a SUBSCRIBE, and its list of topic filters and their
// number; cutSubscription takes the list apart.
func readSubscribe(pk packet, version byte) (id uint16, list []byte, filters int, err error) {
	if id, list, err = readList(pk, version); err != nil {
		return 0, nil, 0, err
	}
	for rest := list; len(rest) > 0; filters++ {
		var ok bool
		if _, rest, ok = cutString(rest); !ok || len(rest) == 0 {
			return 0, nil, 0, malformed("SUBSCRIBE of the wrong length")
		}
		rest = rest[1:]
	}
	return id, list, filters, checkList(pk, id, filters)
}

// cutSubscription cuts a topic filter with its requested QoS off the list of a SUBSCRIBE. The other
// options of MQTT 5 concern deliveries, of which there are none.
func cutSubscription(list []byte, version byte) (filter []byte, qos byte, rest []byte) {
	filter, rest, _ = cutString(list)
	if qos = rest[0]; version == 5 {
		qos &= 3
	}
	return filter, qos, rest[1:]
}

func readUnsubscribe(pk packet, version byte) (id uint16, topics int, err error) {
	id, list, err := readList(pk, version)
	if err != nil {
		return 0, 0, err
	}
	for ; len(list) > 0; topics++ {
		var ok bool
		if _, list, ok = cutString(list); !ok {
			return 0, 0, malformed("UNSUBSCRIBE of the wrong length")
		}
	}
	return id, topics, checkList(pk, id, topics)
}

// readList returns the identifier of a SUBSCRIBE or UNSUBSCRIBE, and what follows its properties.
func readList(pk packet, version byte) (id uint16, list []byte, err error) {
	if len(pk.body) < 2 {
		return 0, nil, malformed("packet without identifier")
	}
	id, list = binary.BigEndian.Uint16(pk.body), pk.body[2:]
	if version == 5 {
		block, rest, ok := cutProperties(list)
		if !ok {
			return 0, nil, malformed("properties cut short")
		}
		if _, err := readProperties(block, pk.kind); err != nil {
			return 0, nil, err
		}
		list = rest
	}
	return id, list, nil
}

func checkList(pk packet, id uint16, n int) error {
	if pk.flags != 2 || id == 0 || n == 0 {
		return malformed("SUBSCRIBE or UNSUBSCRIBE without what it needs")
	}
	return nil
}

// readPubrel returns the identifier of a PUBREL.
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
