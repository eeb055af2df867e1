package farm

import (
	"testing"
	"time"
)

func TestNeverInstalledDeviceIsDark(t *testing.T) {
	d := findDevice(t, testFarm(t), "SP-1299")
	for _, at := range []time.Time{demoNow.AddDate(-3, 0, 0), demoNow, demoNow.AddDate(3, 0, 0)} {
		if values, ok := d.At(at, time.Minute); ok {
			t.Errorf("it measures %v at %v", values, at)
		}
	}
	for r := range d.Reports(demoNow.AddDate(-1, 0, 0), time.Time{}, time.Minute) {
		t.Fatalf("it reports %v", r)
	}
}

func TestSilentSinceYesterday(t *testing.T) {
	d := findDevice(t, testFarm(t), "SP-1217")
	yesterday := time.Date(2026, 11, 20, 12, 0, 0, 0, demoNow.Location())
	if _, ok := d.At(yesterday, time.Minute); !ok {
		t.Error("it is silent at noon of yesterday")
	}
	if _, ok := d.At(yesterday.Add(5*time.Hour), time.Minute); ok {
		t.Error("it reports in the evening of yesterday")
	}
	var last time.Time
	for r := range d.Reports(demoNow.AddDate(0, 0, -3), time.Time{}, 10*time.Minute) {
		last = r.Time
	}
	assertBetween(t, "hours from noon to its last word", last.Sub(yesterday).Hours(), 4, 4.75)
}

func TestStuckHumidity(t *testing.T) {
	d := findDevice(t, testFarm(t), "WS-0425")
	stuck, first, last := 0, time.Time{}, time.Time{}
	for at := demoNow.AddDate(0, 0, -10); at.Before(demoNow); at = at.Add(10 * time.Minute) {
		values, _ := d.At(at, time.Minute)
		if number(t, values, "airHumidity") != stuckHumidity {
			continue
		}
		// A true value can be 87.3, too; the long run of it is the stuck sensor.
		next, _ := d.At(at.Add(time.Minute), time.Minute)
		if number(t, next, "airHumidity") != stuckHumidity {
			continue
		}
		if stuck == 0 {
			first = at
		}
		last = at
		stuck++
	}
	assertNear(t, "readings of a sensor stuck for nine hours", float64(stuck), 54, 2)
	assertNear(t, "hours it is stuck", last.Sub(first).Hours(), 9, .4)
	assertNear(t, "days ago", demoNow.Sub(first).Hours()/24, 6, .6)
}

func TestOutliers(t *testing.T) {
	f := testFarm(t)
	broken, frames := 0, 0
	for r := range findDevice(t, f, "WS-0422").Reports(demoNow.AddDate(0, 0, -30), demoNow, time.Minute) {
		frames++
		if number(t, r.Values, "airTemperature") == brokenValue {
			broken++
		}
	}
	if broken < 1 || broken > 8 {
		t.Errorf("%d broken values in %d frames, want about one in %d", broken, frames, framesPerOutlier)
	}
	for r := range findDevice(t, f, "WS-0417").Reports(demoNow.AddDate(0, 0, -5), demoNow, time.Minute) {
		if number(t, r.Values, "airTemperature") > 60 {
			t.Fatalf("a mast without faults reports %v", r.Values)
		}
	}
}

func TestClockDriftsAndIsSetOnMondays(t *testing.T) {
	d := findDevice(t, testFarm(t), "LS-0105")
	local := demoNow.Location()
	for _, c := range []struct {
		at   time.Time
		want int64 // ms
	}{
		{time.Date(2026, 11, 16, 0, 0, 1, 0, local), 0}, // a Monday
		{time.Date(2026, 11, 16, 12, 0, 0, 0, local), 1000},
		{time.Date(2026, 11, 18, 0, 0, 0, 0, local), 4000},
		{time.Date(2026, 11, 22, 23, 59, 59, 0, local), 13999}, // Sunday night
		{time.Date(2026, 11, 23, 0, 0, 1, 0, local), 0},
	} {
		assertNear(t, "drift", float64(d.drift(d.site.moment(c.at))), float64(c.want), 1)
	}
	for r := range d.Reports(demoNow.Add(-time.Hour), demoNow, time.Minute) {
		ahead := r.Time.Sub(r.Sent)
		if ahead > 12*time.Second {
			t.Fatalf("a report of %v arrives at %v", r.Time, r.Sent)
		}
	}
	if other := findDevice(t, testFarm(t), "WS-0417"); other.drift(other.site.moment(demoNow)) != 0 {
		t.Error("a clock without faults drifts")
	}
}

func TestDyingBatteryGoesDarkAtNight(t *testing.T) {
	d := findDevice(t, testFarm(t), "SP-1204")
	if _, ok := d.At(demoNow.AddDate(0, 0, -8), time.Minute); !ok {
		t.Error("it is dark a week ago")
	}
	afternoon := time.Date(2026, 11, 20, 15, 0, 0, 0, demoNow.Location())
	if _, ok := d.At(afternoon, time.Minute); !ok {
		t.Error("it is dark by day")
	}
	if _, ok := d.At(demoNow, time.Minute); ok {
		t.Error("it reports before dawn")
	}
	evening, _ := d.At(afternoon.Add(8*time.Hour), time.Minute)
	if len(evening) > 0 && number(t, evening, "batteryVoltage") > 3.75 {
		t.Errorf("%v late in the evening", evening)
	}
}

func TestStuckVentOfTheFarm(t *testing.T) {
	d := findDevice(t, testFarm(t), "GC-0033")
	from := time.Unix(int64(d.greenhouse.stuckFrom), 0)
	if ago := demoNow.Sub(from); ago < 24*time.Hour || ago > 28*24*time.Hour {
		t.Fatalf("the vent sticks %v ago", ago)
	}
	hottest := 0.
	for at := from; at.Before(from.Add(36 * time.Hour)); at = at.Add(time.Hour) {
		values, _ := d.At(at.Add(10*time.Minute), time.Minute)
		hottest = max(hottest, number(t, values, "airTemperature"))
		assertNear(t, "the vent", number(t, values, "ventOpening"), 0, 0)
	}
	// With the vent shut in the sun, the greenhouse overheats even in November.
	assertBetween(t, "the hottest hour", hottest, 32, 48)
}

// In July the same vent is stuck ajar: people do not shut a greenhouse in the heat.
func TestStuckVentOfASummer(t *testing.T) {
	d := findDevice(t, New(testSeed, demoNow.AddDate(0, -4, 0)), "GC-0033")
	from := time.Unix(int64(d.greenhouse.stuckFrom), 0)
	hottest := 0.
	for at := from.Add(time.Hour); at.Before(from.Add(36 * time.Hour)); at = at.Add(time.Hour) {
		values, _ := d.At(at, time.Minute)
		assertNear(t, "the vent", number(t, values, "ventOpening"), 100*stuckVent, 0)
		hottest = max(hottest, number(t, values, "airTemperature"))
	}
	assertBetween(t, "the hottest hour", hottest, 34, 50)
}

func TestUnknownStories(t *testing.T) {
	d := findDevice(t, testFarm(t), "WS-0417")
	if err := d.applyScenario("sea-serpent", demoNow); err == nil {
		t.Error("applyScenario accepts an unknown story")
	}
	if err := d.applyScenario("vent-sticks", demoNow); err == nil {
		t.Error("applyScenario accepts a stuck vent of a mast")
	}
}

func TestSunniestDays(t *testing.T) {
	s := ankara(t)
	from, to := dayOf(2026, 5, 1), dayOf(2026, 6, 1)
	best := s.sunniest(from, to)
	least := s.day(best).cloud + s.day(best+1).cloud
	for n := from; n < to; n++ {
		if s.day(n).cloud+s.day(n+1).cloud < least {
			t.Fatalf("day %d is sunnier than %d", n, best)
		}
	}
}
