package reading

import (
	"testing"
	"time"

	"tilth/internal/domain/device"
)

// pump is the boolean property of these tests; 1 is a number that the device also reports.
const pump = device.PropertyID(5)

func on(is bool) Field { return Field{Property: pump, Value: Boolean(is)} }

// readPhases reads phases of a range in minutes since start; the device is silent after 15 minutes.
func readPhases(t *testing.T, s *Store, from, to int64) (phases []Phase) {
	t.Helper()
	err := s.Phases(t.Context(), 1, 7, pump, start+from*minute, start+to*minute, 15*time.Minute, func(p Phase) error {
		phases = append(phases, Phase{(p.From - start) / minute, (p.To - start) / minute, p.State})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return phases
}

func TestPhases(t *testing.T) {
	s := openStore(t, Options{})
	// Every ten minutes for two days; the switch is reported where it changes. Silent from 100 to 200 min.
	for at := int64(0); at < 2*24*60; at += 10 {
		fields := []Field{num(1, float64(at))}
		switch at {
		case 30, 60, 600:
			fields = append(fields, on(true))
		case 50, 220:
			fields = append(fields, on(false))
		}
		if at <= 100 || at >= 200 {
			mustAppend(t, s, arrival(1, 7, start+at*minute, fields...))
		}
	}
	mustAppend(t, s, arrival(1, 8, start+610*minute, on(false)), arrival(2, 7, start+610*minute, on(false)))
	for _, when := range []string{"hot", "sealed"} {
		if when == "sealed" {
			seal(t, s, afterAllDays)
		}
		same(t, when, readPhases(t, s, -60, 900), []Phase{
			{-60, 30, SwitchUnknown},
			{30, 50, SwitchOn},
			{50, 60, SwitchOff},
			{60, 100, SwitchOn}, // no longer than the device reports
			{100, 220, SwitchUnknown},
			{220, 600, SwitchOff},
			{600, 900, SwitchOn},
		})
		same(t, when+", within a phase", readPhases(t, s, 300, 400), []Phase{{300, 400, SwitchOff}})
		same(
			t,
			when+", a value of the day before",
			readPhases(t, s, 40*60, 41*60),
			[]Phase{{40 * 60, 41 * 60, SwitchOn}},
		)
		same(t, when+", after the last frame", readPhases(t, s, 47*60, 60*60),
			[]Phase{{47 * 60, 2*24*60 - 10, SwitchOn}, {2*24*60 - 10, 60 * 60, SwitchUnknown}})
		same(
			t,
			when+", long after it",
			readPhases(t, s, 20*24*60, 21*24*60),
			[]Phase{{20 * 24 * 60, 21 * 24 * 60, SwitchUnknown}},
		)
		same(t, when+", empty", readPhases(t, s, 300, 300), nil)
	}
}

// A pause is silence by the device's own interval, which may change: what is longer than silentAfter
// but usual is none.
func TestPhasesOfASlowDevice(t *testing.T) {
	s := openStore(t, Options{})
	for at := int64(0); at <= 40*60; at += 60 {
		mustAppend(t, s, arrival(1, 7, start+at*minute, num(1, 1), on(at%(20*60) == 0)))
	}
	same(t, "hourly", readPhases(t, s, 10*60, 24*60), []Phase{
		{10 * 60, 20 * 60, SwitchOff}, {20 * 60, 21 * 60, SwitchOn}, {21 * 60, 24 * 60, SwitchOff},
	})
	same(t, "its end", readPhases(t, s, 40*60, 43*60), []Phase{{40 * 60, 43 * 60, SwitchOn}})
	same(t, "its silence", readPhases(t, s, 40*60-30, 43*60+1),
		[]Phase{{40*60 - 30, 40 * 60, SwitchOff}, {40 * 60, 43*60 + 1, SwitchUnknown}})
}
