package alarm

import (
	"slices"
	"testing"
	"time"
	"unsafe"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
)

// made is a rule on temp < 2, and its state from a floor on.
func made(t *testing.T, hits int, window time.Duration, floor int64, more ...Condition) (*Predicate, *State) {
	t.Helper()
	conditions := append(
		[]Condition{{Attribute: "temp", Operator: comparator.Below, Value: reading.Number(2)}},
		more...)
	predicate, err := NewPredicate(Rule{ID: 1, Hits: hits, Window: window, Conditions: conditions}, scriptProduct, 0)
	if err != nil {
		t.Fatal(err)
	}
	return predicate, NewState(predicate, floor)
}

func temp(v float64) []reading.Field {
	return fieldsOf(map[string]reading.Value{"temp": reading.Number(v)})
}

// An event has the samples that counted with every property's value as of each sample, in the order
// of Properties.
func TestStepReportsSamples(t *testing.T) {
	predicate, s := made(
		t,
		2,
		time.Minute,
		0,
		Condition{Join: joinedByOr, Attribute: "note", Operator: comparator.Equal,
			Value: reading.Text("ice")},
	)
	both := fieldsOf(map[string]reading.Value{"temp": reading.Number(1.5), "note": reading.Text("fog")})
	if e, some := Step(predicate, s, 1000, 1000, both); some {
		t.Fatalf("%+v", e)
	}
	e, some := Step(predicate, s, 2000, 2000, temp(1))
	if !some || e.Kind != Opened || e.Time != 2000 || len(e.Samples) != 2 || !s.Open {
		t.Fatalf("%+v %v", e, some)
	}
	if !slices.Equal(predicate.Properties(), []device.PropertyID{26, 40}) {
		t.Fatalf("properties %v", predicate.Properties())
	}
	for i, want := range [][]reading.Value{{reading.Text("fog"), reading.Number(1.5)}, {reading.Text("fog"), reading.Number(1)}} {
		if !slices.Equal(e.Samples[i].Values, want) || e.Samples[i].Time != int64(i+1)*1000 {
			t.Errorf("sample %d: %+v, want %v", i, e.Samples[i], want)
		}
	}
	// Later samples do not change an event.
	Step(predicate, s, 1000, 1000, temp(-9))
	if e.Samples[0].Values[1] != reading.Number(1.5) {
		t.Errorf("changed to %v", e.Samples[0])
	}
	e, some = Step(predicate, s, 3000, 3000, temp(5))
	if !some || e.Kind != Resolved || e.Time != 3000 || len(e.Samples) != 1 ||
		e.Samples[0].Values[1] != reading.Number(5) || s.Open {
		t.Errorf("%+v %v", e, some)
	}
}

// Learn leads to nothing, not even when it fills the window or when a learned frame would end an
// open notice.
func TestLearn(t *testing.T) {
	predicate, s := made(t, 2, time.Minute, 0)
	for at := int64(1000); at <= 5000; at += 1000 {
		s.Learn(predicate, at, temp(1))
	}
	if s.Open || s.Newest() != 5000 {
		t.Errorf("open %v, newest %d", s.Open, s.Newest())
	}
	s.Learn(predicate, 9000, fieldsOf(map[string]reading.Value{"battery": reading.Number(1)}))
	if s.Newest() != 5000 {
		t.Errorf("a frame of other properties is a sample: %d", s.Newest())
	}
	s.Open = true
	s.Learn(predicate, 6000, temp(9))
	if !s.Open {
		t.Error("learning ended a notice")
	}
	if e, some := Step(predicate, s, 7000, 7000, temp(9)); !some || e.Kind != Resolved {
		t.Errorf("%+v", e)
	}
}

// However fast a device measures, a rule remembers a bounded number of samples.
func TestBounded(t *testing.T) {
	predicate, s := made(t, 10, 30*time.Minute, 0)
	opened := 0
	for i := range int64(50_000) { // ten a second, one in 400 is cold
		v := 9.
		if i%400 == 0 {
			v = 1
		}
		if e, some := Step(predicate, s, 1+i*100, 1+i*100, temp(v)); some && e.Kind == Opened {
			opened++
		}
	}
	if len(s.samples) > keptSamples || cap(s.samples) > 2*keptSamples || len(s.prunedHits) > mostHits ||
		cap(s.prunedHits) > 4*mostHits {
		t.Errorf("%d of %d samples, %d of %d times", len(s.samples), cap(s.samples), len(s.prunedHits),
			cap(s.prunedHits))
	}
	// Ten in 3600 samples: six minutes, well within the window.
	if opened != 50_000/4000 {
		t.Errorf("opened %d times", opened)
	}
}

// A remembered text is not a part of the message that it came in.
func TestTextsAreCopied(t *testing.T) {
	predicate, err := NewPredicate(Rule{
		ID:     1,
		Hits:   1,
		Window: time.Minute,
		Conditions: []Condition{
			{Attribute: "note", Operator: comparator.Equal, Value: reading.Text("x")},
		},
	}, scriptProduct, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := NewState(predicate, 0)
	message := "a long message, of which fog is three letters"
	part := message[25:28]
	Step(predicate, s, 1000, 1000, []reading.Field{{Property: 26, Value: reading.Text(part)}})
	if got := s.samples[0].values[0].String(); got != part || unsafe.StringData(got) == unsafe.StringData(part) {
		t.Errorf("%q shares the message's memory", got)
	}
}

// A value removed from a sample that is no longer kept has no replacement.
func TestRemovedPriorValue(t *testing.T) {
	predicate, s := made(
		t,
		1,
		time.Minute,
		0,
		Condition{Join: joinedByAnd, Attribute: "humidity", Operator: comparator.Above,
			Value: reading.Number(85)},
	)
	humidity := func(v reading.Value) []reading.Field { return fieldsOf(map[string]reading.Value{"humidity": v}) }
	s.Learn(predicate, 1000, humidity(reading.Number(90)))
	s.Learn(predicate, 200_000, temp(5))
	s.Learn(predicate, 1000, humidity(reading.Value{}))
	if e, some := Step(predicate, s, 201_000, 201_000, temp(1)); some {
		t.Errorf("%+v with a removed humidity", e)
	}
	s.Learn(predicate, 900, humidity(reading.Number(91)))
	if e, some := Step(predicate, s, 202_000, 202_000, temp(1)); !some || e.Kind != Opened {
		t.Errorf("%+v %v with an older humidity", e, some)
	}
}
