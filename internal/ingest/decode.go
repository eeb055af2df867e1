package ingest

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tilth/internal/device"
	"tilth/internal/reading"
)

const (
	maxAhead      = 10 * time.Minute     // a reading further in the future is refused
	reportedAhead = reading.StampedAhead // a clock further ahead is shown
	maxIdentifier = 64                   // characters of a refused identifier that are kept

	// Epoch milliseconds between 2000 and 2100; what lies outside is seconds,
	// microseconds or a clock that was never set.
	earliestTime = 946_684_800_000
	latestTime   = 4_102_444_800_000
)

// content is what was made of one message.
type content struct {
	arrivals []reading.Arrival
	parts    []part // the sender's first, then a gateway's children
	from     *slab  // while it is made
}

// part is what one message brought from one device.
type part struct {
	ref      device.Ref
	at       int64
	values   int
	refusals []device.Refusal
	ahead    time.Duration // how far the newest reading was ahead; 0 up to a minute
	right    bool          // one had a time within a minute of its arrival
}

// clock is what the part says of its device's clock, for Diagnostics.Count.
func (p *part) clock() time.Duration {
	if p.ahead == 0 && !p.right {
		return device.ClockUnknown
	}
	return p.ahead
}

func (p *part) refuse(identifier string, reason device.Reason) {
	p.refusals = append(p.refusals, device.Refusal{Time: p.at, Identifier: device.SanitizeText(clip(identifier)), Reason: reason})
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

// decoder turns payloads into frames. Good values of a message are kept,
// whatever else is refused; a text that is no JSON is refused as a whole.
type decoder struct {
	registry  *device.Registry
	retention time.Duration
	stamps    stamps
	slabs     sync.Pool // of *slab
}

// begin makes c ready to be decoded into; finish must follow.
func (d *decoder) begin(c *content) {
	c.from, _ = d.slabs.Get().(*slab)
	if c.from == nil {
		c.from = &slab{}
	}
	c.parts = c.from.parts.take(1)
	c.arrivals = c.from.arrivals.take(1)
}

func (d *decoder) finish(c *content) {
	d.slabs.Put(c.from)
	c.from = nil
}

// own decodes what a device publishes of itself: {"k":v,…},
// {"ts":ms,"values":{…}} or a list of either.
func (d *decoder) own(c *content, e *device.Entry, payload []byte, at int64) {
	d.begin(c)
	defer d.finish(c)
	p := part{ref: e.Ref, at: at}
	if valid(payload) {
		d.entries(c, &p, e, payload)
	} else {
		p.refuse("", device.ReasonUnreadable)
	}
	c.parts = append(c.parts, p)
	c.order()
}

// order puts what one message brought in the order of time, in which it is
// judged: loggers list what they have saved up as they like. Of equal times
// what was written later stays later.
func (c *content) order() {
	byTime := func(a, b reading.Arrival) int { return cmp.Compare(a.Time, b.Time) }
	if !slices.IsSortedFunc(c.arrivals, byTime) {
		slices.SortStableFunc(c.arrivals, byTime)
	}
}

// gateway decodes {"DEVICE":[entry,…],…}; a single entry may stand without its
// list. A device that the gateway's tenant does not have is refused and gets
// nothing.
func (d *decoder) gateway(c *content, e *device.Entry, payload []byte, at int64) {
	d.begin(c)
	defer d.finish(c)
	c.parts = append(c.parts, part{ref: e.Ref, at: at})
	if !valid(payload) {
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
		p := part{ref: child.Ref, at: at}
		d.entries(c, &p, child, entries)
		c.parts = append(c.parts, p)
	}
	c.order()
}

// findChild finds the device for which a gateway speaks, or says why it may not.
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

// entries decodes one entry or a list of them.
func (d *decoder) entries(c *content, p *part, e *device.Entry, raw []byte) {
	cur := cursor{text: raw}
	switch cur.kind() {
	case '{':
		d.entry(c, p, e, raw)
	case '[':
		for cur.enter(); cur.more(); {
			if cur.kind() == '{' {
				d.entry(c, p, e, cur.value())
				continue
			}
			cur.value()
			p.refuse("", device.ReasonUnreadable)
		}
	default:
		p.refuse("", device.ReasonUnreadable)
	}
}

// entry decodes {"ts":ms,"values":{…}} when it has both, else {"k":v,…}.
func (d *decoder) entry(c *content, p *part, e *device.Entry, raw []byte) {
	ts, values := timed(raw)
	var at int64
	if ts != nil && values != nil {
		var reason device.Reason
		if at, reason = d.readTime(p, ts); reason != "" {
			p.refuse("ts", reason)
			return
		}
		if values[0] != '{' {
			p.refuse("values", device.ReasonWrongType)
			return
		}
		raw = values
	}
	fields := p.fields(&c.from.fields, e.Product, raw)
	if len(fields) == 0 {
		return
	}
	if at == 0 {
		var ok bool
		if at, ok = d.stamps.next(e.ID, p.at); !ok {
			p.refuse("", device.ReasonFuture)
			return
		}
	}
	p.values += len(fields)
	if apart := time.Duration(at-p.at) * time.Millisecond; -reportedAhead <= apart && apart <= reportedAhead {
		p.right = true
	}
	c.arrivals = append(c.arrivals, reading.Arrival{
		Frame: reading.Frame{Tenant: e.Tenant, Device: e.ID, Time: at, Fields: fields},
		At:    p.at,
	})
}

// timed finds an entry's time and values; of members that come twice the last
// counts.
func timed(raw []byte) (ts, values []byte) {
	cur := cursor{text: raw}
	for cur.enter(); cur.more(); {
		key, value := cur.key(), cur.value()
		switch {
		case is(key, "ts"):
			ts = value
		case is(key, "values"):
			values = value
		}
	}
	return ts, values
}

// is tells whether a quoted key is name.
func is(key []byte, name string) bool {
	return string(inside(key)) == name
}

// readTime reads epoch milliseconds and holds them against arrival and
// retention.
func (d *decoder) readTime(p *part, raw []byte) (int64, device.Reason) {
	at, ok := readMillis(raw)
	if !ok {
		return 0, device.ReasonBadTime
	}
	ahead := time.Duration(at-p.at) * time.Millisecond
	if ahead > reportedAhead {
		p.ahead = max(p.ahead, ahead)
	}
	switch {
	case ahead > maxAhead:
		return 0, device.ReasonFuture
	case ahead < -d.retention:
		return 0, device.ReasonTooOld
	}
	return at, ""
}

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
	return at, at >= earliestTime && at < latestTime
}

// fields reads the members of an object as values of product's properties:
// sorted by property, each once, the last of equal names counting.
func (p *part) fields(from *chunk[reading.Field], product *device.Product, raw []byte) []reading.Field {
	fields := from.room(min(len(product.Properties), bytes.Count(raw, []byte{':'})))
	cur := cursor{text: raw}
	guess := 0
	for cur.enter(); cur.more(); {
		key, value := cur.key(), cur.value()
		i := findProperty(product, guess, key)
		if i < 0 {
			p.refuse(unquote(key), device.ReasonUnknown)
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
	from.keep(len(fields))
	return fields[:len(fields):len(fields)]
}

func byProperty(f reading.Field, id device.PropertyID) int { return cmp.Compare(f.Property, id) }

// findProperty gives the index of the property that a quoted key names, or -1.
// Devices repeat the order in which they send, so it begins at guess.
func findProperty(product *device.Product, guess int, key []byte) int {
	name := inside(key)
	n := len(product.Properties)
	for i := range n {
		if at := (guess + i) % n; product.Properties[at].Identifier == string(name) {
			return at
		}
	}
	return -1
}
