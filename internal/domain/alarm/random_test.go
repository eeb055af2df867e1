package alarm

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
)

const (
	sequences   = 10_000
	longEvery   = 400 // sequences; one of them holds more samples in its window than are kept
	longSteps   = 450
	randomSeed  = 20261121
	randomParts = 4
)

// TestStepMatchesReference compares Step with the reference, on random rules and sequences of
// frames. A failure prints the sequence as a script.
func TestStepMatchesReference(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and no database")
	}
	for part := range randomParts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			all := counts{}
			for n := part; n < sequences; n += randomParts {
				s := newSequence(rand.New(rand.NewPCG(randomSeed, uint64(n))), n%longEvery == part)
				if wrong := s.run(all); wrong != "" {
					t.Fatalf("seed %d, %d: %s\n%s", randomSeed, n, wrong, strings.Join(s.lines, "\n"))
				}
			}
			// A random test without events proves nothing.
			least := counts{
				"open":                      1000,
				"resolved":                  1000,
				"armed":                     100,
				"late":                      1000,
				"again":                     1000,
				"restart":                   1000,
				"gone":                      1000,
				"manual":                    100,
				"ahead":                     1000,
				"deferred":                  1000,
				"lowered":                   100,
				"deferred applied":          1000,
				"unsteady":                  500,
				"unsteady ended":            100,
				"opened by dropped samples": 2,
			}
			for what, n := range least {
				if all[what] < n {
					t.Errorf("%q only %d times in %v", what, all[what], all)
				}
			}
		})
	}
}

// FuzzStep is TestStepMatchesReference with sequences from the fuzzer.
func FuzzStep(f *testing.F) {
	for seed := range uint64(20) {
		b := make([]byte, 300)
		_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(b)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newSequence(rand.New(&given{b, rand.NewPCG(randomSeed, 0)}), false)
		if wrong := s.run(counts{}); wrong != "" {
			t.Fatalf("%s\n%s", wrong, strings.Join(s.lines, "\n"))
		}
	})
}

// given is a random source in which every byte decides one thing. After the last byte it always
// returns the same.
type given struct {
	rest  []byte
	after *rand.PCG
}

func (g *given) Uint64() uint64 {
	if len(g.rest) == 0 {
		return g.after.Uint64()
	}
	b := uint64(g.rest[0])
	g.rest = g.rest[1:]
	return b * 0x0101_0101_0101_0101
}

// counts are how often things happened.
type counts map[string]int

// sequence is one run of both implementations; its times are in seconds.
type sequence struct {
	*rand.Rand
	long bool
	// swings is set in a sequence that swings at first, and is calm then.
	swings, calm bool
	rule         Rule
	actual       rebuildingPlayer
	expected     referencePlayer
	sent         []int64 // times of the frames that were not stamped ahead
	early        []int64 // times of those that were
	now          int64   // arrival of the newest frame
	lines        []string
}

func newSequence(r *rand.Rand, long bool) *sequence {
	s := &sequence{Rand: r, long: long, now: scriptStart, expected: referencePlayer{reference{product: scriptProduct}}}
	s.swings = !long && r.IntN(4) == 0
	s.actual.maxPerHour = pick(r, 0, 1, 1, 2, 3)
	s.expected.maxPerHour = s.actual.maxPerHour
	s.rule = Rule{ID: 1, Hits: pick(r, 1, 1, 2, 2, 3, 5, 10), Window: time.Minute * time.Duration(pick(r, 1, 1, 5, 10))}
	for range 1 + r.IntN(4) {
		s.rule.Conditions = append(s.rule.Conditions, s.condition())
	}
	if s.swings {
		s.rule.Hits, s.rule.Window = pick(r, 1, 1, 2), time.Minute*time.Duration(pick(r, 5, 10))
		s.rule.Conditions = append(
			[]Condition{{Attribute: "rain", Operator: comparator.Equal, Value: reading.Boolean(true)}},
			s.rule.Conditions[1:]...)
		s.rule.Conditions = s.rule.Conditions[:1+r.IntN(2)*(len(s.rule.Conditions)-1)]
	}
	if long {
		// True so rarely that ten hits spread over more samples than are kept.
		s.rule.Hits, s.rule.Window = 10, 30*time.Minute
		s.rule.Conditions = []Condition{{Attribute: "rain", Operator: comparator.Equal, Value: reading.Boolean(true)}}
	}
	return s
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (s *sequence) condition() Condition {
	p := scriptProduct.Properties[s.IntN(len(scriptProduct.Properties)-1)] // never battery
	c := Condition{Join: pick(s.Rand, joinedByAnd, joinedByOr), Attribute: p.Identifier}
	if p.DataType != device.Number {
		c.Operator, c.Value = pick(s.Rand, comparator.Equal, comparator.NotEqual), s.value(p)
		return c
	}
	unit := unitOf(p)
	c.Operator = pick(
		s.Rand,
		comparator.Above,
		comparator.AtLeast,
		comparator.Below,
		comparator.AtMost,
		comparator.Equal,
		comparator.NotEqual,
	)
	c.Value = reading.Number(float64(s.IntN(3)-1) / unit)
	if c.Operator != comparator.Equal && c.Operator != comparator.NotEqual && s.IntN(2) == 0 {
		back := float64(1+s.IntN(2)) / unit
		if rising(c) {
			back = -back
		}
		c.Recovery = new(c.Value.Float() + back)
	}
	return c
}

// unitOf is how many units of the last decimal make one.
func unitOf(p device.Property) float64 {
	if p.Precision == nil {
		return 4
	}
	return math.Pow10(*p.Precision)
}

// value is near the thresholds; a number has half a decimal more than the property.
func (s *sequence) value(p device.Property) reading.Value {
	switch p.DataType {
	case device.Boolean:
		if s.long {
			return reading.Boolean(s.IntN(15) == 0)
		}
		if s.calm {
			return reading.Boolean(s.IntN(100) == 0)
		}
		return reading.Boolean(s.IntN(2) == 0)
	case device.Text:
		return reading.Text(pick(s.Rand, "fog", "ice"))
	default:
		return reading.Number(float64(s.IntN(41)-20) / (10 * unitOf(p)))
	}
}

// run plays the sequence on both implementations until they differ, and describes the difference.
func (s *sequence) run(all counts) string {
	s.publish()
	steps := 20 + s.IntN(40)
	if s.long {
		steps = longSteps
	}
	if s.swings {
		steps = 120
	}
	for i := range steps {
		s.calm = s.swings && i%45 > 12
		switch n := s.IntN(40); {
		case n == 0:
			all["restart"]++
			s.note("restart")
			s.actual.restart(nil)
		case n == 1 && s.actual.state.Open || n == 2 && s.actual.state.Open:
			all["manual"]++
			s.note("resolve by hand")
			s.actual.resolveManually()
			s.expected.resolveManually()
		case n == 3 && !s.long && !s.swings:
			s.publish()
		default:
			if wrong := s.frame(all); wrong != "" {
				return wrong
			}
		}
		if wrong := s.differ(); wrong != "" {
			return wrong
		}
	}
	return ""
}

// differ describes how the two states differ.
func (s *sequence) differ() string {
	type remembered struct {
		Open, Unsteady, Waiting bool
		Floor, Newest           int64
	}
	a := remembered{s.actual.state.Open, s.actual.state.Unsteady, s.actual.state.Waiting, s.actual.state.Floor,
		s.actual.state.Newest()}
	b := remembered{s.expected.open, s.expected.unsteady, s.expected.waiting, s.expected.floor, s.expected.newest}
	if a != b {
		return fmt.Sprintf("state %+v, by the reference %+v", a, b)
	}
	return ""
}

// publish publishes the rule, for the first time or again.
func (s *sequence) publish() {
	from := scriptStart
	if len(s.sent) > 0 {
		from = slices.Max(s.sent) + 1000*int64(s.IntN(3)-1)
	}
	s.note("%s, %d an hour, from %s", ruleLine(s.rule), s.actual.maxPerHour, offset(from))
	for _, side := range []player{&s.actual, &s.expected} {
		side.publish(nil, s.rule, from-1)
	}
}

func (s *sequence) frame(all counts) string {
	f := frame{time: s.time(all), values: map[string]reading.Value{}}
	// It arrives at about its time, or late.
	f.arrival = max(s.now, f.time+1000*int64(s.IntN(3)-1))
	s.now = f.arrival
	if s.IntN(10) == 0 && !s.long {
		all["ahead"]++
		f.time = s.ahead()
	}
	for _, p := range scriptProduct.Properties {
		if s.IntN(2) == 0 {
			f.values[p.Identifier] = s.value(p)
			// The value before another one is known within the window only.
			if st := s.actual.state; f.time < st.confirmedUpTo &&
				f.time > max(st.Floor, st.newest-s.actual.predicate.window) && s.IntN(8) == 0 {
				all["gone"]++
				f.values[p.Identifier] = reading.Value{}
			}
		}
	}
	line := "at " + offset(f.time) + valuesLine(f.values)
	if f.ahead() {
		s.early = append(s.early, f.time)
		line += ", arriving at " + offset(f.arrival)
	} else {
		s.sent = append(s.sent, f.time)
	}
	s.note("%s", line)
	aside, floor, unsteady := len(s.actual.state.deferred), s.actual.state.Floor, s.actual.state.Unsteady
	kind, at, counted := s.actual.frame(f)
	switch left := len(s.actual.state.deferred); {
	case left > aside:
		all["deferred"]++
	case left < aside:
		all["deferred applied"]++
	}
	switch {
	case s.actual.state.Unsteady && !unsteady:
		all["unsteady"]++
	case unsteady && !s.actual.state.Unsteady:
		all["unsteady ended"]++
	}
	if s.actual.state.Floor < floor {
		all["lowered"]++
	}
	wantKind, wantAt, wantCounted := s.expected.frame(f)
	if kind != 0 {
		s.note("expect %s at %s", kindNames[kind], offset(at))
		all[kindNames[kind]]++
	}
	if kind == Opened && len(counted) < len(wantCounted) {
		all["opened by dropped samples"]++
		// Of samples that are not kept in full only the number counts.
		wantCounted = wantCounted[max(0, len(wantCounted)-len(counted)):]
	}
	if kind != wantKind || kind != 0 && at != wantAt || kind == Opened &&
		(len(counted) == 0 || !reflect.DeepEqual(counted, wantCounted)) {
		return fmt.Sprintf("%v at %d of %v, by the reference %v at %d of %v", kind, at, counted, wantKind, wantAt,
			wantCounted)
	}
	return ""
}

// time is the time of the next frame: mostly newer than all before, by little or by much; or late;
// or that of an earlier frame.
func (s *sequence) time(all counts) int64 {
	newest, window := scriptStart, int64(s.rule.Window/time.Second)
	if len(s.sent) > 0 {
		newest = slices.Max(s.sent)
	}
	recent := s.sent
	if s.long {
		// Enough to exceed the kept samples; late frames are less late than that.
		window = 30
		recent = s.sent[max(0, len(s.sent)-30):]
	}
	switch n := s.IntN(20); {
	case n < 3:
		all["late"]++
		return newest - 1000*int64(s.IntN(int(2*window)))
	case n < 6 && len(recent) > 0:
		all["again"]++
		return pick(s.Rand, recent...)
	case n == 6 && !s.long:
		return newest + 1000*(window-1+int64(s.IntN(3)))
	case s.long:
		return newest + 1000*int64(1+s.IntN(4))
	default:
		return newest + 1000*(1+int64(s.IntN(int(window/4))))
	}
}

// ahead is the time of a frame that is stamped ahead by up to ten minutes, within the tolerance or
// beyond; sometimes that of an earlier frame.
func (s *sequence) ahead() int64 {
	if len(s.early) > 0 && s.IntN(4) == 0 {
		if at := pick(s.Rand, s.early...); at > s.now {
			return at
		}
	}
	return s.now + 1000*int64(1+s.IntN(pick(s.Rand, 10, 60, 120, 600, 600)))
}

func (s *sequence) note(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func offset(at int64) string { return (time.Duration(at-scriptStart) * time.Millisecond).String() }

func ruleLine(r Rule) string {
	var b strings.Builder
	for i, c := range r.Conditions {
		if i > 0 {
			fmt.Fprintf(&b, " %s", c.Join)
		}
		fmt.Fprintf(&b, " %s %s %s", c.Attribute, c.Operator, written(c.Value))
		if c.Recovery != nil {
			fmt.Fprintf(&b, " recovery %s", written(reading.Number(*c.Recovery)))
		}
	}
	return fmt.Sprintf("rule:%s, %d hits in %s", b.String(), r.Hits, r.Window)
}

func valuesLine(values map[string]reading.Value) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, " %s=%s", name, written(values[name]))
	}
	return b.String()
}

func written(v reading.Value) string {
	switch v.Kind() {
	case reading.KindNone:
		return "gone"
	case reading.KindText:
		return "'" + v.String() + "'"
	default:
		return v.String()
	}
}
