package ingest

import (
	"encoding/json"
	"math"
	"strconv"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// readingEvent is the JSON of a frame for screens: {"deviceName":"…","time":<epoch
// ms>,"values":{"identifier":value,…}}, with "arrival" before "values" if the frame arrived before
// its time. It is nil if the device's product no longer has any of the frame's properties.
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
			continue // deleted: screens notice it at their next fetch
		}
		identifier := identifierOf(e.Product, field.Property)
		if identifier == "" {
			continue // the product no longer has the property
		}
		before := len(b)
		if written > 0 {
			b = append(b, ',')
		}
		b = appendString(b, identifier)
		b = append(b, ':')
		extended, ok := appendValue(b, field.Value)
		if !ok {
			b = b[:before]
			continue // cannot be written as JSON
		}
		b = extended
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

// appendValue writes a value as its MarshalJSON does; ok is false if it cannot be written.
func appendValue(b []byte, v reading.Value) (_ []byte, ok bool) {
	if v.Kind() == reading.KindNumber {
		// Numbers of ordinary size are written without an exponent.
		if f := v.Float(); f == 0 || math.Abs(f) >= 1e-6 && math.Abs(f) < 1e21 {
			return strconv.AppendFloat(b, f, 'f', -1, 64), true
		}
	}
	written, err := v.MarshalJSON()
	return append(b, written...), err == nil
}

// appendString writes a JSON string. Names of devices and properties seldom need an escape.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, err := json.Marshal(s)
			if err != nil {
				// Impossible: every string can be written.
				return append(b, `""`...)
			}
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
