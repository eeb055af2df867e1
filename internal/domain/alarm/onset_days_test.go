package alarm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
	"tilth/internal/tools/testkit"
)

// Beyond 30 days the lowest and highest values of days tell on which day the conditions began to
// hold, a year back at most. Days are those of UTC, and the newest sample is of 09:00.
func TestHoldsSinceADay(t *testing.T) {
	type values = map[string]reading.Value
	type sample struct {
		after  int64
		values values
	}
	number := reading.Number
	air := func(f float64) values { return values{"airTemperature": number(f)} }
	both := func(f, humidity float64) values {
		return values{"airTemperature": number(f), "relativeHumidity": number(humidity)}
	}
	heating := func(on bool) values { return values{"heating": reading.Boolean(on)} }
	// every gives a sample a day, from one day to another.
	every := func(from, to int64, v values) (list []sample) {
		for d := from; d <= to; d++ {
			list = append(list, sample{d * day, v})
		}
		return list
	}
	later := func(by int64, list []sample) []sample {
		for i := range list {
			list[i].after += by
		}
		return list
	}
	of := func(parts ...[]sample) (all []sample) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	one := func(after int64, v values) []sample { return []sample{{after, v}} }
	rule := func(operator comparator.Operator, limit float64) []alarm.Condition {
		return conditions("and", "airTemperature", operator, number(limit))
	}
	recovers := func(list []alarm.Condition, at float64) []alarm.Condition {
		list[0].Recovery = &at
		return list
	}
	damp := conditions("and", "airTemperature", comparator.Below, number(2),
		"and", "relativeHumidity", comparator.Above, number(85))
	either := conditions("and", "airTemperature", comparator.Below, number(2),
		"or", "relativeHumidity", comparator.Above, number(85))
	days := func(n float64, precision alertmsg.Precision) string {
		return fmt.Sprintf("%d %s", int64(n*86400), precision)
	}
	for name, c := range map[string]struct {
		rule      []alarm.Condition // none: airTemperature < 2
		history   []sample
		opens     values // none: 1 degree
		retention time.Duration
		want      string
	}{
		"half a year":                      {history: of(every(-300, -189, air(2)), every(-188, -1, air(1.9))), want: days(-188, "day")},
		"from noon of a day":               {history: of(one(-100*day+hour, air(2)), one(-100*day+3*hour, air(1)), every(-99, -1, air(1))), want: days(-100+3./24, "day")},
		"after the evening before":         {history: of(one(-100*day-hour, air(1)), one(-100*day+14*hour, air(2)), every(-99, -1, air(1))), want: days(-99, "day")},
		"the day in which the 30 begin":    {history: of(one(-30*day-2*hour, air(2)), one(-30*day-hour, air(1)), every(-30, -1, air(1))), want: days(-30-1./24, "day")},
		"the last sample before the 30":    {history: of(every(-60, -31, air(1)), one(-30*day-1, air(2)), every(-30, -1, air(1))), want: "-2592000"},
		"above":                            {rule: rule(comparator.Above, 30), opens: air(31), history: of(one(-61*day, air(30)), every(-60, -1, air(30.1))), want: days(-60, "day")},
		"at least":                         {rule: rule(comparator.AtLeast, 30), opens: air(31), history: of(one(-61*day, air(29.9)), every(-60, -1, air(30))), want: days(-60, "day")},
		"at most":                          {rule: rule(comparator.AtMost, 2), history: of(one(-61*day, air(2.1)), every(-60, -1, air(2))), want: days(-60, "day")},
		"rounded as in the evaluation":     {history: of(one(-61*day, air(1.95)), every(-60, -1, air(1.949))), want: days(-60, "day")},
		"with gaps":                        {history: of(one(-201*day, air(5)), one(-200*day, air(1)), one(-90*day, air(1)), one(-80*day, air(1))), want: days(-200, "day")},
		"since the first reading":          {history: every(-200, -1, air(1)), want: days(-200, "day")},
		"more than a year":                 {history: of(one(-400*day, air(5)), every(-380, -1, air(1))), want: days(-365, "before")},
		"more than a year, with a gap":     {history: of(one(-380*day, air(1)), every(-20, -1, air(1))), want: days(-365, "before")},
		"a year and not longer":            {history: of(one(-367*day, air(5)), every(-365, -1, air(1))), want: days(-365, "day")},
		"longer than readings are kept":    {history: every(-120, -1, air(1)), retention: 100 * 24 * time.Hour, want: days(-98, "before")},
		"readings are kept a few days":     {history: every(-9, -1, air(1)), retention: 10 * 24 * time.Hour, want: days(-9, "before")},
		"before readings could expire":     {history: of(every(-99, -51, air(5)), every(-50, -1, air(1))), retention: 100 * 24 * time.Hour, want: days(-50, "day")},
		"between two limits":               {rule: append(rule(comparator.Above, 1), rule(comparator.Below, 5)...), opens: air(3), history: of(one(-51*day, air(1)), every(-50, -1, air(2))), want: days(-50, "day")},
		"and: since both do":               {rule: damp, opens: both(1, 90), history: of(every(-90, -61, both(1, 80)), every(-60, -1, both(1, 90))), want: days(-60, "day")},
		"and: the other came rarely":       {rule: damp, opens: both(1, 90), history: of(one(-70*day, both(5, 90)), every(-60, -1, air(1))), want: days(-60, "day")},
		"or: in turns":                     {rule: either, history: of(one(-46*day, both(5, 80)), every(-45, -44, both(5, 90)), every(-43, -1, both(1, 80))), want: days(-45, "day")},
		"or: in turns on too many days":    {rule: either, opens: both(1, 80), history: of(one(-90*day-hour, both(5, 80)), every(-90, -1, both(1, 80)), later(hour, every(-90, -1, both(5, 90)))), want: days(-61, "before")},
		"recovery: touching the threshold": {rule: recovers(rule(comparator.Below, 2), 4), history: of(one(-61*day, air(4)), every(-60, -41, air(1)), every(-40, -1, air(2))), want: days(-60, "day")},
		"recovery: over weeks":             {rule: recovers(rule(comparator.Below, 2), 4), history: of(one(-91*day, air(4)), every(-90, -61, air(3)), every(-60, -51, air(1)), every(-50, -1, air(3))), want: days(-60, "day")},
		"recovery: only lately below":      {rule: recovers(rule(comparator.Below, 2), 4), history: of(one(-91*day, air(4)), every(-90, -11, air(3)), every(-10, -1, air(1))), want: "-864000"},
		"recovery: above":                  {rule: recovers(rule(comparator.Above, 30), 25), opens: air(31), history: of(one(-61*day, air(25)), one(-60*day, air(31)), every(-59, -1, air(25.1))), want: days(-60, "day")},
		"recovery: for more than a year":   {rule: recovers(rule(comparator.Below, 2), 4), history: of(one(-380*day, air(1)), every(-370, -1, air(3))), want: days(-365, "before")},
		"recovery: since the first one":    {rule: recovers(rule(comparator.Below, 2), 4), history: of(every(-200, -181, air(3)), every(-180, -1, air(1))), want: days(-180, "day")},
		"recovery: one sample of a day":    {rule: recovers(rule(comparator.Below, 2), 4), history: of(one(-61*day, air(4)), one(-60*day+hour, air(3)), one(-60*day+2*hour, air(1)), one(-60*day+3*hour, air(3)), every(-59, -1, air(3))), want: days(-60+2./24, "day")},
		"equality":                         {rule: rule(comparator.Equal, 1), history: of(one(-61*day, air(2)), every(-60, -1, air(1))), want: days(-30, "before")},
		"a boolean":                        {rule: conditions("and", "heating", comparator.Equal, reading.Boolean(true)), opens: heating(true), history: of(one(-61*day, heating(false)), every(-60, -1, heating(true))), want: days(-30, "before")},
		"a boolean, for 30 days":           {rule: conditions("and", "heating", comparator.Equal, reading.Boolean(true)), opens: heating(true), history: of(one(-31*day, heating(false)), every(-30, -1, heating(true))), want: "-2592000"},
		"a boolean, for less than 30 days": {rule: conditions("and", "heating", comparator.Equal, reading.Boolean(true)), opens: heating(true), history: every(-20, -1, heating(true)), want: "-1728000"},
	} {
		for packed, seal := range map[string]bool{"": false, ", packed": true} {
			t.Run(name+packed, func(t *testing.T) {
				fx := newFixture(t)
				fx.retention = c.retention
				fx.start()
				fx.engine.LetIn()
				var batch []reading.Arrival
				for _, s := range c.history {
					batch = append(batch, fx.frame(s.after, s.values))
				}
				fx.send(batch...)
				if seal {
					fx.seal()
				}
				fx.createRule(func(r *alarm.Rule) {
					if c.rule != nil {
						r.Conditions = c.rule
					}
				})
				opens := c.opens
				if opens == nil {
					opens = air(1)
				}
				fx.evaluate(fx.frame(0, opens))
				if got := fx.onsetSummary(); got != c.want {
					t.Errorf("holds since %s, want %s", got, c.want)
				}
			})
		}
	}
}

// With readings of many months, the onset is the one that a pass over all samples finds; where the
// search says that it gave up, the conditions have held at least since then.
func TestHoldsSinceADayMatchesFullScan(t *testing.T) {
	attributes := []string{"airTemperature", "relativeHumidity"}
	told := map[alertmsg.Precision]int{}
	for seed := range uint64(60 / stride(4)) {
		random := rand.New(rand.NewPCG(seed, 7))
		fx := newFixture(t)
		var frames []reading.Arrival
		for range 40 + random.IntN(300) {
			values := map[string]reading.Value{}
			for _, a := range attributes {
				if random.IntN(3) > 0 {
					values[a] = reading.Number(float64(random.IntN(500)) / 10)
				}
			}
			if len(values) > 0 {
				frames = append(frames, fx.frame(-int64(random.Float64()*350*float64(day)), values))
			}
		}
		fx.send(frames...)
		if seed%2 == 0 {
			fx.seal()
		}
		rule := conditions("and", attributes[0], comparator.Below, reading.Number(49.5),
			[]string{"and", "or"}[seed%2], attributes[1], comparator.Above, reading.Number(1))
		if seed%3 != 0 {
			rule[0].Recovery = new(49.8)
		}
		fx.createRule(func(r *alarm.Rule) { r.Conditions = rule })
		opens := fx.frame(
			1,
			map[string]reading.Value{attributes[0]: reading.Number(1), attributes[1]: reading.Number(9)},
		)
		fx.evaluate(opens)
		fx.onsetSummary()
		n, want := fx.newest(), fx.expectedOnset(append(frames, opens), rule, 365*day)
		told[n.HoldsSincePrecision]++
		if n.HoldsSincePrecision == alertmsg.BeforeThat {
			if n.HoldsSince < want {
				t.Errorf("seed %d: before %s, want %s", seed, seconds(n.HoldsSince), seconds(want))
			}
			continue
		}
		if older := n.HoldsSince < testkit.Start.UnixMilli()-30*day; n.HoldsSince != want ||
			older != (n.HoldsSincePrecision == alertmsg.ToTheDay) {
			t.Errorf("seed %d: holds since %s %s, want %s", seed, seconds(n.HoldsSince), n.HoldsSincePrecision,
				seconds(want))
		}
	}
	if told[alertmsg.ToTheDay] == 0 || told[alertmsg.ToTheMinute] == 0 {
		t.Errorf("told %v", told)
	}
}
