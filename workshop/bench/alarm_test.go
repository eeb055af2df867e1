package bench

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// Every rule's value is high for a while once in a cycle, and notices open evenly at the wanted
// rate.
func TestNoticesBeginEvenly(t *testing.T) {
	const devices, rules, perSecond = 20, 5, 10 // a cycle of ten seconds
	began := map[int]int{}                      // by second
	for device := range devices {
		s := alarmDevice{
			connection:       connection{stream: newMessageSource(device, 0, nil)},
			devices:          devices,
			rules:            rules,
			noticesPerSecond: perSecond,
		}
		for rule := range rules {
			high, were := time.Duration(0), false
			for at := time.Duration(0); at < 10*time.Second; at += 10 * time.Millisecond {
				is := s.isHigh(rule, at)
				if is && !were {
					began[int(at/time.Second)]++
				}
				if is {
					high += 10 * time.Millisecond
				}
				if later := at + 10*time.Second; is && !s.isHigh(rule, later) {
					t.Fatalf("device %d, rule %d is not high again at %v", device, rule, later)
				}
				were = is
			}
			begins := time.Duration(rule*devices+device) * time.Second / perSecond
			if high != min(highFor, 10*time.Second-begins) {
				t.Errorf("device %d, rule %d is high for %v", device, rule, high)
			}
		}
	}
	for second, n := range began {
		if n != perSecond {
			t.Errorf("%d notices in second %d", n, second)
		}
	}
}

func TestAlarmMessage(t *testing.T) {
	s := alarmDevice{
		connection: connection{stream: newMessageSource(3, 0, []string{"a", "b", "c"})},
		rules:      2,
		last:       1_800_000_000_123,
	}
	for above, wants := range map[uint64][2]bool{0: {}, 1: {true, false}, 2: {false, true}, 3: {true, true}} {
		var m struct {
			TS     int64
			Values map[string]float64
		}
		if err := json.Unmarshal(s.appendMessage(nil, above), &m); err != nil {
			t.Fatal(err)
		}
		if m.TS != s.last || len(m.Values) != 3 {
			t.Errorf("%+v", m)
		}
		for i, name := range []string{"a", "b"} {
			if got := m.Values[name] > threshold/100; got != wants[i] {
				t.Errorf("%b: %s is %v", above, name, m.Values[name])
			}
		}
	}
}

func TestEventOfNotice(t *testing.T) {
	for from, want := range map[string]alarmEvent{
		`{"title":"bench rule 03","deviceName":"D","startTime":5}`:             {"D", 2, 5, true},
		`{"title":"bench rule 12","deviceName":"E","startTime":5,"endTime":9}`: {"E", 11, 9, false},
		`{"title":"Frost","deviceName":"D","startTime":5}`:                     {},
		`{"title":"bench rule x","deviceName":"D","startTime":5}`:              {},
	} {
		var n notice
		if err := json.Unmarshal([]byte(from), &n); err != nil {
			t.Fatal(err)
		}
		if got, ours := n.event(); got != want || ours != (want != alarmEvent{}) {
			t.Errorf("%s is %+v (%v), want %+v", from, got, ours, want)
		}
	}
	if n := (notice{Title: ruleName(7)}); func() int { m, _ := n.event(); return m.rule }() != 7 {
		t.Error("event does not find the rule by its name")
	}
}

func TestDelays(t *testing.T) {
	k := newAlarmEvents()
	at := time.Unix(0, 0)
	begin, end, lost := alarmEvent{"D", 0, 1, true}, alarmEvent{"D", 0, 2, false}, alarmEvent{"D", 1, 1, true}
	k.acked(begin, at)
	k.acked(end, at)
	k.acked(lost, at)
	k.seen(k.live, begin, at.Add(50*time.Millisecond))
	k.seen(k.live, begin, at.Add(time.Hour)) // again, after the stream was cut
	k.seen(k.live, end, at.Add(-time.Millisecond))
	k.seen(k.list, begin, at.Add(200*time.Millisecond))
	k.seen(k.list, end, at)
	live, list := k.delays()
	if live.Count != 2 || live.Missing != 1 || live.Max != 50*time.Millisecond || live.P50 != 0 {
		t.Errorf("screen %+v", live)
	}
	if list.Count != 1 || list.Missing != 1 || list.Max != 200*time.Millisecond {
		t.Errorf("list %+v", list)
	}
	if late := k.delaysAt(at.Add(time.Minute)); late.Count != 2 || late.Missing != 1 || late.Max != time.Minute {
		t.Errorf("with the missing %+v", late)
	}
	k.close()
	k.acked(alarmEvent{"D", 2, 1, true}, at)
	if again, _ := k.delays(); again != live {
		t.Errorf("%+v, want %+v as before", again, live)
	}
	if began, ended := k.count(); began != 3 || ended != 1 {
		t.Errorf("%d began, %d ended", began, ended)
	}
}

func TestAlarmErr(t *testing.T) {
	good := AlarmResult{
		Without:          Part{Rate: 1},
		With:             Part{Rate: 1},
		Opened:           2,
		RecordedOpened:   2,
		Resolved:         1,
		RecordedResolved: 1,
	}
	if err := good.Err(); err != nil {
		t.Errorf("%v", err)
	}
	for says, spoil := range map[string]func(r *AlarmResult){
		"the server says 3 and 1": func(r *AlarmResult) { r.RecordedOpened = 3 },
		"the server says 2 and 0": func(r *AlarmResult) { r.RecordedResolved = 0 },
		"never told":              func(r *AlarmResult) { r.Live.Missing = 1 },
		"never seen in the list":  func(r *AlarmResult) { r.Listed.Missing = 1 },
		"nothing was":             func(r *AlarmResult) { r.With.Rate = 0 },
	} {
		r := good
		spoil(&r)
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
	for name, o := range map[string]AlarmOptions{
		"no multiple of the devices": {Rules: 3, Rate: 1, NoticesPerSecond: 1, Duration: 1, Window: 1},
		"too many":                   {Rules: 6, Rate: 1, NoticesPerSecond: 1, Duration: 1, Window: 1},
		"no rate":                    {Rules: 2, NoticesPerSecond: 1, Duration: 1, Window: 1},
		"no time":                    {Rules: 2, Rate: 1, NoticesPerSecond: 1, Window: 1},
	} {
		if r, err := RunAlarm(t.Context(), o, Target{Tenant: NewTenant(2, 2)}); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
