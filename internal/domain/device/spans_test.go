package device_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tilth/internal/domain/device"
)

func TestLeastSpan(t *testing.T) {
	c, fresh := newCatalog(t)
	for _, e := range []device.Element{
		{YeuSign: "soilMoisture10", Unit: "%", LeastSpan: new(3.0)},
		{YeuSign: "soilMoisture30", Unit: "%"},
		{YeuSign: "milkYield", Unit: "L", LeastSpan: new(7.5)},
	} {
		if err := c.PutElement(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
	}
	c = fresh()
	for name, want := range map[*device.Property]*float64{
		{Identifier: "soilMoisture10", DataType: device.Number}:                              new(3.0),
		{Identifier: "soilMoisture30", DataType: device.Number}:                              new(5.0),
		{Identifier: "soilMoisture60", DataType: device.Number, ElementUnit: "%"}:            new(5.0),
		{Identifier: "soilMoisture60", DataType: device.Number}:                              nil, // its unit is unknown
		{Identifier: "milkYield", DataType: device.Number}:                                   new(7.5),
		{Identifier: "milkYield", DataType: device.Number, ElementUnit: "gal"}:               nil,
		{Identifier: "dew", DataType: device.Number, ElementUnit: "°C", Formula: "dewPoint"}: new(5.0),
		{Identifier: "uvIndex", DataType: device.Text}:                                       nil,
	} {
		if got := c.LeastSpan(name); !cmp.Equal(got, want) {
			t.Errorf("%s in %q: %v, want %v", name.Identifier, name.ElementUnit, got, want)
		}
	}
}

// The trend of a number is told over the span of its quantity, or of the formula that computes it.
func TestTrendSpan(t *testing.T) {
	c := device.NewCatalog(nil)
	for _, x := range []struct {
		property device.Property
		span     time.Duration
		decimals int
	}{
		{device.Property{Identifier: "soilMoisture30", ElementUnit: "%", Precision: new(1)}, 24 * time.Hour, 1},
		{device.Property{Identifier: "soilMoisture30", ElementUnit: "%"}, 24 * time.Hour, 2},
		{device.Property{Identifier: "co2", ElementUnit: "ppm"}, time.Hour, 0},
		{device.Property{Identifier: "dew", ElementUnit: "°C", Formula: "dewPoint", Precision: new(1)}, time.Hour, 1},
		{device.Property{Identifier: "airTemperature", ElementUnit: "K"}, 0, 0},
		{device.Property{Identifier: "windDirection", ElementUnit: "°", Precision: new(0)}, 0, 0},
	} {
		x.property.DataType = device.Number
		if span, decimals := c.TrendSpan(
			&x.property,
		), c.TrendDecimals(
			&x.property,
		); span != x.span ||
			decimals != x.decimals {
			t.Errorf("%+v: %v, %d; want %v, %d", x.property, span, decimals, x.span, x.decimals)
		}
	}
	heating := device.Property{Identifier: "airTemperature", ElementUnit: "°C", DataType: device.Boolean}
	if span := c.TrendSpan(&heating); span != 0 {
		t.Errorf("a switch has a trend over %v", span)
	}
}
