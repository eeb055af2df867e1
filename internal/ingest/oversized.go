package ingest

import (
	"errors"

	"tilth/internal/device"
)

// turnAway counts a message that is over the limit and was not read: contact,
// and a refusal.
func (p *Pipeline) turnAway(e *device.Entry) {
	m := Message{Entry: e, At: p.opts.Now().UnixMilli()}
	p.opts.Presence.SeenAt(e.Ref, m.At)
	var it item
	it.refuse(m, "", device.ReasonTooLarge)
	p.count(&it)
}

// noteOversized counts what ended the connection, if it is a packet over the
// limit, for the device that may still be here.
func (c *conn) noteOversized(why error) {
	var broken protocolError
	if errors.As(why, &broken) && broken.reason == reasonTooLarge && c.look() == nil {
		c.server.pipeline.turnAway(c.entry)
	}
}
