package alarm_test

import (
	"maps"
	"testing"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
	"tilth/internal/tools/testkit"
)

// The status of an open notice depends on the newest values and the recovery value, as in the
// evaluation. A value that the device never had makes its condition false.
func TestCurrentStatus(t *testing.T) {
	fx := newFixture(t)
	number := reading.Number
	cold := func(recovery *float64) alarm.RuleCopy {
		c := conditions(
			"and",
			"airTemperature",
			comparator.Below,
			number(2),
			"and",
			"relativeHumidity",
			comparator.Above,
			number(85),
		)
		c[0].Recovery = recovery
		return alarm.RuleCopy{
			ProductID:  fx.station.ID,
			Conditions: c,
			Attributes: []alarm.AttributeCopy{{Identifier: "airTemperature", Precision: new(1)}},
		}
	}
	for name, c := range map[string]struct {
		was    alarm.RuleCopy
		frames []reading.Arrival
		holds  bool
		newest map[string]reading.Value // none: no values
		at     int64
	}{
		"holds":             {cold(nil), []reading.Arrival{fx.airTemp(-5*second, 1), fx.frame(-2*second, map[string]reading.Value{"relativeHumidity": number(90)})}, true, map[string]reading.Value{"airTemperature": number(1), "relativeHumidity": number(90)}, -2 * second},
		"one of two":        {cold(nil), []reading.Arrival{fx.airTemp(-5*second, 1)}, false, map[string]reading.Value{"airTemperature": number(1)}, -5 * second},
		"up to recovery":    {cold(new(4.0)), []reading.Arrival{fx.frame(0, map[string]reading.Value{"airTemperature": number(3.94), "relativeHumidity": number(90)})}, true, map[string]reading.Value{"airTemperature": number(3.94), "relativeHumidity": number(90)}, 0},
		"recovered":         {cold(new(4.0)), []reading.Arrival{fx.frame(0, map[string]reading.Value{"airTemperature": number(3.95), "relativeHumidity": number(90)})}, false, map[string]reading.Value{"airTemperature": number(3.95), "relativeHumidity": number(90)}, 0},
		"nothing measured":  {cold(nil), []reading.Arrival{fx.frame(0, map[string]reading.Value{"rain": number(1)})}, false, nil, 0},
		"on being offline":  {alarm.RuleCopy{Trigger: alarm.DeviceOffline}, []reading.Arrival{fx.airTemp(0, 1)}, false, nil, 0},
		"unknown attribute": {alarm.RuleCopy{Conditions: conditions("and", "unheardOf", comparator.Above, number(1))}, []reading.Arrival{fx.airTemp(0, 1)}, false, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := fx.Device(t, fx.owner, fx.station, name)
			for _, f := range c.frames {
				f.Device = d.ID
				fx.send(f)
			}
			got, err := alarm.CurrentStatus(&c.was, fx.Catalog, fx.readings.Newest(t.Context(), fx.owner, d.ID))
			fx.must(err)
			if c.newest == nil {
				if got != nil {
					t.Errorf("%+v", got)
				}
				return
			}
			if got == nil || got.Holds != c.holds || !maps.Equal(got.Newest.Values, c.newest) ||
				got.Newest.Time != testkit.Start.UnixMilli()+c.at {
				t.Errorf("%+v", got)
			}
		})
	}
}
