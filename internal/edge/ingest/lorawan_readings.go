package ingest

import (
	"slices"
	"strings"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// maxFlattenDepth is how deep objects and lists may be nested in a decoded payload.
const maxFlattenDepth = 16

// decodeUplink decodes what a network server reports of a device's message. Objects in the decoded
// payload are flattened: battery: {voltage} is battery_voltage. Lists of readings give a frame for
// each time in them; the rest belongs to the time at which the network server received the message.
// rssi and snr are added if the product has such properties. Of values of the same property, the
// decoded payload's count before those of the normalized one, and these before rssi and snr.
func (d *decoder) decodeUplink(c *messageContent, e *device.Entry, u *uplink, at int64) {
	d.begin(c)
	defer d.finish(c)
	p := deviceContent{ref: e.Ref, at: at}
	switch {
	case !u.empty && !hasElements(u.values, '{') && !hasElements(u.normalized, '['),
		!u.empty && max(maxDepth(u.values), maxDepth(u.normalized)) > maxFlattenDepth:
		p.refuse("", device.ReasonUnreadable)
	default:
		r := uplinkReader{decoder: d, content: c, part: &p, entry: e}
		r.read(u)
	}
	c.parts = append(c.parts, p)
	c.sortByTime()
}

// receptionTime is when the network server received an uplink; 0, for the time of its arrival, if
// that is not told, or told by a clock that cannot be right.
func (d *decoder) receptionTime(p *deviceContent, claimed claimedTime) int64 {
	if claimed.field == "" {
		return 0
	}
	ahead := p.ahead
	if plausibleTime(claimed.at) && d.checkTime(p, claimed.at) == "" {
		return claimed.at
	}
	p.ahead = ahead // the clock is not the device's
	p.refuse(claimed.field, device.ReasonNetworkClock)
	return 0
}

// hasElements tells whether a JSON text is an object or list, as its first byte says, with anything in it.
func hasElements(text []byte, kind byte) bool {
	if len(text) == 0 {
		return false
	}
	c := cursor{text: text}
	if c.kind() != kind {
		return false
	}
	c.enter()
	return c.more()
}

// uplinkReader reads the readings in one uplink.
type uplinkReader struct {
	decoder *decoder
	content *messageContent
	part    *deviceContent
	entry   *device.Entry
	longest int  // bytes of a name from which on no longer one can match
	renamed bool // a property took a value that has another name by a common standard
}

// uplinkFrame collects the values of one time, epoch ms; 0: that of the arrival.
type uplinkFrame struct {
	at     int64
	fields []reading.Field
}

func (f *uplinkFrame) has(p *device.Property) bool {
	_, found := slices.BinarySearchFunc(f.fields, p.ID, byProperty)
	return found
}

// take takes a value with a name.
type take func(f *uplinkFrame, name string, value []byte)

func (r *uplinkReader) read(u *uplink) {
	present := uplinkFrame{at: r.decoder.receptionTime(r.part, u.received)}
	for name, f := range u.radio {
		if p := r.entry.Product.Property(name); p != nil {
			r.set(&present, p, appendFloat(f))
		}
	}
	decoded := hasElements(u.values, '{')
	if !u.empty && hasElements(u.normalized, '[') {
		r.longest = longestNormalized
		r.readNormalized(&present, u.normalized, decoded)
	}
	if !u.empty && decoded {
		r.longest = longestName(r.entry.Product)
		r.flatten(&present, "", u.values, r.takeDecoded)
	}
	r.add(&present)
	if r.renamed {
		// The rest of such a codec's names are the vendor's own, and come with every message.
		for i := range r.part.refusals {
			if r.part.refusals[i].Reason == device.ReasonUnknown {
				r.part.refusals[i].Reason = device.ReasonUnused
			}
		}
	}
}

// longestName is how many bytes the longest name has that a property takes.
func longestName(p *device.Product) (longest int) {
	for i := range p.Properties {
		longest = max(longest, len(p.Properties[i].Identifier), len(p.Properties[i].Upload))
	}
	return longest
}

func (r *uplinkReader) add(f *uplinkFrame) {
	r.decoder.addFrame(r.content, r.part, r.entry, f.at, f.fields)
}

// flatten takes the members of an object, and of the objects in it. An object whose name is already
// as long as the longest that can match is not flattened: it is refused as one value.
func (r *uplinkReader) flatten(f *uplinkFrame, prefix string, object []byte, take take) {
	c := cursor{text: object}
	for c.enter(); c.more(); {
		key, value := c.key(), c.value()
		r.takeMember(f, prefix+string(stringBytes(key)), value, take)
	}
}

func (r *uplinkReader) takeMember(f *uplinkFrame, name string, value []byte, take take) {
	switch {
	case value[0] == '{' && len(name) < r.longest:
		r.flatten(f, name+"_", value, take)
	case value[0] == '[' && isReadings(value):
		r.readList(f, name, value, take)
	case string(value) == "null": // a codec's word for a sensor that is not there
	default:
		take(f, name, value)
	}
}

// isReadings tells whether a list holds readings: objects with a time or with a measurement's
// number, in it or in lists in it.
func isReadings(list []byte) bool {
	c := cursor{text: list}
	for c.enter(); c.more(); {
		switch element := c.value(); element[0] {
		case '{':
			if x := findElement(element); x.timeName != "" || x.id != nil {
				return true
			}
		case '[':
			if isReadings(element) {
				return true
			}
		}
	}
	return false
}

// readList reads a list of readings. Names are those of its elements alone.
func (r *uplinkReader) readList(f *uplinkFrame, name string, list []byte, take take) {
	c := cursor{text: list}
	for c.enter(); c.more(); {
		switch element := c.value(); element[0] {
		case '{':
			r.readElement(f, name, element, take)
		case '[':
			r.readList(f, name, element, take)
		default:
			r.part.refuse(name, device.ReasonWrongType)
		}
	}
}

// element is what a list's element tells of itself.
type element struct {
	timeName        string // empty: it has no time
	time            []byte
	id, value, kind []byte // of a measurement; nil: absent
}

// findElement finds the time and the measurement in an element of a list.
//
// Sources: the decoders of Milesight (timestamp) and SenseCAP (measurementId, measurementValue, type,
// timestamp), the schema of The Things Stack's normalized payload (time).
func findElement(object []byte) (x element) {
	c := cursor{text: object}
	for c.enter(); c.more(); {
		key, value := stringBytes(c.key()), c.value()
		switch {
		case string(key) == "measurementValue":
			x.value = value
		case string(value) == "null":
		case isTimeName(key):
			x.timeName, x.time = string(key), value
		case string(key) == "measurementId" && value[0] != '{' && value[0] != '[':
			x.id = value
		case string(key) == "type" && value[0] == '"':
			x.kind = value
		}
	}
	return x
}

// readElement reads an element of a list. With a time of its own it is a reading of that time; what
// is wrong with the time refuses this element alone.
func (r *uplinkReader) readElement(present *uplinkFrame, list string, object []byte, take take) {
	x := findElement(object)
	f := present
	if x.timeName != "" {
		at, ok := readElementTime(x.time)
		reason := device.ReasonBadTime
		if ok {
			reason = r.decoder.checkTime(r.part, at)
		}
		if reason != "" {
			r.part.refuse(list+"_"+x.timeName, reason)
			return
		}
		f = &uplinkFrame{at: at}
		defer r.add(f)
	}
	if x.id != nil && x.value != nil {
		r.takeMeasurement(f, x)
		return
	}
	c := cursor{text: object}
	for c.enter(); c.more(); {
		key, value := stringBytes(c.key()), c.value()
		if !isTimeName(key) {
			r.takeMember(f, string(key), value, take)
		}
	}
}

// set sets a value of a property. One that is refused leaves the former.
func (r *uplinkReader) set(f *uplinkFrame, p *device.Property, value []byte) {
	v, reason := readValue(p, value)
	if reason != "" {
		r.part.refuse(p.Identifier, reason)
		return
	}
	place, found := slices.BinarySearchFunc(f.fields, p.ID, byProperty)
	if found {
		f.fields[place].Value = v
	} else {
		f.fields = slices.Insert(f.fields, place, reading.Field{Property: p.ID, Value: v})
	}
}

// takeDecoded takes a value of the decoded payload.
func (r *uplinkReader) takeDecoded(f *uplinkFrame, name string, value []byte) {
	if p := r.property(name); p != nil {
		r.set(f, p, value)
	} else {
		r.part.refuse(name, device.ReasonUnknown)
	}
}

// property finds the property that takes a codec's name: its identifier, or its upload.
func (r *uplinkReader) property(name string) *device.Property {
	if p := r.entry.Product.Property(name); p != nil {
		return p
	}
	properties := r.entry.Product.Properties
	for i := range properties {
		if properties[i].Upload == name && name != "" {
			return &properties[i]
		}
	}
	return nil
}

// takeMeasurement takes the value of a measurement: by its number, or by what it measures, in camel
// case ("Air Temperature" is airTemperature).
func (r *uplinkReader) takeMeasurement(f *uplinkFrame, x element) {
	number := strings.Trim(string(x.id), `"`)
	if x.id[0] == '"' {
		number = unquote(x.id)
	}
	p := r.property(number)
	if p == nil && x.kind != nil {
		p = r.property(camelCase(unquote(x.kind)))
	}
	switch {
	case string(x.value) == "null":
	case p == nil:
		r.part.refuse(number, device.ReasonUnknown)
	default:
		r.renamed = true
		r.set(f, p, x.value)
	}
}
