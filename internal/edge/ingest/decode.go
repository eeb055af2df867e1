package ingest

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

const (
	maxAhead      = 10 * time.Minute       // a reading further in the future is refused
	reportedAhead = reading.ClockTolerance // a clock that is further ahead is reported
	maxIdentifier = 64                     // characters kept of a refused identifier

	// Epoch milliseconds between 2000 and 2100; values outside are seconds, microseconds, or times
	// of a clock that was never set.
	earliestTime = 946_684_800_000
	latestTime   = 4_102_444_800_000
)

// messageContent is the decoded content of one message.
type messageContent struct {
	arrivals []reading.Arrival
	parts    []deviceContent // the sender's first, then a gateway's children
	arena    *arena          // while it is decoded
}

// deviceContent is what one message holds of one device.
type deviceContent struct {
	ref            device.Ref
	at             int64
	values         int
	refusals       []device.Refusal
	ahead          time.Duration // how far the newest reading was ahead; 0 if up to reportedAhead
	clockPlausible bool          // one reading had a time within reportedAhead of its arrival
}

// clockAhead is what the message shows of the device's clock, for Diagnostics.Count.
func (p *deviceContent) clockAhead() time.Duration {
	if p.ahead == 0 && !p.clockPlausible {
		return device.ClockUnknown
	}
	return p.ahead
}

func (p *deviceContent) refuse(identifier string, reason device.Reason) {
	p.refusals = append(
		p.refusals,
		device.Refusal{Time: p.at, Identifier: device.SanitizeText(clip(identifier)), Reason: reason},
	)
}

func clip(identifier string) string {
	if len(identifier) <= maxIdentifier {
		return identifier
	}
	n := 0
	for i := range identifier {
		if n == maxIdentifier {
			return strings.Clone(identifier[:i])
		}
		n++
	}
	return identifier
}

// decoder turns payloads into frames. It keeps the valid values of a message and refuses the
// others; a payload that is not JSON is refused as a whole.
type decoder struct {
	registry  *device.Registry
	retention time.Duration
	clock     arrivalClock
	arenas    sync.Pool // of *arena
}

// begin prepares c for decoding; finish must follow.
func (d *decoder) begin(c *messageContent) {
	c.arena, _ = d.arenas.Get().(*arena)
	if c.arena == nil {
		c.arena = &arena{}
	}
	c.parts = c.arena.parts.alloc(1)
	c.arrivals = c.arena.arrivals.alloc(1)
}

func (d *decoder) finish(c *messageContent) {
	d.arenas.Put(c.arena)
	c.arena = nil
}

// decodeOwn decodes what a device publishes of itself: an entry as decodeEntry takes it, or a list of
// them.
func (d *decoder) decodeOwn(c *messageContent, e *device.Entry, payload []byte, at int64) {
	d.begin(c)
	defer d.finish(c)
	p := deviceContent{ref: e.Ref, at: at}
	if payload, ok := readableJSON(payload); ok {
		d.decodeEntries(c, &p, e, payload)
	} else {
		p.refuse("", device.ReasonUnreadable)
	}
	c.parts = append(c.parts, p)
	c.sortByTime()
}

// sortByTime sorts the frames of a message by time, the order in which rules are evaluated: loggers
// list saved readings in any order. Frames with equal times stay in the order of the message.
func (c *messageContent) sortByTime() {
	byTime := func(a, b reading.Arrival) int { return cmp.Compare(a.Time, b.Time) }
	if !slices.IsSortedFunc(c.arrivals, byTime) {
		slices.SortStableFunc(c.arrivals, byTime)
	}
}

// decodeGateway decodes {"DEVICE":[entry,…],…}; a single entry may stand without its list. A device
// that the gateway's tenant does not have is refused, and nothing is stored for it.
func (d *decoder) decodeGateway(c *messageContent, e *device.Entry, payload []byte, at int64) {
	d.begin(c)
	defer d.finish(c)
	c.parts = append(c.parts, deviceContent{ref: e.Ref, at: at})
	payload, ok := readableJSON(payload)
	if !ok {
		c.parts[0].refuse("", device.ReasonUnreadable)
		return
	}
	cur := cursor{text: payload}
	if cur.kind() != '{' {
		c.parts[0].refuse("", device.ReasonUnreadable)
		return
	}
	for cur.enter(); cur.more(); {
		name, entries := unquote(cur.key()), cur.value()
		child, reason := findChild(d.registry, e, name)
		if child == nil {
			c.parts[0].refuse(name, reason)
			continue
		}
		p := deviceContent{ref: child.Ref, at: at}
		d.decodeEntries(c, &p, child, entries)
		c.parts = append(c.parts, p)
	}
	c.sortByTime()
}

// findChild finds a child of a gateway, or says why the gateway may not publish for it.
func findChild(r *device.Registry, gateway *device.Entry, name string) (*device.Entry, device.Reason) {
	child := r.Find(gateway.Tenant, name)
	switch {
	case child == nil:
		return nil, device.ReasonNotYours
	case child.Disabled:
		return nil, device.ReasonDisabled
	}
	return child, ""
}

// decodeEntries decodes one entry or a list of them.
func (d *decoder) decodeEntries(c *messageContent, p *deviceContent, e *device.Entry, raw []byte) {
	cur := cursor{text: raw}
	switch cur.kind() {
	case '{':
		d.decodeEntry(c, p, e, raw)
	case '[':
		for cur.enter(); cur.more(); {
			if cur.kind() == '{' {
				d.decodeEntry(c, p, e, cur.value())
				continue
			}
			cur.value()
			p.refuse("", device.ReasonUnreadable)
		}
	default:
		p.refuse("", device.ReasonUnreadable)
	}
}

// entryForm tells which members of an entry are no values of properties. No property is named ts or
// values.
type entryForm struct {
	hasTime bool   // ts is the time of the others
	values  []byte // the object values, whose members count after the others; nil: there is none
}

// decodeEntry decodes {"ts":ms,"values":{…}}, {"ts":ms,"k":v,…}, {"values":{…}} or {"k":v,…}.
func (d *decoder) decodeEntry(c *messageContent, p *deviceContent, e *device.Entry, raw []byte) {
	ts, values := findTimeAndValues(raw)
	var at int64
	if ts != nil {
		var reason device.Reason
		if at, reason = d.readTime(p, ts); reason != "" {
			p.refuse("ts", reason)
			return
		}
	}
	form := entryForm{hasTime: ts != nil}
	switch isObject := values != nil && values[0] == '{'; {
	case ts == nil && isObject:
		form.values = values
	case ts != nil && isObject:
		raw, form = values, entryForm{}
	case ts != nil && values != nil:
		p.refuse("values", device.ReasonWrongType)
		return
	}
	d.addFrame(c, p, e, at, p.fields(&c.arena.fields, e.Product, raw, form))
}

// addFrame adds the values of one time, epoch ms; 0: that of the arrival. Without values it does nothing.
func (d *decoder) addFrame(c *messageContent, p *deviceContent, e *device.Entry, at int64, fields []reading.Field) {
	if len(fields) == 0 {
		return
	}
	if at == 0 {
		var ok bool
		if at, ok = d.clock.next(e.ID, p.at); !ok {
			p.refuse("", device.ReasonFuture)
			return
		}
	}
	p.values += countValues(fields)
	if apart := time.Duration(at-p.at) * time.Millisecond; -reportedAhead <= apart && apart <= reportedAhead {
		p.clockPlausible = true
	}
	c.arrivals = append(c.arrivals, reading.Arrival{
		Frame: reading.Frame{Tenant: e.Tenant, Device: e.ID, Time: at, Fields: fields},
		At:    p.at,
	})
}

// findTimeAndValues finds an entry's time and values; if a member occurs twice, the last one
// counts.
func findTimeAndValues(raw []byte) (ts, values []byte) {
	cur := cursor{text: raw}
	for cur.enter(); cur.more(); {
		key, value := cur.key(), cur.value()
		switch {
		case keyIs(key, "ts"):
			ts = value
		case keyIs(key, "values"):
			values = value
		}
	}
	return ts, values
}

// keyIs tells whether a quoted key is name.
func keyIs(key []byte, name string) bool {
	return string(stringBytes(key)) == name
}

// readTime reads epoch milliseconds and checks them against the arrival and the retention.
func (d *decoder) readTime(p *deviceContent, raw []byte) (int64, device.Reason) {
	at, ok := readMillis(raw)
	if !ok {
		return 0, device.ReasonBadTime
	}
	return at, d.checkTime(p, at)
}

// checkTime checks a time, epoch ms, against the arrival and the retention.
func (d *decoder) checkTime(p *deviceContent, at int64) device.Reason {
	ahead := time.Duration(at-p.at) * time.Millisecond
	if ahead > reportedAhead {
		p.ahead = max(p.ahead, ahead)
	}
	switch {
	case ahead > maxAhead:
		return device.ReasonFuture
	case ahead < -d.retention:
		return device.ReasonTooOld
	}
	return ""
}

func plausibleTime(at int64) bool { return at >= earliestTime && at < latestTime }

func readMillis(raw []byte) (int64, bool) {
	at, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		// "1700000000000" and 1.7e12 are whole milliseconds too.
		f, reason := readNumber(raw)
		at = int64(f)
		if reason != "" || float64(at) != f {
			return 0, false
		}
	}
	return at, plausibleTime(at)
}

// fields reads the members of an entry as values of the product's properties, sorted by property. If
// a name occurs twice, the last value counts.
func (p *deviceContent) fields(
	from *chunk[reading.Field],
	product *device.Product,
	raw []byte,
	form entryForm,
) []reading.Field {
	fields := from.reserve(min(len(product.Properties), bytes.Count(raw, []byte{':'})))
	fields = p.addMembers(fields, product, raw, form)
	if form.values != nil {
		fields = p.addMembers(fields, product, form.values, entryForm{})
	}
	from.commit(len(fields))
	return fields[:len(fields):len(fields)]
}

// has tells whether a quoted key is one of the form.
func (f *entryForm) has(key []byte) bool {
	return f.hasTime && keyIs(key, "ts") || f.values != nil && keyIs(key, "values")
}

// addMembers adds the members of an object to an entry's fields.
func (p *deviceContent) addMembers(
	fields []reading.Field,
	product *device.Product,
	raw []byte,
	form entryForm,
) []reading.Field {
	cur := cursor{text: raw}
	guess := 0
	for cur.enter(); cur.more(); {
		key, value := cur.key(), cur.value()
		i := findProperty(product, guess, key)
		if i < 0 {
			if !form.has(key) {
				p.refuse(unquote(key), device.ReasonUnknown)
			}
			continue
		}
		guess = i + 1
		property := &product.Properties[i]
		v, reason := readValue(property, value)
		place, found := len(fields), false
		if place > 0 && fields[place-1].Property >= property.ID {
			place, found = slices.BinarySearchFunc(fields, property.ID, byProperty)
		}
		switch {
		case reason != "":
			p.refuse(property.Identifier, reason)
			if found {
				fields = slices.Delete(fields, place, place+1)
			}
		case found:
			fields[place].Value = v
		default:
			fields = slices.Insert(fields, place, reading.Field{Property: property.ID, Value: v})
		}
	}
	return fields
}

func byProperty(f reading.Field, id device.PropertyID) int { return cmp.Compare(f.Property, id) }

// findProperty returns the index of the property with the quoted name, or -1. It starts at guess,
// because devices repeat the order in which they send.
func findProperty(product *device.Product, guess int, key []byte) int {
	name := stringBytes(key)
	n := len(product.Properties)
	for i := range n {
		if at := (guess + i) % n; product.Properties[at].Identifier == string(name) {
			return at
		}
	}
	return -1
}
