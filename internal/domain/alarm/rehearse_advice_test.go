package alarm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
)

// measureEveryMinute makes a device measure the air every minute of so many days from 0 on; air
// gives the value for the day and its minute.
func (p *history) measureEveryMinute(days int64, air func(day, minute int64) float64) (to int64) {
	p.t.Helper()
	for at := int64(0); at < days*dayMs; at += minuteMs {
		p.measure(at, "air", air(at/dayMs, at%dayMs/minuteMs))
	}
	p.done()
	return days * dayMs
}

// oscillation alternates below and above a value for the first hour of a day, and is rest
// otherwise.
func oscillation(about, by, rest float64) func(day, minute int64) float64 {
	return func(_, minute int64) float64 {
		switch {
		case minute >= 60:
			return rest
		case minute%2 == 0:
			return about - by
		default:
			return about + by
		}
	}
}

// adviceSummary is the advice of a rehearsal, in words. It checks that each change leads to the
// stated number of notices by rehearsing the changed rule.
func (p *history) adviceSummary(r alarm.Rule, model *device.Product, to int64) string {
	p.t.Helper()
	h := p.rehearsed(r, model, to)
	var words []string
	for _, a := range h.Advice {
		if a.Without != h.Total {
			p.t.Errorf("%d without, of %d", a.Without, h.Total)
		}
		again := p.rehearsed(advisedRule(r, a), model, to)
		if again.Total != a.Notices || !again.Pace.Fits {
			p.t.Errorf("%+v, and with it there are %d; %+v", a, again.Total, again.Pace)
		}
		p.checkKept(h, again, a)
		words = append(words, adviceText(a))
	}
	return strings.Join(words, "; ")
}

// checkKept checks what an advice says of the episodes that it keeps by comparing the rehearsals with
// and without it: each that is longer than it states is met by a notice that began at most half a
// day before.
func (p *history) checkKept(without, with *alarm.Rehearsal, a alarm.RehearsalAdvice) {
	p.t.Helper()
	if with.Total == 0 {
		p.t.Errorf("%+v leaves no notice", a)
	}
	if without.Total > len(without.Notices) || with.Total > len(with.Notices) {
		p.t.Fatalf("%d and %d notices are more than are listed", without.Total, with.Total)
	}
	const calm = 10 * minuteMs
	var episodes []alarm.RehearsedNotice
	for _, n := range without.Notices {
		if n.End == 0 {
			n.End = without.To
		}
		if i := len(episodes) - 1; i >= 0 && n.Start-episodes[i].End <= calm {
			episodes[i].End = n.End
		} else {
			episodes = append(episodes, n)
		}
	}
	kept, dropped := 0, 0
	for _, e := range episodes {
		met := slices.ContainsFunc(with.Notices, func(w alarm.RehearsedNotice) bool {
			return w.Start <= e.End+calm && (w.End == 0 || w.End > e.Start) && w.Start >= e.Start-dayMs/2
		})
		if !met {
			dropped++
		}
		if e.End-e.Start > a.KeepsLonger.Milliseconds() {
			kept++
			if !met {
				p.t.Errorf("%+v drops %+v", a, e)
			}
		}
	}
	if kept != a.Kept || dropped != a.Dropped {
		p.t.Errorf("%+v, but %d are kept and %d dropped", a, kept, dropped)
	}
}

func adviceText(a alarm.RehearsalAdvice) string {
	if a.Kind == alarm.AdviseHits {
		return fmt.Sprintf("%d in %s: %d of %d, keeps %d over %s, drops %d", a.Hits, a.Window, a.Notices, a.Without,
			a.Kept, a.KeepsLonger, a.Dropped)
	}
	return fmt.Sprintf("%s %d clears at %v: %d of %d", a.Attribute, a.Condition, a.Recovery, a.Notices, a.Without)
}

func (p *history) rehearsed(r alarm.Rule, model *device.Product, to int64) *alarm.Rehearsal {
	p.t.Helper()
	h, err := alarm.Rehearse(p.t.Context(), p.Store, r, model, 0, 0, to, time.UTC, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return h
}

// bounded is historyProduct with bounds for the air.
func bounded(least, most float64) *device.Product {
	model := *historyProduct
	model.Properties = append([]device.Property(nil), historyProduct.Properties...)
	model.Properties[0].Min, model.Properties[0].Max = &least, &most
	return &model
}

// The advice of each kind is the smallest change that spares nearly all that can be spared. The
// expected numbers are computed by hand.
func TestRehearsalAdvice(t *testing.T) {
	frost := ruleWith(1, time.Minute, numberCondition("air", comparator.Below, 0))
	recovering := func(r alarm.Rule, at float64) alarm.Rule {
		r.Conditions = append([]alarm.Condition(nil), r.Conditions...)
		r.Conditions[0].Recovery = &at
		return r
	}
	for name, c := range map[string]struct {
		air   func(day, minute int64) float64
		days  int64
		rule  alarm.Rule
		model *device.Product
		want  string
	}{
		// Each hour has 30 frosts of a minute. The value changes by 0.6, so 0.5, 1, 2 and 5 are
		// tried. With two hits there are 15 an hour, with three in five minutes 10, with five in
		// ten 6, with ten in twenty 3.
		"a swing": {oscillation(0, .3, 5), 10, frost, historyProduct, "air 0 clears at 0.5: 10 of 300; 5 in 10m0s: 60 of 300, keeps 10 over 0s, drops 0"},
		"a swing about a limit from below": {
			oscillation(30, .3, 25), 10, ruleWith(1, time.Minute, numberCondition("air", comparator.AtLeast, 30)),
			historyProduct,
			"air 0 clears at 29.5: 10 of 300; 5 in 10m0s: 60 of 300, keeps 10 over 0s, drops 0",
		},
		"of several conditions, the first that is compared by size": {
			oscillation(0, .3, 5), 10, ruleWith(1, time.Minute, numberCondition("air", comparator.NotEqual, 7), numberCondition("air", comparator.AtMost, 0)), historyProduct,
			"air 1 clears at 0.5: 10 of 300; 5 in 10m0s: 60 of 300, keeps 10 over 0s, drops 0",
		},
		"few notices":                  {oscillation(0, .3, 5), 10, ruleWith(10, 20*time.Minute, numberCondition("air", comparator.Below, -.2)), historyProduct, "air 0 clears at 0.8: 10 of 30"},
		"fewer than are advised":       {oscillation(0, .3, 5), 1, ruleWith(10, 20*time.Minute, numberCondition("air", comparator.Below, 0)), historyProduct, ""},
		"a recovery that is too small": {oscillation(0, .7, 5), 10, recovering(frost, .5), historyProduct, "air 0 clears at 1: 10 of 300; 5 in 10m0s: 60 of 300, keeps 10 over 0s, drops 0"},
		"a recovery that suffices":     {oscillation(0, .7, 5), 10, recovering(frost, 1), historyProduct, ""},
		"a bound below it":             {oscillation(0, .7, 5), 10, frost, bounded(-20, .9), "5 in 10m0s: 60 of 300, keeps 10 over 0s, drops 0"},
		"a bound at it":                {oscillation(0, .7, 5), 10, frost, bounded(-20, 1), "air 0 clears at 1: 10 of 300; 5 in 10m0s: 60 of 300, keeps 10 over 0s, drops 0"},
		"a bound that is never passed": {
			oscillation(0, .7, 5), 10, ruleWith(1, time.Minute, numberCondition("air", comparator.AtMost, -.1)), bounded(-20, .9), "5 in 10m0s: 60 of 300, keeps 10 over 0s, drops 0",
		},
		// No change spares nights of six hours of frost.
		"notices that no change spares": {func(_, minute int64) float64 {
			if minute < 360 {
				return -2 + float64(minute%3)/10
			}
			return 5
		}, 8, frost, historyProduct, ""},
		// 23 an hour of one minute, and half an hour of heat: one change may spare too much at
		// once.
		"spikes": {func(_, minute int64) float64 {
			switch {
			case minute%60 == 30 && minute > 60:
				return 45
			case minute < 30:
				return 35
			default:
				return 20 + float64(minute%2)/10
			}
		}, 2, ruleWith(1, time.Minute, numberCondition("air", comparator.Above, 30)), historyProduct, "2 in 5m0s: 2 of 48, keeps 2 over 1m0s, drops 46"},
		// The notice would stay open on all days that are warm, but not that warm.
		"a recovery that is hardly reached": {func(day, minute int64) float64 {
			if day == 0 {
				return oscillation(30, .3, 29.8)(day, minute)
			}
			return 29.8
		}, 10, ruleWith(1, time.Minute, numberCondition("air", comparator.Above, 30)), historyProduct, "5 in 10m0s: 6 of 30, keeps 1 over 0s, drops 0"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newHistory(t)
			to := p.measureEveryMinute(c.days, c.air)
			if got := p.adviceSummary(c.rule, c.model, to); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Rare samples need a longer window, or none is long enough. The window of a rule of several hits
// is not made shorter.
func TestRehearsalAdviceOfHits(t *testing.T) {
	spikes := func(every, apart time.Duration) (*history, int64) {
		p := newHistory(t)
		at := int64(0)
		for i := range 400 {
			v := 20.
			if i%20 == 10 || i < 3 {
				v = 45
			}
			p.measure(at, "air", v)
			at += every.Milliseconds()
			if i%20 == 10 {
				at += apart.Milliseconds()
			}
		}
		p.done()
		return p, at
	}
	for _, c := range []struct {
		every  time.Duration
		hits   int
		window time.Duration
		want   string
	}{
		{10 * time.Second, 1, 30 * time.Minute, "2 in 1m0s: 1 of 21, keeps 1 over 0s, drops 0"},
		{time.Minute, 1, time.Minute, "2 in 5m0s: 1 of 21, keeps 1 over 1m0s, drops 19"},
		{10 * time.Minute, 1, time.Minute, "2 in 25m0s: 1 of 21, keeps 1 over 10m0s, drops 20"},
		{15 * time.Minute, 1, time.Minute, ""},
		{time.Minute, 2, 30 * time.Minute, "3 in 30m0s: 1 of 11, keeps 1 over 1m0s, drops 10"}, // two of the spikes are within half an hour
	} {
		p, to := spikes(c.every, 0)
		if got := p.adviceSummary(ruleWith(c.hits, c.window, numberCondition("air", comparator.Above, 30)),
			historyProduct, to); got != c.want {
			t.Errorf("every %s, %d in %s: %q, want %q", c.every, c.hits, c.window, got, c.want)
		}
	}
	// A switch has no recovery value.
	p := newHistory(t)
	for i := range int64(600) {
		p.measure(i*minuteMs, "watering", i%30 == 0 || i < 5)
	}
	p.done()
	on := alarm.Condition{Join: "and", Attribute: "watering", Operator: comparator.Equal, Value: reading.Boolean(true)}
	if got := p.adviceSummary(ruleWith(1, time.Minute, on), historyProduct, 600*minuteMs); got !=
		"2 in 5m0s: 1 of 20, keeps 1 over 1m0s, drops 19" {
		t.Errorf("of a switch: %q", got)
	}
}

// The advice for a rule that begins unsteady notices counts the notices that it would begin.
func TestRehearsalAdviceOfUnsteady(t *testing.T) {
	p := newHistory(t)
	to := p.measureEveryMinute(10, oscillation(0, .3, 5))
	h, err := alarm.Rehearse(
		t.Context(),
		p.Store,
		ruleWith(1, time.Minute, numberCondition("air", comparator.Below, 0)),
		historyProduct,
		alarm.MaxNoticesPerHour,
		0,
		to,
		time.UTC,
		nil,
	)
	if err != nil {
		t.Fatal(err)
	}
	// Twelve an hour, and the unsteady one: five hits would spare 70 of the 100 that ten do.
	if h.Total != 130 || len(h.Advice) != 2 || adviceText(h.Advice[0]) != "air 0 clears at 0.5: 10 of 130" ||
		adviceText(h.Advice[1]) != "10 in 20m0s: 30 of 130, keeps 10 over 0s, drops 0" {
		t.Errorf("%d: %+v", h.Total, h.Advice)
	}
}
