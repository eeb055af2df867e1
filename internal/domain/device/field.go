package device

import "tilth/internal/domain/tenant"

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

// Field describes a plain field of a device: a text, a number or a flag. The provider's file may set
// it, and the audit log tells its changes, both under its name.
type Field struct {
	Name   string
	People bool // people edit it: the provider's file sets it only in a new device, or to overwrite it

	// One of them gives the field's place in a device.
	Text   func(d *Device) *string
	Number func(d *Device) **float64
	Flag   func(d *Device) *bool

	SingleLine bool    // of a text: it may stand in lists and titles; those that people edit do
	MaxLength  int     // of a text of one line, characters; 0: those of a name
	Low, High  float64 // of a number: its bounds, in its unit
	Unit       string  // of a number, after a space, for messages to the provider
}

// Fields are the plain fields of a device, in the order in which changes are told.
var Fields = []Field{
	{Name: "serial", Text: func(d *Device) *string { return &d.Serial }},
	{Name: "gateway", Flag: func(d *Device) *bool { return &d.Gateway }},
	{Name: "disabled", Flag: func(d *Device) *bool { return &d.Disabled }},
	{Name: "noteName", Text: func(d *Device) *string { return &d.NoteName }, SingleLine: true, People: true},
	{
		Name:   "longitude",
		Number: func(d *Device) **float64 { return &d.Longitude },
		Low:    -180,
		High:   180,
		People: true,
	},
	{
		Name:   "latitude",
		Number: func(d *Device) **float64 { return &d.Latitude },
		Low:    -90,
		High:   90,
		People: true,
	},
	{
		Name:   "elevation",
		Number: func(d *Device) **float64 { return &d.Elevation },
		Low:    -500,
		High:   9000,
		Unit:   " metres",
	},
}

// Longest is how many characters the field's text may have.
func (f *Field) Longest() int {
	if f.MaxLength > 0 {
		return f.MaxLength
	}
	return tenant.MaxNameLength
}

// parseTexts trims the texts that people edit. It refuses one that is too long or not displayable,
// naming its field.
func parseTexts(d *Device) error {
	for i := range Fields {
		f := &Fields[i]
		if f.Text == nil || !f.People {
			continue
		}
		line, err := tenant.ParseLine(*f.Text(d), f.Name, f.Longest())
		if err != nil {
			return err
		}
		*f.Text(d) = line
	}
	return nil
}

// ValueIn gives the field's value in a device: a string, a *float64 or a bool.
func (f *Field) ValueIn(d *Device) any {
	switch {
	case f.Text != nil:
		return *f.Text(d)
	case f.Number != nil:
		return *f.Number(d)
	default:
		return *f.Flag(d)
	}
}
