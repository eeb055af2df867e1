package device_test

import (
	"reflect"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// sample sets each plain field to a value of its own.
func sample(d *device.Device) {
	for i := range device.Fields {
		switch f := &device.Fields[i]; {
		case f.Text != nil:
			*f.Text(d) = "text " + f.Name
		case f.Number != nil:
			*f.Number(d) = new(f.Low + float64(i) + .5)
		default:
			*f.Flag(d) = true
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
		for i := range device.Fields {
			if f := &device.Fields[i]; !reflect.DeepEqual(f.ValueIn(got), f.ValueIn(want)) {
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
