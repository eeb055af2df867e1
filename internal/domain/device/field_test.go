package device_test

import (
	"reflect"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// sample sets each plain field to a value of its own.
func sample(d *device.Device) {
	for i, f := range device.Fields {
		switch f.ValueIn(&device.Device{}).(type) {
		case string:
			f.Set(d, "text "+f.Name)
		case bool:
			f.Set(d, true)
		default:
			f.Set(d, float64(i)+.5)
		}
	}
}

// Each plain field is written, changed, emptied and read back, and each has its own place.
func TestFields(t *testing.T) {
	s := testkit.NewStores(t)
	field, station := s.Tenant(t, "field"), s.Station(t)
	d := &device.Device{Name: "M-1", ProductID: station.ID}
	s.PutDevices(t, field.ID, d)
	filled := *d
	sample(&filled)
	for _, want := range []*device.Device{&filled, d} {
		s.PutDevices(t, field.ID, want)
		got, err := s.Devices.ByID(t.Context(), field.ID, d.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range device.Fields {
			if f.ValueIn(got) != f.ValueIn(want) {
				t.Errorf("%s is %v, want %v", f.Name, f.ValueIn(got), f.ValueIn(want))
			}
		}
	}
}

// The provider's file sets what Fields lists, so Facts holds nothing else.
func TestFactsAreFields(t *testing.T) {
	var d device.Device
	sample(&d)
	facts := reflect.ValueOf(d.Facts)
	for i := range facts.NumField() {
		if facts.Field(i).IsZero() {
			t.Errorf("%s is not in Fields", facts.Type().Field(i).Name)
		}
	}
}

// The texts that people edit are stored trimmed. One that is too long, or that a screen cannot show on
// one line, is refused with its field, and nothing changes.
func TestEditedTexts(t *testing.T) {
	s := testkit.NewStores(t)
	field, station := s.Tenant(t, "field"), s.Station(t)
	s.Device(t, field.ID, station, "M-1")
	for _, f := range device.Fields {
		kind, isText := f.Kind.(device.TextKind)
		if !isText || !f.People {
			continue
		}
		if !kind.SingleLine {
			t.Errorf("%s: a text that people edit is of one line", f.Name)
		}
		edit := func(text string) (*device.Device, error) {
			e := device.Edit{NoteName: "mast"}
			reflect.ValueOf(&e).Elem().FieldByName(strings.ToUpper(f.Name[:1]) + f.Name[1:]).SetString(text)
			err := s.Devices.Edit(t.Context(), field.ID, "M-1", e)
			d, getErr := s.Devices.Get(t.Context(), field.ID, "M-1")
			if getErr != nil {
				t.Fatal(getErr)
			}
			return d, err
		}
		longest := strings.Repeat("ü", kind.Longest)
		d, err := edit("  " + longest + "\t")
		if err != nil || f.ValueIn(d) != longest {
			t.Errorf("%s: %q, %v", f.Name, f.ValueIn(d), err)
		}
		for text, key := range map[string]string{longest + "x": "invalid.long", "a\nb": "invalid.format", "\u202ea": "invalid.format"} {
			d, err := edit(text)
			wantRefused(t, f.Name, err, key, f.Name)
			if f.ValueIn(d) != longest {
				t.Errorf("%s was changed to %q", f.Name, f.ValueIn(d))
			}
		}
	}
}
