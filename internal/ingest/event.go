package ingest

import (
	"encoding/json"
	"strconv"

	"tilth/internal/device"
	"tilth/internal/reading"
)

// readingEvent is the JSON of a frame as screens get it:
// {"deviceName":"…","time":<epoch ms>,"values":{"identifier":value,…}}. It is
// nil when the device's product knows none of the frame's properties any more.
func readingEvent(e *device.Entry, f *reading.Frame) []byte {
	b := make([]byte, 0, 64+32*len(f.Fields))
	b = append(b, `{"deviceName":`...)
	b = appendString(b, e.Name)
	b = append(b, `,"time":`...)
	b = strconv.AppendInt(b, f.Time, 10)
	b = append(b, `,"values":{`...)
	written := 0
	for _, field := range f.Fields {
		identifier := identifierOf(e.Product, field.Property)
		value, err := field.Value.MarshalJSON()
		if identifier == "" || err != nil {
			continue // neither known nor sayable: nothing for a screen to show
		}
		if written > 0 {
			b = append(b, ',')
		}
		b = appendString(b, identifier)
		b = append(b, ':')
		b = append(b, value...)
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

func appendString(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		// Cannot be: every string can be written.
		return append(b, `""`...)
	}
	return append(b, quoted...)
}
