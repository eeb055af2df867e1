package device

import "testing"

// What tells of the device itself is housekeeping; a word in another unit, a formula or a text is not.
func TestHousekeeping(t *testing.T) {
	c := NewCatalog(nil)
	for _, x := range []struct {
		identifier, unit, formula string
		dataType                  DataType
		want                      bool
	}{
		{"batteryVoltage", "V", "", Number, true},
		{"VBat", "V", "", Number, true},
		{"accu_level", "%", "", Number, true},
		{"accumulatedRain", "mm", "", Number, false},
		{"signalStrength", "dBm", "", Number, true},
		{"rssi", "dBm", "", Number, true},
		{"boxTemperature", "°C", "", Number, true},
		{"enclosureHumidity", "%", "", Number, true},
		{"airTemperature", "°C", "", Number, false},
		{"soilMoisture10", "%", "", Number, false},
		{"batteryVoltage", "V", "dewPoint", Number, false},
		{"batteryState", "%", "", Text, false},
	} {
		p := &Property{Identifier: x.identifier, ElementUnit: x.unit, Formula: x.formula, DataType: x.dataType}
		if got := c.Housekeeping(p); got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
}
