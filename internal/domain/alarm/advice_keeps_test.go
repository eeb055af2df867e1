package alarm_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/platform/comparator"
	"tilth/internal/tools/farm"
)

// No advice drops an episode longer than it says, whatever the readings: days and nights with
// spikes, swings, silences and changing intervals.
func TestAdviceKeepsLongEpisodes(t *testing.T) {
	advised := map[string]int{}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := newHistory(t)
		to := randomReadings(p, r)
		operator := comparator.Below
		if r.IntN(2) == 0 {
			operator = comparator.AtLeast
		}
		rule := ruleWith(1+r.IntN(2), alarm.Windows[r.IntN(len(alarm.Windows))],
			numberCondition("air", operator, float64(r.IntN(17)-8)))
		h := p.rehearsed(rule, historyProduct, to)
		for _, a := range h.Advice {
			advised[a.Kind]++
			p.checkKept(h, p.rehearsed(advisedRule(rule, a), historyProduct, to), a)
		}
	}
	if advised[alarm.AdviseHits] < 5 || advised[alarm.AdviseRecovery] < 10 {
		t.Errorf("too few of the rules get advice: %v", advised)
	}
}

// randomReadings makes a device measure five days, and returns the time of the last reading.
func randomReadings(p *history, r *rand.Rand) (at int64) {
	every := []int64{1, 2, 5, 10}
	interval, noise, spike := every[r.IntN(4)]*minuteMs, r.Float64()*r.Float64(), r.Float64()/60
	for next := int64(0); next < 5*dayMs; next += interval {
		at = next
		v := 5*math.Sin(2*math.Pi*float64(at)/float64(dayMs)) + noise*r.NormFloat64()
		if r.Float64() < spike {
			v += 30*r.Float64() - 15
		}
		p.measure(at, "air", math.Round(10*v)/10)
		switch n := r.IntN(2000); {
		case n == 0:
			interval = every[r.IntN(4)] * minuteMs
		case n < 3:
			next += int64(r.IntN(int(dayMs)))
		}
	}
	p.done()
	return at
}

// A mast of the simulated farm measures every ten minutes for a month, and every minute for the last
// hour, as it does after a new start. A rule on frost, on heat or on gusts gets no advice that would
// switch it off, in any month of a year.
func TestAdviceOnAYearOfWeather(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	var mast *farm.Device
	for _, d := range farm.New(1, now).Devices() {
		if d.Name == "WS-0417" {
			mast = d
		}
	}
	rules := map[string]alarm.Rule{
		"airTemperature": ruleWith(3, 5*time.Minute, numberCondition("air", comparator.Below, 0)),
		"windGust":       ruleWith(1, time.Minute, numberCondition("air", comparator.Above, 10)),
	}
	noticed := 0
	for month := range 12 {
		end := now.AddDate(0, -month, 0)
		p := newHistory(t)
		q := &history{Store: p.Store, t: t, device: p.device + 1}
		devices := map[string]*history{"airTemperature": p, "windGust": q}
		every := 10 * time.Minute
		for at := end.AddDate(0, 0, -30); !at.After(end); at = at.Add(every) {
			if end.Sub(at) <= time.Hour {
				every = time.Minute
			}
			values, _ := mast.At(at, every)
			for _, v := range values {
				if d := devices[v.Identifier]; d != nil {
					d.measure(at.UnixMilli(), "air", v.Value.(float64))
				}
			}
		}
		for name, d := range devices {
			d.done()
			rule := rules[name]
			rule.Device = d.device
			rehearse := func(r alarm.Rule) *alarm.Rehearsal {
				h, err := alarm.Rehearse(t.Context(), d.Store, r, historyProduct, alarm.MaxNoticesPerHour,
					end.AddDate(0, 0, -30).UnixMilli(), end.UnixMilli(), time.UTC, nil)
				if err != nil {
					t.Fatal(err)
				}
				return h
			}
			h := rehearse(rule)
			noticed += h.Total
			for _, a := range h.Advice {
				d.checkKept(h, rehearse(advisedRule(rule, a)), a)
			}
		}
	}
	if noticed < 50 {
		t.Errorf("only %d notices in a year", noticed)
	}
}

// advisedRule is a rule with an advice taken.
func advisedRule(r alarm.Rule, a alarm.RehearsalAdvice) alarm.Rule {
	if a.Kind == alarm.AdviseHits {
		r.Hits, r.Window = a.Hits, a.Window
		return r
	}
	r.Conditions = append([]alarm.Condition(nil), r.Conditions...)
	r.Conditions[a.Condition].Recovery = &a.Recovery
	return r
}
