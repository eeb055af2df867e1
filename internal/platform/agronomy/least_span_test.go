package agronomy

import (
	"testing"
	"time"
)

func TestLeastSpan(t *testing.T) {
	for _, c := range []struct {
		quantity, unit string
		want           float64
		ok             bool
	}{
		{"soilMoisture", "%", 5, true},
		{"soilMoisture10", "%", 5, true},
		{"conductivity25", "mS/cm", 0.5, true},
		{"uvIndex", "", 2, true},
		{"airTemperature", "°F", 0, false},
		{"airTemperature", "", 0, false},
		{"milkYield", "", 0, false},
		{"10", "", 0, false},
		{"", "", 0, false},
	} {
		if got, ok := LeastSpan(c.quantity, c.unit); ok != c.ok || ok && got != c.want {
			t.Errorf("%q in %q: %v, %v; want %v, %v", c.quantity, c.unit, got, ok, c.want, c.ok)
		}
	}
}

func TestTrendSpan(t *testing.T) {
	for _, c := range []struct {
		quantity, unit string
		want           time.Duration
	}{
		{"soilMoisture", "%", 24 * time.Hour},
		{"soilMoisture30", "%", 24 * time.Hour},
		{"airTemperature", "°C", time.Hour},
		{"airTemperature", "°F", 0},
		{"airPressure", "hPa", 3 * time.Hour},
		{"dissolvedOxygen", "mg/L", 6 * time.Hour},
		{"windDirection", "°", 0},
		{"rainfall", "mm", 0},
		{"batteryVoltage", "V", 0},
		{"milkYield", "", 0},
		{"", "", 0},
	} {
		if got := TrendSpan(c.quantity, c.unit); got != c.want {
			t.Errorf("%q in %q: %v, want %v", c.quantity, c.unit, got, c.want)
		}
	}
}

// Every value that the server computes has an axis that noise does not fill.
func TestEveryFormulaHasALeastSpan(t *testing.T) {
	for i := range formulas {
		if span, ok := LeastSpan(formulas[i].Name, formulas[i].Unit); !ok || span <= 0 {
			t.Errorf("%s in %q: %v, %v", formulas[i].Name, formulas[i].Unit, span, ok)
		}
	}
}
