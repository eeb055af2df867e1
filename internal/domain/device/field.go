package device

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"tilth/internal/domain/tenant"
)

// Facts are the fields of a device that are stored and shown as they are, each in a column of its
// name.
type Facts struct {
	Elevation *float64 // metres above sea level; nil: unknown
}

// Edit holds the fields of a device that people may change.
type Edit struct {
	NoteName            string
	SceneID             int64    // DefaultScene: in no scene
	Longitude, Latitude *float64 // degrees, WGS-84; both or neither
}

// applyTo writes the checked edit to a device.
func (e *Edit) applyTo(d *Device) {
	d.NoteName, d.SceneID, d.Longitude, d.Latitude = e.NoteName, e.SceneID, e.Longitude, e.Latitude
}

// Field is a plain field of a device. The provider's file may set it, and the audit log tells its
// changes, both under its name.
type Field struct {
	Name   string
	People bool // people edit it: the provider's file sets it only in a new device, or to overwrite it
	Kind
}

// Fields are the plain fields of a device, in the order in which changes are told.
var Fields = []Field{
	{Name: "serial", Kind: TextKind{
		place: func(d *Device) *string { return &d.Serial }, Longest: tenant.MaxNameLength,
	}},
	{Name: "gateway", Kind: FlagKind{func(d *Device) *bool { return &d.Gateway }}},
	{Name: "disabled", Kind: FlagKind{func(d *Device) *bool { return &d.Disabled }}},
	{Name: "noteName", People: true, Kind: TextKind{
		place: func(d *Device) *string { return &d.NoteName }, SingleLine: true, Longest: tenant.MaxNameLength,
	}},
	{Name: "longitude", People: true, Kind: NumberKind{
		at: func(d *Device) **float64 { return &d.Longitude }, Low: -180, High: 180,
	}},
	{Name: "latitude", People: true, Kind: NumberKind{
		at: func(d *Device) **float64 { return &d.Latitude }, Low: -90, High: 90,
	}},
	{Name: "elevation", Kind: NumberKind{
		at: func(d *Device) **float64 { return &d.Elevation }, Low: -500, High: 9000, Unit: " metres",
	}},
}

// Kind is what a plain field holds, and where. Its values are strings, bools or float64s.
type Kind interface {
	// ValueIn gives the value in a device; nil for a number that is not known.
	ValueIn(d *Device) any
	// Set gives a device a value.
	Set(d *Device, value any)
	// Must says what a value of the provider's file must be, if it is not: what follows "must".
	Must(value any) string
	// parse trims the value that people typed, or refuses it, naming the field.
	parse(d *Device, field string) error
}

// place is where a device has the value.
type place[T any] func(d *Device) *T

func (p place[T]) ValueIn(d *Device) any    { return *p(d) }
func (p place[T]) Set(d *Device, value any) { *p(d) = value.(T) }

// TextKind is a text, which may be empty.
type TextKind struct {
	place[string]
	SingleLine bool // it may stand in lists and titles; those that people edit do
	Longest    int  // characters
}

// Must implements Kind.
func (k TextKind) Must(value any) string {
	text := value.(string)
	long := utf8.RuneCountInString(text) > k.Longest
	switch {
	case k.SingleLine && text != "" && (long || !tenant.IsDisplayable(text)):
		return fmt.Sprintf(
			"have at most %d characters, not all of them invisible, without control characters",
			k.Longest,
		)
	case !k.SingleLine && (long || strings.ContainsFunc(text, isControl)):
		return fmt.Sprintf("have at most %d characters, without control characters", k.Longest)
	}
	return ""
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' }

func (k TextKind) parse(d *Device, field string) error {
	line, err := tenant.ParseLine(*k.place(d), field, k.Longest)
	if err == nil {
		k.Set(d, line)
	}
	return err
}

// NumberKind is a number that may be unknown.
type NumberKind struct {
	at        func(d *Device) **float64
	Low, High float64 // its bounds, in its unit
	Unit      string  // after a space, for messages to the provider
}

// ValueIn implements Kind.
func (k NumberKind) ValueIn(d *Device) any {
	if n := *k.at(d); n != nil {
		return *n
	}
	return nil
}

// Set implements Kind.
func (k NumberKind) Set(d *Device, value any) { *k.at(d) = new(value.(float64)) }

// Must implements Kind.
func (k NumberKind) Must(value any) string {
	if n := value.(float64); n < k.Low || n > k.High {
		return fmt.Sprintf("be from %v to %v%s", k.Low, k.High, k.Unit)
	}
	return ""
}

func (NumberKind) parse(*Device, string) error { return nil } // the contract has its bounds

// FlagKind is true or false.
type FlagKind struct{ place[bool] }

// Must implements Kind.
func (FlagKind) Must(any) string { return "" }

func (FlagKind) parse(*Device, string) error { return nil }

// parseEdited trims and checks what people edited.
func parseEdited(d *Device) error {
	for _, f := range Fields {
		if f.People {
			if err := f.parse(d, f.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
