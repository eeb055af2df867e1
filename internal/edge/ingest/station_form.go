package ingest

import (
	"bytes"
	"cmp"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// maxFormFields is how many fields a form may have; a station with every sensor sends about 200.
const maxFormFields = 1000

// maxRainCount is the most inches that a rain counter may show; none gets near it.
const maxRainCount = 1e6

// stationTimeLayout is the form of dateutc; some stations leave out leading zeros, and some add a fraction.
const stationTimeLayout = "2006-1-2 15:4:5"

// stationForm is a weather station's report.
type stationForm struct {
	values     map[string]string // without the space around them
	names      []string          // in the order of the report
	unreadable []string          // parts that are no field
}

// parseForm reads the form in a body or query; if a name occurs twice, the last value counts. ok is
// false if there is nothing in it, or too much.
func parseForm(raw []byte) (_ stationForm, ok bool) {
	f := stationForm{values: map[string]string{}}
	for part := range bytes.SplitSeq(bytes.TrimSpace(raw), []byte{'&'}) {
		if len(part) == 0 {
			continue
		}
		if len(f.names)+len(f.unreadable) == maxFormFields {
			return stationForm{}, false
		}
		before, after, isField := strings.Cut(string(part), "=")
		name, err := url.QueryUnescape(before)
		value, valueErr := url.QueryUnescape(after)
		if !isField || name == "" || err != nil || valueErr != nil {
			f.unreadable = append(f.unreadable, before)
			continue
		}
		if _, twice := f.values[name]; !twice {
			f.names = append(f.names, name)
		}
		f.values[name] = strings.TrimSpace(value)
	}
	return f, len(f.names)+len(f.unreadable) > 0
}

// get returns the first of some fields that the report has, of a sensor that is there.
func (f *stationForm) get(names ...string) (name, value string, ok bool) {
	for _, name := range names {
		if value := f.values[name]; value != "" && !isMissing(value) {
			return name, value, true
		}
	}
	return "", "", false
}

// isMissing tells whether a value that is not empty stands for a sensor that is not there: -9999 in the protocols of
// both kinds of stations, dashes as displays show them, null and N/A of programs that pass reports on. None can be a
// value: where it might, such as 9999 or 65535, a property's min and max decide.
func isMissing(value string) bool {
	if value[0] != '-' {
		return strings.EqualFold(value, "null") || strings.EqualFold(value, "n/a")
	}
	number, reason := readNumber([]byte(value))
	return reason == "" && number == -9999 || strings.Trim(value, "-.") == ""
}

// decodeForm decodes a report: each property of the product takes the first of its fields that the
// report has.
func (d *decoder) decodeForm(c *messageContent, p *deviceContent, e *device.Entry, f stationForm) {
	at, reason := d.stationTime(p, f.values["dateutc"])
	if reason != "" {
		p.refuse("dateutc", reason)
		return
	}
	properties := e.Product.Properties
	fields := c.arena.fields.reserve(len(properties) + len(rainCounters))
	taken := map[string]bool{}
	for i := range properties {
		property := &properties[i]
		names := fieldsOf(property)
		for _, name := range names {
			taken[name] = true
		}
		if property.CountsRain() {
			fields = p.counts(fields, f)
			continue
		}
		name, value, ok := f.get(names...)
		if !ok {
			continue
		}
		v, reason := readStationValue(property, name, value)
		if reason != "" {
			p.refuse(property.Identifier, reason)
			continue
		}
		fields = append(fields, reading.Field{Property: property.ID, Value: v})
	}
	c.arena.fields.commit(len(fields))
	slices.SortFunc(fields, func(a, b reading.Field) int { return cmp.Compare(a.Property, b.Property) })
	for _, part := range f.unreadable {
		p.refuse(part, device.ReasonUnreadable)
	}
	for _, name := range f.names {
		if _, _, present := f.get(name); present && !taken[name] && !stationOwnFields[name] {
			p.refuse(name, device.ReasonUnused)
		}
	}
	d.addFrame(c, p, e, at, fields[:len(fields):len(fields)])
}

// stationTime reads dateutc. It returns 0 for a report without a time of its own.
func (d *decoder) stationTime(p *deviceContent, dateutc string) (int64, device.Reason) {
	if dateutc == "" || strings.EqualFold(dateutc, "now") {
		return 0, ""
	}
	t, err := readStationTime(dateutc)
	at := t.UnixMilli()
	if err != nil || !plausibleTime(at) {
		return 0, device.ReasonBadTime
	}
	return at, d.checkTime(p, at)
}

// readStationTime reads a time of UTC. Some stations encode its plus or blank once more, and some programs write it as
// in ISO 8601.
func readStationTime(dateutc string) (time.Time, error) {
	if again, err := url.QueryUnescape(dateutc); err == nil && strings.Contains(dateutc, "%") {
		dateutc = again
	}
	dateutc = strings.TrimSuffix(dateutc, "Z")
	for _, separator := range []string{"+", "T"} {
		dateutc = strings.Replace(dateutc, separator, " ", 1)
	}
	return time.Parse(stationTimeLayout, dateutc)
}

// counts reads what the rain counters show; each is a reading of its own.
func (p *deviceContent) counts(fields []reading.Field, f stationForm) []reading.Field {
	var refused device.Reason
	for _, c := range rainCounters {
		_, value, ok := f.get(c.field)
		if !ok {
			continue
		}
		inches, reason := readRainCount(value)
		if reason != "" {
			refused = cmp.Or(refused, reason)
			continue
		}
		fields = append(fields, reading.Field{Property: c.reading, Value: reading.Number(inches)})
	}
	if refused != "" {
		p.refuse(device.Rainfall, refused)
	}
	return fields
}

// readRainCount reads what a rain counter shows, in inches.
func readRainCount(value string) (float64, device.Reason) {
	inches, reason := readPlainNumber(value)
	if reason == "" && (inches < 0 || inches > maxRainCount) {
		reason = device.ReasonOutOfRange
	}
	return inches, reason
}

func readStationValue(p *device.Property, name, value string) (reading.Value, device.Reason) {
	switch p.DataType {
	case device.Number:
		f, reason := readStationNumber(name, value)
		if reason == "" && !p.InRange(f) {
			reason = device.ReasonOutOfRange
		}
		return reading.Number(f), reason
	case device.Boolean:
		if value[0] == '"' {
			return reading.Value{}, device.ReasonWrongType
		}
		return readBoolean([]byte(value))
	case device.Text:
		if !utf8.ValidString(value) {
			return reading.Value{}, device.ReasonUnreadable
		}
		if utf8.RuneCountInString(value) > maxText {
			return reading.Value{}, device.ReasonTooLong
		}
		return reading.Text(value), ""
	}
	return reading.Value{}, device.ReasonWrongType
}

// readStationNumber reads a number in the unit in which stations send the field, and returns it in the unit that is
// stored, with two decimals.
func readStationNumber(name, value string) (float64, device.Reason) {
	f, reason := readPlainNumber(value)
	if reason != "" {
		return 0, reason
	}
	f = roundToHundredths(conversionOf(name)(f))
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, device.ReasonOutOfRange
	}
	return f, ""
}

// readPlainNumber reads a number that is not in quotation marks.
func readPlainNumber(value string) (float64, device.Reason) {
	if value[0] == '"' {
		return 0, device.ReasonWrongType
	}
	return readNumber([]byte(value))
}

func roundToHundredths(f float64) float64 { return math.Round(f*100)/100 + 0 } // -0 becomes 0
