package alarm

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
)

// scriptProduct is the product of every script: the first three numbers have 1, 0 and 2 decimals,
// exact has unlimited decimals.
var scriptProduct = &device.Product{Name: "scripted", Properties: []device.Property{
	{ID: 40, Identifier: "temp", DataType: device.Number, Precision: new(1)},
	{ID: 12, Identifier: "humidity", DataType: device.Number, Precision: new(0)},
	{ID: 31, Identifier: "level", DataType: device.Number, Precision: new(2)},
	{ID: 7, Identifier: "exact", DataType: device.Number},
	{ID: 25, Identifier: "rain", DataType: device.Boolean},
	{ID: 26, Identifier: "note", DataType: device.Text},
	{ID: 90, Identifier: "battery", DataType: device.Number},
}}

// scriptStart is 0s in every script.
var scriptStart = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC).UnixMilli()

// player is what a script is played on.
type player interface {
	frame(f frame) (k EventKind, at int64, counted []int64)
	resolveManually()
	restart(t testing.TB)
	publish(t testing.TB, r Rule, floor int64)
}

// script is one of the scripts in testdata: lines with events and the expected results.
// docs/alarms.md explains the terms, testdata/README.md the lines.
type script struct {
	t       *testing.T
	on      player
	always  bool // restart after every line
	now     int64
	where   string
	waiting []string // results of the line before that were not expected yet
}

func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) < 15 {
		t.Fatalf("%d scripts, %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, how := range []struct {
			name   string
			on     player
			always bool
		}{
			{"played", &rebuildingPlayer{}, false},
			{"restarted after every line", &rebuildingPlayer{}, true},
			{"by the reference", &referencePlayer{reference{product: scriptProduct}}, false},
		} {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txt")+"/"+how.name, func(t *testing.T) {
				s := &script{t: t, on: how.on, always: how.always}
				for i, line := range strings.Split(string(text), "\n") {
					s.where = fmt.Sprintf("%s:%d", path, i+1)
					if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
						s.play(strings.TrimSpace(line))
					}
				}
				s.nothing("the end")
			})
		}
	}
}

// A script whose expectation is not met fails: an expected result that does not come, an unexpected
// result, and a wrong time.
func TestScriptsCanFail(t *testing.T) {
	for _, last := range []string{"expect nothing", "expect open at 11s", "expect resolved at 10s", "expect open at 10s, counted 9s", "at 11s temp=1"} {
		s := &script{t: nil, on: &rebuildingPlayer{}}
		failure := func() (failure any) {
			defer func() { failure = recover() }()
			for _, line := range []string{"rule: temp > 0, 1 hit in 1m", "at 10s temp=1", last} {
				s.play(line)
			}
			return nil
		}()
		if failure == nil {
			t.Errorf("%q was taken as met", last)
		}
	}
}

// fail ends a script; without a test it panics.
func (s *script) fail(format string, args ...any) {
	message := s.where + ": " + fmt.Sprintf(format, args...)
	if s.t == nil {
		panic(message)
	}
	s.t.Fatal(message)
}

func (s *script) play(line string) {
	word, rest, _ := strings.Cut(line, " ")
	if word == "expect" {
		s.expect(rest)
		return
	}
	s.nothing("this line")
	switch word {
	case "rule:":
		r, from := s.rule(rest)
		s.on.publish(s.t, r, from-1)
	case "at":
		at, values, _ := strings.Cut(rest, " ")
		f := frame{time: s.moment(at)}
		// A frame without a stated arrival arrives at its time, or late.
		values, arrival, ahead := strings.Cut(values, ", arriving at ")
		if s.now = max(s.now, f.time); ahead {
			s.now = s.moment(arrival)
		}
		f.arrival, f.values = s.now, s.values(values)
		k, when, counted := s.on.frame(f)
		if k != 0 {
			s.waiting = []string{fmt.Sprintf("%s at %d", kindNames[k], when)}
			if k == Opened {
				s.waiting = append(s.waiting, fmt.Sprint(counted))
			}
		}
	case "resolve": // manually
		s.on.resolveManually()
	case "restart":
		s.on.restart(s.t)
	default:
		s.fail("%q is no line of a script", line)
	}
	if s.always {
		s.on.restart(s.t)
	}
}

var kindNames = map[EventKind]string{Opened: "open", Resolved: "resolved", Armed: "armed"}

// expect parses "nothing", or "open at 20s, counted 10s 20s".
func (s *script) expect(what string) {
	if what == "nothing" {
		s.nothing("expect nothing")
		return
	}
	event, counted, told := strings.Cut(what, ", counted ")
	kind, at, _ := strings.Cut(event, " at ")
	if want := fmt.Sprintf("%s at %d", kind, s.moment(at)); len(s.waiting) == 0 || s.waiting[0] != want {
		s.fail("expected %s (%s), there was %v", event, want, s.waiting)
	}
	if told {
		var times []int64
		for word := range strings.FieldsSeq(counted) {
			times = append(times, s.moment(word))
		}
		if want := fmt.Sprint(times); s.waiting[1] != want {
			s.fail("counted %s, expected %s", s.waiting[1], want)
		}
	}
	s.waiting = nil
}

func (s *script) nothing(before string) {
	if len(s.waiting) > 0 {
		s.fail("before %s there was %v", before, s.waiting)
	}
}

// moment parses 1m30s after the scripts' begin, or a time with its offset.
func (s *script) moment(word string) int64 {
	if d, err := time.ParseDuration(word); err == nil {
		return scriptStart + d.Milliseconds()
	}
	at, err := time.Parse(time.RFC3339, word)
	if err != nil {
		s.fail("%q is no time", word)
	}
	return at.UnixMilli()
}

// rule parses "temp < 2 recovery 4 and rain = true, 3 hits in 10m[, from 5s]".
func (s *script) rule(text string) (r Rule, from int64) {
	parts := strings.Split(text, ", ")
	window := strings.Fields(parts[1]) // 3 hits in 10m
	d, err := time.ParseDuration(window[3])
	hits, err2 := strconv.Atoi(window[0])
	if err != nil || err2 != nil {
		s.fail("%q: %v %v", parts[1], err, err2)
	}
	r = Rule{ID: 1, Hits: hits, Window: d}
	words := append([]string{joinedByAnd}, strings.Fields(parts[0])...)
	for len(words) >= 4 {
		c := Condition{
			Join:      words[0],
			Attribute: words[1],
			Operator:  comparator.Operator(words[2]),
			Value:     s.value(words[3]),
		}
		if words = words[4:]; len(words) >= 2 && words[0] == "recovery" {
			c.Recovery = new(s.value(words[1]).Float())
			words = words[2:]
		}
		r.Conditions = append(r.Conditions, c)
	}
	if len(words) > 0 {
		s.fail("%q is left of the conditions", words)
	}
	if from = scriptStart; len(parts) > 2 {
		from = s.moment(strings.TrimPrefix(parts[2], "from "))
	}
	return r, from
}

// values parses "temp=1.5 rain=true note='fog' level=gone".
func (s *script) values(text string) map[string]reading.Value {
	values := map[string]reading.Value{}
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(word, "=")
		if scriptProduct.Property(name) == nil {
			s.fail("there is no property %q", name)
		}
		values[name] = s.value(value)
	}
	return values
}

func (s *script) value(word string) reading.Value {
	switch {
	case word == "gone":
		return reading.Value{}
	case word == "true" || word == "false":
		return reading.Boolean(word == "true")
	case strings.HasPrefix(word, "'"):
		return reading.Text(strings.Trim(word, "'"))
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil {
		s.fail("%q is no value", word)
	}
	return reading.Number(f)
}

// rebuildingPlayer does what the server does: Step, and a state rebuilt from the stored frames
// after a restart.
type rebuildingPlayer struct {
	maxPerHour int // notices that may begin within an hour; 0: any number
	predicate  *Predicate
	state      *State
	stored     []frame // oldest first
	start      int64   // of the open notice
	now        int64   // arrival of the newest frame
	floor      int64   // with which the rule was published
}

func (b *rebuildingPlayer) publish(t testing.TB, r Rule, floor int64) {
	predicate, err := NewPredicate(r, scriptProduct, b.maxPerHour)
	if err != nil {
		t.Fatal(err)
	}
	b.predicate, b.state, b.floor = predicate, NewState(predicate, floor), floor
	b.restart(t)
}

func (b *rebuildingPlayer) frame(f frame) (EventKind, int64, []int64) {
	b.store(f)
	if b.predicate == nil {
		return 0, 0, nil
	}
	e, ok := Step(b.predicate, b.state, f.time, f.arrival, fieldsOf(f.values))
	if !ok || e.Kind == floorMoved {
		return 0, 0, nil
	}
	var counted []int64
	for _, one := range e.Samples {
		counted = append(counted, one.Time)
	}
	if e.Kind == Opened {
		b.start = e.Time
	}
	return e.Kind, e.Time, counted
}

func (b *rebuildingPlayer) resolveManually() { b.state.ResolveManually() }

// restart gives the new state the newest values from before the window, the frames of the window,
// and those that were deferred.
func (b *rebuildingPlayer) restart(testing.TB) {
	old := b.state
	if old == nil {
		return // no rule yet
	}
	b.state = old.emptyCopy(b.predicate)
	if b.stands(old.Floor) != stampRight {
		b.state.confirmedUpTo = min(b.state.confirmedUpTo, b.floor)
	}
	if old.Open && b.stands(b.start) != stampDeferred {
		b.state.newest = max(b.state.newest, b.start)
		if b.stands(b.start) == stampRight {
			b.state.confirmedUpTo = max(b.state.confirmedUpTo, b.start)
		}
	}
	newest := b.state.confirmedUpTo
	for _, f := range b.stored {
		if b.predicate.isSample(fieldsOf(f.values)) && b.stands(f.time) == stampRight {
			newest = max(newest, f.time)
		}
	}
	edge := newest - b.state.retention(b.predicate)
	for i := range scriptProduct.Properties {
		name := scriptProduct.Properties[i].Identifier
		for _, f := range slices.Backward(b.stored) {
			if v, ok := f.values[name]; ok && f.time <= edge {
				b.state.Learn(b.predicate, f.time, fieldsOf(map[string]reading.Value{name: v}))
				break
			}
		}
	}
	for _, f := range b.stored {
		if f.time <= edge {
			continue
		}
		switch b.stands(f.time) {
		case stampDeferred:
			b.state.LearnDeferred(b.predicate, f.time, fieldsOf(f.values))
		case stampAhead:
			b.state.LearnAhead(b.predicate, f.time, fieldsOf(f.values))
		default:
			b.state.Learn(b.predicate, f.time, fieldsOf(f.values))
		}
	}
}

// stands is what the readings' store knows of a time.
func (b *rebuildingPlayer) stands(at int64) stampStatus {
	i, found := slices.BinarySearchFunc(b.stored, at, func(f frame, at int64) int { return int(f.time - at) })
	switch {
	case found && b.stored[i].over:
		return stampDeferred
	case found && b.stored[i].ahead() && at > b.now:
		return stampAhead
	}
	return stampRight
}

// store merges frames as the readings' store does.
func (b *rebuildingPlayer) store(f frame) {
	b.now = max(b.now, f.arrival)
	for i := range b.stored {
		if f.right() && b.stored[i].ahead() && b.stored[i].time > max(f.arrival, f.time) {
			b.stored[i].over = true
		}
	}
	i, found := slices.BinarySearchFunc(b.stored, f.time, func(f frame, at int64) int { return int(f.time - at) })
	if !found {
		b.stored = slices.Insert(b.stored, i, frame{time: f.time, values: map[string]reading.Value{}})
	}
	b.stored[i].arrival, b.stored[i].over = f.arrival, false
	for name, v := range f.values {
		if b.stored[i].values[name] = v; v.Kind() == reading.KindNone {
			delete(b.stored[i].values, name)
		}
	}
}

func fieldsOf(values map[string]reading.Value) (fields []reading.Field) {
	for name, v := range values {
		fields = append(fields, reading.Field{Property: scriptProduct.Property(name).ID, Value: v})
	}
	slices.SortFunc(fields, func(a, b reading.Field) int { return int(a.Property) - int(b.Property) })
	return fields
}

// referencePlayer plays a script on the reference.
type referencePlayer struct{ reference }

func (r *referencePlayer) publish(_ testing.TB, rule Rule, floor int64) {
	r.reference.publish(rule, floor)
}

func (r *referencePlayer) frame(f frame) (EventKind, int64, []int64) {
	k, counted := r.step(f)
	return k, f.time, counted
}

func (r *referencePlayer) restart(testing.TB) {}
