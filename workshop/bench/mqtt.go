package bench

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The first bytes of the control packets that a publisher needs.
const (
	connectPacket    = 0x10
	connackPacket    = 0x20
	publishQoS1      = 0x32
	pubackPacket     = 0x40
	disconnectPacket = 0xE0
)

const (
	telemetryTopic = "v1/devices/me/telemetry"
	keepAlive      = 600     // seconds; a run's connections are never silent for so long
	maxPacket      = 4 << 10 // bytes; a server sends a publisher nothing larger
)

// appendConnect appends a CONNECT with a clean session.
func appendConnect(b []byte, protocol byte, clientID, userName, password string) []byte {
	body := appendString(nil, "MQTT")
	body = append(body, protocol, 0xC2, keepAlive>>8, keepAlive&0xff)
	if protocol == 5 {
		body = append(body, 0) // no properties
	}
	for _, s := range []string{clientID, userName, password} {
		body = appendString(body, s)
	}
	return append(appendHeader(b, connectPacket, len(body)), body...)
}

// appendPublish appends a PUBLISH of QoS 1 to the telemetry topic.
func appendPublish(b []byte, protocol byte, id uint16, payload []byte) []byte {
	length := 2 + len(telemetryTopic) + 2 + len(payload)
	if protocol == 5 {
		length++
	}
	b = appendHeader(b, publishQoS1, length)
	b = appendString(b, telemetryTopic)
	b = binary.BigEndian.AppendUint16(b, id)
	if protocol == 5 {
		b = append(b, 0) // no properties
	}
	return append(b, payload...)
}

func appendHeader(b []byte, first byte, length int) []byte {
	b = append(b, first)
	for ; length >= 0x80; length >>= 7 {
		b = append(b, byte(length)|0x80)
	}
	return append(b, byte(length))
}

func appendString(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(s))), s...)
}

// packetReader splits what a server sends into packets.
type packetReader struct {
	r        *bufio.Reader
	protocol byte
}

// next returns the next packet; the body is valid until the next call. io.EOF means that the
// connection ended between two packets.
func (a *packetReader) next() (first byte, body []byte, err error) {
	if first, err = a.r.ReadByte(); err != nil {
		return 0, nil, err
	}
	if body, err = a.body(); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return first, body, err
}

func (a *packetReader) body() ([]byte, error) {
	length, err := binary.ReadUvarint(a.r) // MQTT encodes lengths in the same way
	if err != nil {
		return nil, err
	}
	if length > maxPacket {
		return nil, fmt.Errorf("a packet of %d bytes from the server", length)
	}
	body, err := a.r.Peek(int(length))
	if err != nil {
		return nil, err
	}
	_, err = a.r.Discard(len(body)) // body stays valid until the next read
	return body, err
}

// ackBuffered tells whether a whole acknowledgement has arrived already.
func (a *packetReader) ackBuffered() bool {
	n := a.r.Buffered()
	if n < 2 {
		return false
	}
	head, err := a.r.Peek(2)
	return err == nil && n >= 2+int(head[1])
}

// readConnack reads a CONNACK and returns how many messages may be in flight; 0 if the server does
// not say.
func (a *packetReader) readConnack() (receiveMaximum int, err error) {
	first, body, err := a.next()
	switch {
	case errors.Is(err, io.EOF):
		return 0, fmt.Errorf("the server closed the connection after CONNECT")
	case err != nil:
		return 0, err
	case first != connackPacket || len(body) < 2:
		return 0, fmt.Errorf("packet %#x instead of a CONNACK", first)
	case body[1] != 0:
		return 0, fmt.Errorf("CONNECT refused, code %#x", body[1])
	}
	if a.protocol != 5 {
		return 0, nil
	}
	return receiveMaximumOf(body[2:])
}

// readPuback reads the next acknowledgement and returns the packet identifier of its message and,
// with MQTT 5, the reason code.
func (a *packetReader) readPuback() (id uint16, reason byte, err error) {
	first, body, err := a.next()
	switch {
	case err != nil:
		return 0, 0, err
	case first == disconnectPacket && len(body) > 0:
		return 0, 0, fmt.Errorf("the server sent DISCONNECT, reason %#x", body[0])
	case first != pubackPacket || len(body) < 2 || a.protocol != 5 && len(body) != 2:
		return 0, 0, fmt.Errorf("packet %#x of %d bytes instead of a PUBACK", first, len(body))
	}
	if len(body) > 2 {
		reason = body[2]
	}
	return binary.BigEndian.Uint16(body), reason, nil
}

// fixedProperties are the lengths of the properties that a CONNACK of MQTT 5 may have, by
// identifier.
var fixedProperties = map[byte]int{
	0x11: 4, 0x13: 2, 0x21: 2, 0x22: 2, 0x24: 1, 0x25: 1, 0x27: 4, 0x28: 1, 0x29: 1, 0x2A: 1,
}

// textProperties are the numbers of strings of the other properties.
var textProperties = map[byte]int{0x12: 1, 0x15: 1, 0x16: 1, 0x1A: 1, 0x1C: 1, 0x1F: 1, 0x26: 2}

const receiveMaximumProperty = 0x21

func receiveMaximumOf(b []byte) (int, error) {
	length, n := binary.Uvarint(b)
	if n <= 0 || uint64(len(b)-n) != length {
		return 0, fmt.Errorf("CONNACK with properties of the wrong length")
	}
	for b = b[n:]; len(b) > 0; {
		kind := b[0]
		b = b[1:]
		size, known := fixedProperties[kind]
		for range textProperties[kind] {
			known = true
			if size+2 <= len(b) {
				size += int(binary.BigEndian.Uint16(b[size:]))
			}
			size += 2
		}
		if !known || size > len(b) {
			return 0, fmt.Errorf("CONNACK with property %#x, unknown or cut short", kind)
		}
		if kind == receiveMaximumProperty {
			return int(binary.BigEndian.Uint16(b)), nil
		}
		b = b[size:]
	}
	return 0, nil
}
