package ingest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/eclipse/paho.golang/packets"
)

// MQTT 5 reason codes that the endpoint uses; MQTT 3.1.1 has no equivalents.
const (
	reasonSuccess           = 0x00
	reasonMalformed         = 0x81
	reasonProtocolError     = 0x82
	reasonVersion           = 0x84
	reasonBadCredentials    = 0x86
	reasonNotAuthorized     = 0x87
	reasonServerBusy        = 0x89
	reasonShuttingDown      = 0x8B
	reasonBadAuthMethod     = 0x8C
	reasonKeepAlive         = 0x8D
	reasonTakenOver         = 0x8E
	reasonBadFilter         = 0x8F
	reasonBadTopic          = 0x90
	reasonIDNotFound        = 0x92
	reasonReceiveMaximum    = 0x93
	reasonBadAlias          = 0x94
	reasonTooLarge          = 0x95
	reasonQuota             = 0x97
	reasonAdministrative    = 0x98
	reasonBadPayload        = 0x99
	reasonTooManyConnection = 0x9F
)

// protocolError ends a connection whose client violates the protocol.
type protocolError struct {
	reason byte // for MQTT 5
	text   string
}

func (e protocolError) Error() string { return "mqtt: " + e.text }

func malformed(text string) error { return protocolError{reasonMalformed, text} }

// packet is a control packet as received. The body is valid until the next read.
type packet struct {
	kind  byte // high half of the first byte
	flags byte // low half
	body  []byte
}

// packetReader splits a connection into packets. It does not copy packets that fit in the buffer;
// for larger ones it allocates no more than about what has arrived.
type packetReader struct {
	r     *bufio.Reader
	limit int // largest body accepted, bytes
	used  int // bytes of the buffer that the last returned packet uses
}

// next reads a packet. io.EOF means that the connection ended between two packets; another error of
// package io means that it ended within one.
func (p *packetReader) next() (packet, error) {
	if _, err := p.r.Discard(p.used); err != nil {
		return packet{}, err
	}
	p.used = 0
	first, err := p.r.ReadByte()
	if err != nil {
		return packet{}, err
	}
	length, err := p.length()
	if err != nil {
		return packet{}, err
	}
	pk := packet{kind: first >> 4, flags: first & 0x0f}
	if pk.body, err = p.body(length); err != nil {
		return packet{}, unexpectedEOF(err)
	}
	return pk, nil
}

// length reads the remaining length and refuses a packet over the limit before it allocates
// anything.
func (p *packetReader) length() (int, error) {
	n := 0
	for shift := 0; ; shift += 7 {
		b, err := p.r.ReadByte()
		if err != nil {
			return 0, unexpectedEOF(err)
		}
		if n |= int(b&0x7f) << shift; b < 0x80 {
			break
		}
		if shift == 21 {
			return 0, malformed("remaining length of more than four bytes")
		}
	}
	if n > p.limit {
		return 0, protocolError{reasonTooLarge, fmt.Sprintf("packet of %d bytes, the limit is %d", n, p.limit)}
	}
	return n, nil
}

func (p *packetReader) body(n int) ([]byte, error) {
	if n <= p.r.Size() {
		p.used = n
		body, err := p.r.Peek(n)
		if err != nil {
			p.used = 0
		}
		return body, err
	}
	const step = 16 << 10
	body := make([]byte, 0, step)
	for len(body) < n {
		have := len(body)
		part := min(n-have, max(step, have))
		if cap(body)-have < part {
			grown := make([]byte, have, have+part)
			copy(grown, body)
			body = grown
		}
		body = body[:have+part]
		if _, err := io.ReadFull(p.r, body[have:]); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// unexpectedEOF turns the end of the stream within a packet into an error.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// publishPacket is a PUBLISH. Topic and payload point into the packet.
type publishPacket struct {
	topic   []byte
	payload []byte
	id      uint16
	alias   uint16 // MQTT 5; 0: none
	qos     byte
}

// parsePublish reads a PUBLISH. This packet may come a hundred thousand times a second, so the
// endpoint reads it itself, without allocating.
func parsePublish(pk packet, version byte) (publishPacket, error) {
	pub := publishPacket{qos: pk.flags >> 1 & 3}
	if pub.qos == 3 || pub.qos == 0 && pk.flags&8 != 0 {
		return pub, malformed("PUBLISH flags")
	}
	rest := pk.body
	var ok bool
	if pub.topic, rest, ok = cutString(rest); !ok || !validTopic(pub.topic) {
		return pub, malformed("PUBLISH topic")
	}
	if pub.qos > 0 {
		if len(rest) < 2 {
			return pub, malformed("PUBLISH without packet identifier")
		}
		if pub.id = binary.BigEndian.Uint16(rest); pub.id == 0 {
			return pub, malformed("PUBLISH with packet identifier 0")
		}
		rest = rest[2:]
	}
	if version == 5 {
		block, after, ok := cutProperties(rest)
		if !ok {
			return pub, malformed("PUBLISH properties")
		}
		if rest = after; len(block) > 1 {
			if err := pub.readProperties(block); err != nil {
				return pub, err
			}
		}
	}
	if len(pub.topic) == 0 && pub.alias == 0 {
		return pub, protocolError{reasonProtocolError, "PUBLISH without topic"}
	}
	pub.payload = rest
	return pub, nil
}

func (pub *publishPacket) readProperties(block []byte) error {
	props, err := readProperties(block, packets.PUBLISH)
	if err != nil {
		return err
	}
	if props.has.subscription {
		return protocolError{reasonProtocolError, "PUBLISH with subscription identifier"}
	}
	if pub.alias = props.alias; props.has.alias && (pub.alias == 0 || pub.alias > topicAliases) {
		return protocolError{reasonBadAlias, "topic alias out of range"}
	}
	return nil
}

// cutString cuts a length-prefixed string off b.
func cutString(b []byte) (s, rest []byte, ok bool) {
	if len(b) < 2 {
		return nil, nil, false
	}
	n := 2 + int(binary.BigEndian.Uint16(b))
	if len(b) < n {
		return nil, nil, false
	}
	return b[2:n], b[n:], true
}

// cutProperties cuts an MQTT 5 property block, with its length, off b.
func cutProperties(b []byte) (block, rest []byte, ok bool) {
	n := 0
	for i := 0; i < len(b) && i < 4; i++ {
		if n |= int(b[i]&0x7f) << (7 * i); b[i] < 0x80 {
			if end := i + 1 + n; end <= len(b) {
				return b[:end], b[end:], true
			}
			break
		}
	}
	return nil, nil, false
}

// validTopic tells whether a topic name is valid: UTF-8 without NUL and without wildcards. It
// accepts the empty name, which the caller checks.
func validTopic(topic []byte) bool {
	for _, b := range topic {
		if b == 0 || b == '+' || b == '#' {
			return false
		}
	}
	return utf8.Valid(topic)
}
