package live

import "strconv"

// Event is one thing that happened in a tenant. All screens of the tenant share it, so nobody may
// change it.
type Event struct {
	Seq   uint64
	Name  string // reading, presence, notice, message, delivery, change
	Data  []byte // JSON; part of Frame
	Frame []byte // as sent on the wire, with id and name; ends with an empty line

	person int64 // the only person who gets it; 0: everybody of the tenant
}

// newEvent writes an event's frame, once for all screens. data is JSON without line breaks.
func newEvent(epoch string, seq uint64, person int64, name string, data []byte) *Event {
	const digits = 20 // of the largest sequence number
	const most = len("id: ") + 1 + digits + len("\nevent: ") + len("\ndata: ") + len("\n\n")
	b := make([]byte, 0, most+len(epoch)+len(name)+len(data))
	b = append(b, "id: "...)
	b = append(b, epoch...)
	b = append(b, '-')
	b = strconv.AppendUint(b, seq, 10)
	b = append(b, "\nevent: "...)
	b = append(b, name...)
	b = append(b, "\ndata: "...)
	from := len(b)
	b = append(b, data...)
	to := len(b)
	b = append(b, "\n\n"...)
	return &Event{Seq: seq, Name: name, Data: b[from:to:to], Frame: b, person: person}
}

// isFor tells whether a person's screens get the event.
func (e *Event) isFor(person int64) bool { return e.person == 0 || e.person == person }

// size is about how much memory an event takes, in bytes.
func (e *Event) size() int64 { return int64(cap(e.Frame)) + 104 }
