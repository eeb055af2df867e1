package ingest

import (
	"errors"

	"tilth/internal/domain/device"
)

// rejectOversized counts a message that is over the limit and was not read: contact,
// and a refusal.
func (p *Pipeline) rejectOversized(e *device.Entry) {
	m := Message{Entry: e, At: p.opts.Now().UnixMilli()}
	p.opts.Presence.SeenAt(e.Ref, m.At)
	var it item
	it.refuse(m, "", device.ReasonTooLarge)
	p.recordOutcome(&it)
}

// noteOversized counts what ended the connection, if it is a packet over the
// limit, for the device that may still be here.
func (c *conn) noteOversized(why error) {
	var violation protocolError
	if errors.As(why, &violation) && violation.reason == reasonTooLarge && c.revalidate() == nil {
		c.server.pipeline.rejectOversized(c.entry)
	}
}
