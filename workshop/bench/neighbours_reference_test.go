package bench

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// hotRule returns a rule on the first property, with more conditions if given.
func hotRule(hits int, window time.Duration, conditions ...referenceCondition) *referenceRule {
	return &referenceRule{
		title:      "hot",
		device:     "D",
		hits:       hits,
		window:     window.Milliseconds(),
		conditions: append([]referenceCondition{{above: true, limit: 10}}, conditions...),
	}
}

// framesOf returns frames from times in seconds and the first values; each arrives at its time.
func framesOf(steps ...[]float64) (frames []frame) {
	for _, s := range steps {
		at := int64(s[0] * 1000)
		f := allValues(at, math.NaN())
		copy(f.values, s[1:])
		f.arrived = at
		frames = append(frames, f)
	}
	return frames
}

var nan = math.NaN()

func TestReference(t *testing.T) {
	const m = time.Minute
	second := referenceCondition{property: 1, above: true, limit: 10}
	for name, c := range map[string]struct {
		rule   *referenceRule
		frames []frame
		want   [][2]int64 // seconds
	}{
		"begins and ends":        {hotRule(1, m), framesOf([]float64{100, 5}, []float64{101, 11}, []float64{102, 12}, []float64{103, 10}), [][2]int64{{101, 103}}},
		"stays open":             {hotRule(1, m), framesOf([]float64{101, 11}), [][2]int64{{101, 0}}},
		"not without its hits":   {hotRule(3, m), framesOf([]float64{100, 11}, []float64{101, 11}, []float64{102, 5}), nil},
		"hits may be apart":      {hotRule(2, m), framesOf([]float64{100, 11}, []float64{101, 5}, []float64{102, 11}), [][2]int64{{102, 0}}},
		"the window is open":     {hotRule(2, m), framesOf([]float64{100, 11}, []float64{160, 11}), nil},
		"within the window":      {hotRule(2, m), framesOf([]float64{100, 11}, []float64{159, 11}), [][2]int64{{159, 0}}},
		"empty after an end":     {hotRule(2, m), framesOf([]float64{100, 11}, []float64{101, 11}, []float64{102, 5}, []float64{103, 11}), [][2]int64{{101, 102}}},
		"late opens nothing":     {hotRule(1, m), framesOf([]float64{100, 5}, []float64{99, 11}), nil},
		"late ends nothing":      {hotRule(1, m), framesOf([]float64{100, 11}, []float64{99, 5}), [][2]int64{{100, 0}}},
		"late counts":            {hotRule(2, m), framesOf([]float64{100, 5}, []float64{99, 11}, []float64{101, 11}), [][2]int64{{101, 0}}},
		"repeated is replaced":   {hotRule(2, m), framesOf([]float64{100, 11}, []float64{100, 5}, []float64{101, 11}), nil},
		"carried on":             {hotRule(1, m, second), framesOf([]float64{100, nan, 11}, []float64{101, 11}), [][2]int64{{101, 0}}},
		"late is carried on":     {hotRule(2, m, second), framesOf([]float64{100, 11}, []float64{101, 11}, []float64{99, nan, 11}, []float64{102, 11}), [][2]int64{{102, 0}}},
		"never measured":         {hotRule(1, m, second), framesOf([]float64{100, 11}), nil},
		"others are no samples":  {hotRule(2, m), framesOf([]float64{100, 11}, []float64{101, nan, 7}), nil},
		"ahead silences nothing": {hotRule(1, m), append([]frame{{time: 700_000, arrived: 100_000, values: []float64{5}}}, framesOf([]float64{101, 11}, []float64{102, 5})...), [][2]int64{{101, 102}}},
		"a little ahead does":    {hotRule(1, m), append([]frame{{time: 160_000, arrived: 100_000, values: []float64{5}}}, framesOf([]float64{101, 11}, []float64{102, 5})...), nil},
		"late after one ahead":   {hotRule(1, m), append(framesOf([]float64{700, 5}), frame{time: 101_000, arrived: 700_000, values: []float64{11}}), nil},
	} {
		var want []expectedNotice
		for _, w := range c.want {
			want = append(want, expectedNotice{title: "hot", device: "D", begin: w[0] * 1000, end: w[1] * 1000})
		}
		if got := c.rule.expectedNotices(c.frames); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	old := hotRule(2, m)
	old.since = 100_500
	if got := old.expectedNotices(framesOf([]float64{100, 11}, []float64{101, 11})); got != nil {
		t.Errorf("a sample from before the rule ran counts: %+v", got)
	}
}

// A value swings every ten seconds: the thirteenth notice within an hour stays open until the value
// has been low for ten minutes.
func TestSwinging(t *testing.T) {
	const second, minute = int64(1000), int64(60_000)
	var samples []ruleSample
	at := func(time int64, holds bool) { samples = append(samples, ruleSample{time, holds}) }
	for n := range int64(15) {
		at(n*20*second, true)
		at(n*20*second+10*second, false)
	}
	last := 14*20*second + 10*second
	at(last+10*minute-1, false)
	at(last+10*minute, false) // calm for ten minutes
	at(30*minute, true)       // still the thirteenth within the hour, and more
	at(31*minute, false)
	at(40*minute, true) // no calm
	at(42*minute, false)
	at(52*minute, false)
	at(60*minute+12*20*second+1, true) // 12 of those were an hour ago
	at(60*minute+12*20*second+2, false)
	notices := expectedSwings("t", "D", slices.Values(samples), 12)
	if len(notices) != 15 {
		t.Fatalf("%d notices: %+v", len(notices), notices)
	}
	for i, s := range notices {
		unsteady := i == 12 || i == 13
		if s.unsteady != unsteady {
			t.Errorf("notice %d: %+v", i, s)
		}
	}
	for i, want := range map[int]expectedNotice{
		0:  {title: "t", device: "D", begin: 0, end: 10 * second},
		12: {title: "t", device: "D", begin: 240 * second, end: last + 10*minute, unsteady: true},
		13: {title: "t", device: "D", begin: 30 * minute, end: 52 * minute, unsteady: true},
		14: {title: "t", device: "D", begin: 64*minute + 1, end: 64*minute + 2},
	} {
		if notices[i] != want {
			t.Errorf("notice %d: %+v, want %+v", i, notices[i], want)
		}
	}
	all := expectedSwings("t", "D", slices.Values(samples), 0)
	unsteadyOrOpen := func(s expectedNotice) bool { return s.unsteady || s.end == 0 }
	if len(all) != 18 || slices.ContainsFunc(all, unsteadyOrOpen) {
		t.Errorf("without a limit: %+v", all)
	}
	open := expectedSwings("t", "D", slices.Values([]ruleSample{{5, true}}), 12)
	if len(open) != 1 || open[0].end != 0 {
		t.Errorf("%+v", open)
	}
}

func TestDiffNotices(t *testing.T) {
	a := expectedNotice{title: "a", device: "D", begin: 1, end: 2}
	b := expectedNotice{title: "b", device: "D", begin: 1, end: 2}
	for name, c := range map[string]struct {
		want, got []expectedNotice
		n         int
		says      string
	}{
		"the same":    {[]expectedNotice{a, b, a}, []expectedNotice{b, a, a}, 0, ""},
		"missing":     {[]expectedNotice{a, b}, []expectedNotice{a}, 1, `"b" of D from 1 to 2 is missing`},
		"too many":    {[]expectedNotice{a}, []expectedNotice{a, a, a}, 2, `"a" of D from 1 to 2 should not be`},
		"another end": {[]expectedNotice{a}, []expectedNotice{{title: "a", device: "D", begin: 1, end: 3}}, 2, `from 1 to 2 is missing`},
	} {
		n, says := diffNotices(c.want, c.got)
		if n != c.n || !strings.Contains(says, c.says) || (says == "") != (c.says == "") {
			t.Errorf("%s: %d, %q", name, n, says)
		}
	}
}

func TestReadBack(t *testing.T) {
	names := []string{"a", "b"}
	sent := framesOf([]float64{1, 10, 20}, []float64{2, 11}, []float64{1, 12})
	whole := func() map[string][]point {
		return map[string][]point{"a": {{1000, 12}, {2000, 11}}, "b": {{1000, 20}}}
	}
	var good Verification
	readBack(&good, "D", names, sent, whole())
	if !good.OK() || good.Checked != 3 {
		t.Errorf("%+v", good)
	}
	for name, c := range map[string]struct {
		spoil func(map[string][]point)
		want  Verification
	}{
		"lost":       {func(m map[string][]point) { delete(m, "b") }, Verification{Lost: 1, Example: "b of D at 1000: acknowledged and not there"}},
		"wrong":      {func(m map[string][]point) { m["a"][0].Value = 10 }, Verification{Wrong: 1, Example: "a of D at 1000: 10, sent as 12"}},
		"never sent": {func(m map[string][]point) { m["b"] = append(m["b"], point{2000, 1}) }, Verification{Extra: 1, Example: "b of D at 2000: never sent"}},
		"twice":      {func(m map[string][]point) { m["b"] = append(m["b"], point{1000, 20}) }, Verification{Extra: 1, Example: "b of D at 1000: there twice"}},
	} {
		got, v := whole(), Verification{}
		c.spoil(got)
		readBack(&v, "D", names, sent, got)
		if c.want.Checked = 3; v != c.want {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// The frames of a sender lead to the notices of its high values.
func TestVictimFrames(t *testing.T) {
	s := alarmDevice{
		connection: connection{stream: newMessageSource(3, 0, []string{"a", "b", "c"})},
		name:       "D",
		rules:      2,
	}
	s.ackedMessages = []sentMessage{{time: 1000}, {time: 2000, high: 2}, {time: 3000, high: 3}, {time: 4000, high: 1}}
	frames := s.frames()
	for rule, want := range map[int]expectedNotice{0: {begin: 3000}, 1: {begin: 2000, end: 4000}} {
		r := referenceRule{
			hits:       1,
			window:     60_000,
			conditions: []referenceCondition{{property: rule, above: true, limit: threshold / 100}},
		}
		if got := r.expectedNotices(frames); len(got) != 1 || got[0] != want {
			t.Errorf("rule %d: %+v, want %+v", rule, got, want)
		}
	}
	s.last = 3000
	text := string(s.appendMessage(nil, 3))
	if !strings.Contains(text, `"a":900.00,"b":900.00`) || frames[2].values[0] != 900 {
		t.Errorf("%s, %+v", text, frames[2])
	}
}

// A message that is never acknowledged counts as long as the run waited for it.
func TestUnanswered(t *testing.T) {
	began := time.Unix(0, 0)
	s := alarmDevice{
		latency:  &histogram{},
		inFlight: []sentMessage{{at: began, open: true}, {at: began}, {at: began.Add(time.Second), open: true}},
	}
	s.unanswered(began.Add(time.Minute))
	if n, longest := s.latency.count(), s.latency.max(); n != 2 || longest != time.Minute {
		t.Errorf("%d, the longest %s", n, longest)
	}
}
