package ingest

import (
	"encoding/json"
	"math"
	"strconv"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// readingEvent is the JSON of a frame as screens get it:
// {"deviceName":"…","time":<epoch ms>,"values":{"identifier":value,…}}, with
// "arrival" before the values where that was before its time. It is nil when the device's product knows none of the frame's properties any more.
func readingEvent(e *device.Entry, f *reading.Arrival) []byte {
	b := make([]byte, 0, 64+32*len(f.Fields))
	b = append(b, `{"deviceName":`...)
	b = appendString(b, e.Name)
	b = append(b, `,"time":`...)
	b = strconv.AppendInt(b, f.Time, 10)
	if f.At < f.Time {
		b = append(b, `,"arrival":`...)
		b = strconv.AppendInt(b, f.At, 10)
	}
	b = append(b, `,"values":{`...)
	written := 0
	for _, field := range f.Fields {
		if field.Value.Kind() == reading.KindNone {
			continue // taken away: screens see it with the next look
		}
		identifier := identifierOf(e.Product, field.Property)
		if identifier == "" {
			continue // known no more: nothing for a screen to show
		}
		before := len(b)
		if written > 0 {
			b = append(b, ',')
		}
		b = appendString(b, identifier)
		b = append(b, ':')
		said, ok := appendValue(b, field.Value)
		if !ok {
			b = b[:before]
			continue // not sayable
		}
		b = said
		written++
	}
	if written == 0 {
		return nil
	}
	return append(b, "}}"...)
}

func identifierOf(p *device.Product, id device.PropertyID) string {
	for i := range p.Properties {
		if p.Properties[i].ID == id {
			return p.Properties[i].Identifier
		}
	}
	return ""
}

// appendValue writes a value as its MarshalJSON does; ok is false when it
// cannot be said.
func appendValue(b []byte, v reading.Value) (_ []byte, ok bool) {
	if v.Kind() == reading.KindNumber {
		// What few digits can say comes without an exponent.
		if f := v.Float(); f == 0 || math.Abs(f) >= 1e-6 && math.Abs(f) < 1e21 {
			return strconv.AppendFloat(b, f, 'f', -1, 64), true
		}
	}
	written, err := v.MarshalJSON()
	return append(b, written...), err == nil
}

// appendString writes a JSON string; names of devices and properties seldom
// hold anything that needs an escape.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, err := json.Marshal(s)
			if err != nil {
				// Cannot be: every string can be written.
				return append(b, `""`...)
			}
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
