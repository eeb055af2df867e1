package ingest

import (
	"errors"

	"tilth/internal/domain/device"
)

// rejectOversized counts a message over the size limit that was not read.
func (p *Pipeline) rejectOversized(e *device.Entry) { p.rejectUnread(e, device.ReasonTooLarge) }

// rejectUnread counts a message that was not read: as a contact of the device, and as a refusal.
func (p *Pipeline) rejectUnread(e *device.Entry, reason device.Reason) {
	m := Message{Entry: e, At: p.opts.Now().UnixMilli()}
	p.opts.Presence.SeenAt(e.Ref, m.At)
	var it item
	it.refuse(m, "", reason)
	p.recordOutcome(&it)
}

// noteOversized counts a packet over the size limit that ended the connection, if the device may
// still be connected.
func (c *conn) noteOversized(why error) {
	var violation protocolError
	if errors.As(why, &violation) && violation.reason == reasonTooLarge && c.revalidate() == nil {
		c.server.pipeline.rejectOversized(c.entry)
	}
}
