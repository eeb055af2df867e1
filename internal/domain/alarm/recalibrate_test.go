package alarm_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/tools/testkit"
)

// recalibrate adds to the mast's air temperature at any time; 0 takes that away.
func (fx *fixture) recalibrate(shift float64) {
	fx.t.Helper()
	change := func(context.Context) ([]device.PropertyID, error) { return []device.PropertyID{fx.airID()}, nil }
	fx.must(fx.engine.Recalibrate(fx.t.Context(), testkit.Ref(fx.mast), change, func() { fx.setShift(shift) }))
}

func (fx *fixture) airID() device.PropertyID { return fx.station.Property("airTemperature").ID }

func (fx *fixture) setShift(shift float64) {
	fx.readings.SetCurves(testkit.Ref(fx.mast), nil)
	if shift != 0 {
		fx.readings.SetCurves(testkit.Ref(fx.mast), reading.Curves{fx.airID(): {
			Facts: []reading.Fact{{True: shift, Gain: 1}}, Decimals: 1, Min: math.Inf(-1), Max: math.Inf(1),
		}})
	}
}

// Two frosts within ten minutes open a notice. One before a calibration and one after it do not, whether
// the server is killed in between or not; two after it do.
func TestRecalibrationBeginsWindowsAnew(t *testing.T) {
	for name, killed := range map[string]bool{"running": false, "killed": true} {
		t.Run(name, func(t *testing.T) {
			fx := newFixture(t)
			fx.createRule(func(r *alarm.Rule) { r.Hits, r.Window = 2, 10*time.Minute })
			fx.evaluateAt(1*minute, 1)
			fx.setClock(1*minute + second)
			fx.recalibrate(-5) // 1 was -4 all the time
			if killed {
				fx.restart()
				fx.setShift(-5)
			}
			fx.evaluateAt(2*minute, 1)
			fx.wantNotices("")
			fx.evaluateAt(3*minute, 1)
			fx.wantNotices("Frost 180-")
			fx.setClock(3*minute + second)
			fx.recalibrate(10) // 1 was 11 all the time
			if killed {
				fx.restart()
				fx.setShift(10)
			}
			fx.wantNotices("Frost 180-")
			fx.evaluateAt(4*minute, 1)
			fx.wantNotices("Frost 180-240 recovered")
		})
	}
}

// A calibration that is not stored changes nothing.
func TestFailedRecalibration(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(func(r *alarm.Rule) { r.Hits, r.Window = 2, 10*time.Minute })
	fx.evaluateAt(1*minute, 1)
	away := errors.New("away")
	change := func(context.Context) ([]device.PropertyID, error) { return []device.PropertyID{fx.airID()}, away }
	err := fx.engine.Recalibrate(t.Context(), testkit.Ref(fx.mast), change, func() { t.Error("applied") })
	if !errors.Is(err, away) {
		t.Errorf("%v", err)
	}
	fx.evaluateAt(2*minute, 1)
	fx.wantNotices("Frost 120-")
}

// A caller who goes once the calibration is stored leaves no rule behind.
func TestRecalibrationWithoutItsCaller(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	fx.evaluateAt(1*minute, 5)
	ctx, leave := context.WithCancel(t.Context())
	change := func(context.Context) ([]device.PropertyID, error) { return []device.PropertyID{fx.airID()}, nil }
	fx.must(fx.engine.Recalibrate(ctx, testkit.Ref(fx.mast), change, func() {
		fx.setShift(-5)
		leave()
	}))
	fx.evaluateAt(2*minute, 5)
	fx.wantNotices("Frost 120-")
}
