package ingest

import (
	"encoding/binary"

	"github.com/eclipse/paho.golang/packets"
)

// connectHead is the length of what follows the protocol's name and level in a CONNECT: flags and
// keep-alive.
const connectHead = 3

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

// cutProtocol cuts the protocol's name and level off a CONNECT; ok is false if it is not MQTT. MQTT
// 3.1, of level 3, has another name.
func cutProtocol(body []byte) (level byte, rest []byte, ok bool) {
	name, rest, ok := cutString(body)
	if !ok || len(rest) == 0 || string(name) != "MQTT" && string(name) != "MQIsdp" {
		return 0, nil, false
	}
	if level = rest[0]; string(name) == "MQIsdp" && level&levelBits >= 4 {
		return 0, nil, false
	}
	return level, rest[1:], true
}

// readConnect decodes what follows the protocol's level in a CONNECT of version 4 (MQTT 3.1.1) or 5.
// It accepts neither truncated strings nor trailing bytes; any string may be empty. With an error, g
// is what could be read.
func readConnect(rest []byte, version byte) (g connectRequest, err error) {
	g.version = version
	if len(rest) < connectHead {
		return g, malformed("CONNECT cut short")
	}
	flags := rest[0]
	will := flags&0x04 != 0
	g.keepAlive, g.cleanStart = binary.BigEndian.Uint16(rest[1:]), flags&0x02 != 0
	g.hasUser, g.hasSecret = flags&0x80 != 0, flags&0x40 != 0
	rest = rest[connectHead:]
	var props properties
	var wrong error // of a part after which reading can go on
	if version == 5 {
		block, after, ok := cutProperties(rest)
		if !ok {
			return g, malformed("CONNECT properties")
		}
		props, wrong = readProperties(block, packets.CONNECT)
		g.sessionExpiry, g.authMethod, g.maxPacket = props.sessionExpiry > 0, props.authMethod, props.maxPacket
		rest = after
	}
	if rest, err = g.readFields(rest, will); err != nil {
		return g, err
	}
	switch {
	case flags&0x01 != 0 || flags>>3&3 == 3 || !will && flags&0x38 != 0:
		return g, malformed("CONNECT flags")
	case wrong != nil:
		return g, wrong
	case len(rest) > 0:
		return g, malformed("CONNECT of the wrong length")
	case props.has.maxPacket && props.maxPacket == 0:
		return g, protocolError{reasonProtocolError, "maximum packet size 0"}
	case props.has.receiveMaximum && props.receiveMaximum == 0:
		return g, protocolError{reasonProtocolError, "receive maximum 0"}
	}
	return g, nil
}

// readFields reads the payload of a CONNECT, and returns what follows it.
func (g *connectRequest) readFields(b []byte, will bool) (rest []byte, err error) {
	if g.clientID, rest, err = cutField(b, true); err != nil {
		return nil, err
	}
	if will {
		if rest, err = cutWill(rest, g.version); err != nil {
			return nil, err
		}
	}
	if g.userName, rest, err = cutField(rest, g.hasUser); err != nil {
		return nil, err
	}
	g.password, rest, err = cutField(rest, g.hasSecret)
	return rest, err
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

// cutWill cuts the will of a CONNECT off b. The will is ignored, because it is no reading.
func cutWill(b []byte, version byte) (rest []byte, err error) {
	rest = b
	if version == 5 {
		block, after, ok := cutProperties(rest)
		if !ok {
			return nil, malformed("will properties")
		}
		if _, err := readProperties(block, packets.CONNECT); err != nil {
			return nil, err
		}
		rest = after
	}
	for range 2 { // topic and message
		var ok bool
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
