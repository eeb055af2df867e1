package ingest

import (
	"encoding/binary"
	"fmt"

	"github.com/eclipse/paho.golang/packets"
)

// properties are those properties of clients' MQTT 5 packets that the endpoint uses.
type properties struct {
	sessionExpiry  uint32 // seconds; 0: the client asks for no session
	maxPacket      uint32 // bytes
	receiveMaximum uint16
	alias          uint16
	authMethod     bool // the method is not empty
	has            struct{ maxPacket, receiveMaximum, alias, subscription bool }
}

// Lengths of property values in bytes, or how to find the end of a value.
const (
	lengthVar  int8 = -1 // a number of one to four bytes
	lengthText int8 = -2 // text or binary data, prefixed with its length
	lengthPair int8 = -3 // two texts
)

// propertySpecs says how long a property's value is, and which packets may have it, as bits of
// their types. The properties of a CONNECT include those of its will.
var propertySpecs = [...]struct {
	length int8
	in     uint16
}{
	packets.PropPayloadFormat:          {1, 1<<packets.CONNECT | 1<<packets.PUBLISH},
	packets.PropMessageExpiry:          {4, 1<<packets.CONNECT | 1<<packets.PUBLISH},
	packets.PropContentType:            {lengthText, 1<<packets.CONNECT | 1<<packets.PUBLISH},
	packets.PropResponseTopic:          {lengthText, 1<<packets.CONNECT | 1<<packets.PUBLISH},
	packets.PropCorrelationData:        {lengthText, 1<<packets.CONNECT | 1<<packets.PUBLISH},
	packets.PropSubscriptionIdentifier: {lengthVar, 1<<packets.PUBLISH | 1<<packets.SUBSCRIBE},
	packets.PropSessionExpiryInterval:  {4, 1 << packets.CONNECT},
	packets.PropAuthMethod:             {lengthText, 1 << packets.CONNECT},
	packets.PropAuthData:               {lengthText, 1 << packets.CONNECT},
	packets.PropRequestProblemInfo:     {1, 1 << packets.CONNECT},
	packets.PropWillDelayInterval:      {4, 1 << packets.CONNECT},
	packets.PropRequestResponseInfo:    {1, 1 << packets.CONNECT},
	packets.PropReceiveMaximum:         {2, 1 << packets.CONNECT},
	packets.PropTopicAliasMaximum:      {2, 1 << packets.CONNECT},
	packets.PropTopicAlias:             {2, 1 << packets.PUBLISH},
	packets.PropUser: {
		lengthPair,
		1<<packets.CONNECT | 1<<packets.PUBLISH | 1<<packets.SUBSCRIBE | 1<<packets.UNSUBSCRIBE,
	},
	packets.PropMaximumPacketSize: {4, 1 << packets.CONNECT},
}

// readProperties reads the property block of a packet of the given type, as cut off by
// cutProperties. It allocates nothing; the codec allocates five hundred times the size of the
// packet, with which a client on a slow line could keep all processors busy.
func readProperties(block []byte, kind byte) (p properties, err error) {
	rest := block
	for rest[0] >= 0x80 { // the block's own length, which cutProperties checked
		rest = rest[1:]
	}
	for rest = rest[1:]; len(rest) > 0; {
		id, at := rest[0], rest[1:]
		if int(id) >= len(propertySpecs) || propertySpecs[id].in&(1<<kind) == 0 {
			return p, malformed(fmt.Sprintf("property %d in a packet of type %d", id, kind))
		}
		var ok bool
		var value []byte
		if value, rest, ok = cutValue(at, propertySpecs[id].length); !ok {
			return p, malformed(fmt.Sprintf("property %d is cut short", id))
		}
		switch id {
		case packets.PropSessionExpiryInterval:
			p.sessionExpiry = binary.BigEndian.Uint32(value)
		case packets.PropMaximumPacketSize:
			p.maxPacket, p.has.maxPacket = binary.BigEndian.Uint32(value), true
		case packets.PropReceiveMaximum:
			p.receiveMaximum, p.has.receiveMaximum = binary.BigEndian.Uint16(value), true
		case packets.PropTopicAlias:
			p.alias, p.has.alias = binary.BigEndian.Uint16(value), true
		case packets.PropAuthMethod:
			p.authMethod = len(value) > 0
		case packets.PropSubscriptionIdentifier:
			p.has.subscription = true
		}
	}
	return p, nil
}

// cutValue cuts a property's value off b; of two texts it returns the second.
func cutValue(b []byte, length int8) (value, rest []byte, ok bool) {
	switch length {
	case lengthPair:
		if _, b, ok = cutString(b); !ok {
			return nil, nil, false
		}
		return cutString(b)
	case lengthText:
		return cutString(b)
	case lengthVar:
		for i := 0; i < len(b) && i < 4; i++ {
			if b[i] < 0x80 {
				return b[:i+1], b[i+1:], true
			}
		}
		return nil, nil, false
	}
	if len(b) < int(length) {
		return nil, nil, false
	}
	return b[:length], b[length:], true
}
