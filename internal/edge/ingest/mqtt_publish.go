package ingest

import (
	"bytes"
	"time"

	v3 "github.com/eclipse/paho.mqtt.golang/packets"

	v5 "github.com/eclipse/paho.golang/packets"

	"tilth/internal/domain/device"
)

// publish accepts a PUBLISH. It waits while the device exceeds its rate or too many messages of the
// connection are unanswered: nothing is dropped, the server just stops reading from the client.
func (c *conn) publish(pk packet) error {
	pub, err := parsePublish(pk, c.version)
	if err != nil {
		return err
	}
	kind, err := c.route(pub)
	if err != nil {
		return err
	}
	if pub.qos == 2 {
		if again, err := c.beginQoS2(pub.id); again || err != nil {
			return err
		}
	}
	now := c.server.opts.Now()
	c.pause(c.server.pipeline.gate.reserve(c.allowance, now, c.entry))
	if err := c.revalidate(); err != nil {
		return err
	}
	if !c.out.acquire(c.server.opts.InFlight) {
		return errStopped
	}
	m := Message{Entry: c.entry, Kind: kind, Payload: pub.payload, At: now.UnixMilli()}
	if err := c.server.pipeline.submit(c.ctx, m, item{conn: c, qos: pub.qos, id: pub.id}); err != nil {
		c.out.release()
		return err
	}
	return nil
}

// route finds the kind of the message by its topic or topic alias.
func (c *conn) route(pub publishPacket) (Kind, error) {
	if len(pub.topic) == 0 {
		kind := c.aliases[pub.alias]
		if kind == 0 {
			return 0, protocolError{reasonProtocolError, "topic alias that was never set"}
		}
		return kind, nil
	}
	kind := kindOf(pub.topic)
	if pub.alias > 0 {
		c.aliases[pub.alias] = kind
	}
	return kind, nil
}

// beginQoS2 notes a QoS 2 message; again is true if it came before and is not released yet. An
// answered one is answered once more when the client reads its answers, so a client that repeats it
// endlessly gets no more answers than it reads.
func (c *conn) beginQoS2(id uint16) (again bool, err error) {
	c.out.mu.Lock()
	answered, again := c.qos2.get(id)
	full := !again && c.version == 5 && c.qos2.count >= c.server.opts.InFlight
	if !again && !full {
		c.qos2.begin(id)
	}
	c.out.mu.Unlock()
	switch {
	case full:
		return false, protocolError{reasonReceiveMaximum, "more messages in flight than the receive maximum"}
	case answered:
		return true, c.send(c.encodeAck(v5.PUBREC, id, reasonSuccess))
	}
	return again, nil
}

// pause waits for the device's rate limit; a shutdown lets the message through.
func (c *conn) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.stopping:
	case <-c.ctx.Done():
	}
}

// acknowledge handles the outcome of a message, in the order in which the client sent the messages.
// A message that could not be written is not answered, and the connection is ended, so that the
// client sends it again. Answers go to the write buffer; needsFlush asks the caller to flush it.
func (c *conn) acknowledge(qos byte, id uint16, o Outcome) (needsFlush bool) {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	c.out.pending--
	c.out.changed.Broadcast()
	if c.out.closing {
		return false
	}
	if o.Err != nil {
		c.endLocked(reasonServerBusy)
		return false
	}
	if qos == 0 {
		return false
	}
	c.server.pipeline.stats.acks.Add(1)
	reason := reasonOf(o)
	if qos == 1 {
		return c.out.queueLocked(c.encodeAck(v5.PUBACK, id, reason))
	}
	if c.version == 5 && reason != reasonSuccess {
		c.qos2.end(id) // a refusal ends the exchange
	} else {
		c.qos2.answer(id)
	}
	return c.out.queueLocked(c.encodeAck(v5.PUBREC, id, reason))
}

// reasonOf is the reason code for an MQTT 5 client.
func reasonOf(o Outcome) byte {
	if !o.Rejected() {
		return reasonSuccess
	}
	switch o.FirstRefusal.Reason {
	case device.ReasonUnknownTopic:
		return reasonBadTopic
	case device.ReasonNotGateway:
		return reasonNotAuthorized
	}
	return reasonBadPayload
}

// encodeAck encodes a PUBACK, PUBREC or PUBCOMP.
func (c *conn) encodeAck(kind byte, id uint16, reason byte) []byte {
	if c.version == 5 && reason != reasonSuccess {
		return []byte{kind << 4, 3, byte(id >> 8), byte(id), reason}
	}
	return []byte{kind << 4, 2, byte(id >> 8), byte(id)}
}

// handlePubrel handles a PUBREL, with which the client confirms that it knows of the arrival of its
// QoS 2 message. A PUBREL for an unknown message is answered, too: the message may be of an earlier
// connection.
func (c *conn) handlePubrel(pk packet) error {
	id, err := readPubrel(pk, c.version)
	if err != nil {
		return err
	}
	c.out.mu.Lock()
	answered, known := c.qos2.get(id)
	if known && answered {
		c.qos2.end(id)
	}
	c.out.mu.Unlock()
	switch {
	case known && !answered:
		return protocolError{reasonProtocolError, "PUBREL before PUBREC"}
	case !known:
		return c.send(c.encodeAck(v5.PUBCOMP, id, reasonIDNotFound))
	}
	return c.send(c.encodeAck(v5.PUBCOMP, id, reasonSuccess))
}

// subscribe grants a device its own topics, to which nothing is ever sent.
func (c *conn) subscribe(pk packet) error {
	id, list, filters, err := readSubscribe(pk, c.version)
	if err != nil {
		return err
	}
	codes := make([]byte, 0, filters)
	for len(list) > 0 {
		var filter []byte
		var qos byte
		if filter, qos, list = cutSubscription(list, c.version); qos > 2 {
			return malformed("SUBSCRIBE with QoS 3")
		}
		reason, ok := authorizeFilter(string(filter), c.entry.Gateway)
		switch {
		case ok:
			codes = append(codes, qos)
		case c.version == 5:
			codes = append(codes, reason)
		default:
			codes = append(codes, 0x80)
		}
	}
	var b bytes.Buffer
	if c.version == 5 {
		answer := v5.Suback{PacketID: id, Reasons: codes, Properties: &v5.Properties{}}
		_, err = answer.WriteTo(&b)
	} else {
		answer := v3.SubackPacket{
			FixedHeader: v3.FixedHeader{MessageType: v3.Suback},
			MessageID:   id,
			ReturnCodes: codes,
		}
		err = answer.Write(&b)
	}
	if err != nil {
		return err
	}
	return c.send(b.Bytes())
}

func (c *conn) unsubscribe(pk packet) error {
	id, topics, err := readUnsubscribe(pk, c.version)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if c.version == 5 {
		answer := v5.Unsuback{PacketID: id, Reasons: make([]byte, topics), Properties: &v5.Properties{}}
		_, err = answer.WriteTo(&b)
	} else {
		answer := v3.UnsubackPacket{FixedHeader: v3.FixedHeader{MessageType: v3.Unsuback}, MessageID: id}
		err = answer.Write(&b)
	}
	if err != nil {
		return err
	}
	return c.send(b.Bytes())
}
