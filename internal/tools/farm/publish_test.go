package farm

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// testClock runs as fast as the real one, from a fixed time on.
func testClock(from time.Time) func() time.Time {
	began := time.Now()
	return func() time.Time { return from.Add(time.Since(began)) }
}

// publishing runs Publish in the background; stop ends it and returns its error.
func publishing(t *testing.T, o PublishOptions) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Publish(ctx, o) }()
	var once sync.Once
	var result error
	stop = func() error {
		once.Do(func() {
			cancel()
			select {
			case result = <-done:
			case <-time.After(20 * time.Second):
				t.Error("Publish does not end")
			}
		})
		return result
	}
	t.Cleanup(func() { stop() })
	return stop
}

// acks collects the reports that OnAck gets.
type acks struct {
	mu    sync.Mutex
	times map[string][]int64
}

func (a *acks) add(name string, r Report) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.times == nil {
		a.times = map[string][]int64{}
	}
	a.times[name] = append(a.times[name], r.Time.UnixMilli())
}

func (a *acks) of(name string) []int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.times[name])
}

// noon is a time at which every device that can report does.
var noon = demoNow.Add(6 * time.Hour)

func shortInterval(*Device) time.Duration { return 40 * time.Millisecond }

func TestPublish(t *testing.T) {
	t.Parallel()
	s := newServer(t, secretOf)
	f := testFarm(t)
	var acked acks
	stop := publishing(t, PublishOptions{
		Broker: s.url(), Devices: f.Devices(), Secrets: secretOf, Every: shortInterval, OnAck: acked.add,
		From: noon, LinkOptions: LinkOptions{Now: testClock(noon)},
	})
	for _, d := range f.Devices() {
		if d.Name == "SP-1299" || d.Name == "SP-1217" {
			continue
		}
		s.wait("ten messages of "+d.Name, func() bool { return len(s.messages[d.Name]) >= 10 })
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	s.wait("all to leave", func() bool { return len(s.open) == 0 })
	for _, d := range f.Devices() {
		times := s.times(d.Name, true)
		if d.Name == "SP-1299" || d.Name == "SP-1217" {
			if s.connections[d.Name] > 0 {
				t.Errorf("%s connects although it is silent", d.Name)
			}
			continue
		}
		if s.connections[d.Name] != 1 || s.disconnects[d.Name] != 1 {
			t.Errorf(
				"%s connected %d times and disconnected %d times in order",
				d.Name,
				s.connections[d.Name],
				s.disconnects[d.Name],
			)
		}
		// The acknowledged reports are those that OnAck got, and the first of the plan.
		if got := acked.of(d.Name); !slices.Equal(got, times) {
			t.Errorf("%s: %d acknowledged, OnAck got %d", d.Name, len(times), len(got))
		}
		var want []int64
		for r := range d.Reports(noon, time.Time{}, shortInterval(d)) {
			if want = append(want, r.Time.UnixMilli()); len(want) == len(times) {
				break
			}
		}
		if !slices.Equal(times, want) {
			t.Errorf("%s: published %v, planned %v", d.Name, times, want)
		}
	}
}

func TestMessagesAreNotAheadOfTime(t *testing.T) {
	t.Parallel()
	s := newServer(t, secretOf)
	clock := testClock(noon)
	ahead := time.Until(clock())
	stop := publishing(t, PublishOptions{
		Broker: s.url(), Devices: testFarm(t).Devices()[:1], Secrets: secretOf, Every: shortInterval,
		From: noon, LinkOptions: LinkOptions{Now: clock},
	})
	s.wait("ten messages", func() bool { return len(s.messages["WS-0417"]) >= 10 })
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	for _, m := range s.messages["WS-0417"] {
		if early := time.UnixMilli(m.Ts).Sub(m.at.Add(ahead)); early > 5*time.Millisecond {
			t.Fatalf("a message arrives %v before it is measured", early)
		}
	}
}

func TestLostConnectionsLoseNoReports(t *testing.T) {
	t.Parallel()
	s := newServer(t, secretOf)
	f := testFarm(t)
	d := findDevice(t, f, "WS-0417")
	s.cutAfter[d.Name] = 5
	stop := publishing(t, PublishOptions{
		Broker: s.url(), Devices: []*Device{d}, Secrets: secretOf, Every: shortInterval,
		From: noon, LinkOptions: LinkOptions{Now: testClock(noon), Backoff: 30 * time.Millisecond},
	})
	s.wait("a second connection", func() bool { return s.connections[d.Name] >= 2 })
	s.wait("twenty messages", func() bool { return len(s.messages[d.Name]) >= 20 })
	s.cutAll()
	s.wait("a third connection", func() bool { return s.connections[d.Name] >= 3 })
	s.wait("forty messages", func() bool { return len(s.messages[d.Name]) >= 40 })
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	checkNothingLost(t, s, d)
	// The message that was lost with the connection was sent again.
	all := s.times(d.Name, false)
	again := slices.Clone(all)
	slices.Sort(again)
	if len(slices.Compact(again)) == len(all) {
		t.Error("the lost message was not sent again")
	}
}

// checkNothingLost fails unless every report of the plan up to the last one
// was acknowledged.
func checkNothingLost(t *testing.T, s *server, d *Device) {
	t.Helper()
	acked := map[int64]bool{}
	var last int64
	for _, at := range s.times(d.Name, true) {
		acked[at] = true
		last = max(last, at)
	}
	missing := 0
	for r := range d.Reports(noon, time.UnixMilli(last), shortInterval(d)) {
		if !acked[r.Time.UnixMilli()] {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d reports of %s are missing", missing, d.Name)
	}
}

func TestPublishRetriesUntilServerStarts(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	attempts := make(chan struct{}, 1000)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close() // not a server yet
			attempts <- struct{}{}
		}
	}()
	d := findDevice(t, testFarm(t), "WS-0417")
	s := newServer(t, secretOf)
	stop := publishing(t, PublishOptions{
		Broker: "tcp://" + l.Addr().String(), Devices: []*Device{d}, Secrets: secretOf, Every: shortInterval,
		From: noon, LinkOptions: LinkOptions{Now: testClock(noon), Backoff: 20 * time.Millisecond},
	})
	for range 3 {
		select {
		case <-attempts:
		case <-time.After(10 * time.Second):
			t.Fatal("Publish does not try again")
		}
	}
	// A server starts at the same address.
	l.Close()
	relay, err := net.Listen("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer relay.Close()
	go func() {
		for {
			c, err := relay.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	s.wait("fifteen messages", func() bool { return len(s.messages[d.Name]) >= 15 })
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	checkNothingLost(t, s, d)
}

func TestBacklogIsCaughtUp(t *testing.T) {
	s := newServer(t, secretOf)
	d := findDevice(t, testFarm(t), "GC-0032")
	from := noon.Add(-20 * time.Minute)
	every := func(*Device) time.Duration { return time.Second }
	stop := publishing(t, PublishOptions{
		Broker: s.url(), Devices: []*Device{d}, Secrets: secretOf, Every: every,
		From: from, LinkOptions: LinkOptions{Now: testClock(noon)},
	})
	want := len(collect(d, from, noon, time.Second))
	s.wait("the backlog", func() bool { return len(s.messages[d.Name]) >= want })
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	assertBetween(t, "reports of twenty minutes", float64(want), 1000, 1300)
}

func TestUnacknowledgedReportsAreReturnedAsError(t *testing.T) {
	s := newServer(t, secretOf)
	s.mute = true
	d := findDevice(t, testFarm(t), "WS-0417")
	stop := publishing(t, PublishOptions{
		Broker: s.url(), Devices: []*Device{d}, Secrets: secretOf, Every: shortInterval,
		From: noon, LinkOptions: LinkOptions{Now: testClock(noon), DrainTimeout: 50 * time.Millisecond},
	})
	s.wait("five messages", func() bool { return len(s.messages[d.Name]) >= 5 })
	if err := stop(); err == nil || !strings.Contains(err.Error(), "WS-0417") ||
		!strings.Contains(err.Error(), "not acknowledged") {
		t.Errorf("it ends with %v", err)
	}
}

func TestUnacknowledgedReportsAreLimited(t *testing.T) {
	s := newServer(t, secretOf)
	s.mute = true
	d := findDevice(t, testFarm(t), "WS-0417")
	stop := publishing(t, PublishOptions{
		Broker: s.url(), Devices: []*Device{d}, Secrets: secretOf,
		Every: func(*Device) time.Duration { return time.Second },
		From:  noon.Add(-time.Hour), LinkOptions: LinkOptions{Now: testClock(noon), DrainTimeout: time.Millisecond},
	})
	s.wait("a full window", func() bool { return len(s.messages[d.Name]) >= window })
	if err := stop(); err == nil {
		t.Error("Publish does not report the unacknowledged reports")
	}
	assertNear(t, "messages without an acknowledgement", float64(len(s.times(d.Name, false))), window, 0)
}

// lastReportBeforeGap returns the last report of a device before two minutes without any.
func lastReportBeforeGap(t *testing.T, d *Device, every time.Duration) Report {
	t.Helper()
	var last Report
	for r := range d.Reports(noon.AddDate(0, -3, 0), noon, every) {
		if !last.Sent.IsZero() && r.Sent.Sub(last.Sent) > 2*time.Minute {
			return last
		}
		last = r
	}
	t.Fatal("three months without a gap")
	return last
}

// A device disconnects in a gap, so that the server sees it offline.
func TestDeviceDisconnectsDuringGap(t *testing.T) {
	s := newServer(t, secretOf)
	d := findDevice(t, testFarm(t), "WS-0417")
	every := 10 * time.Second
	last := lastReportBeforeGap(t, d, every)
	stop := publishing(t, PublishOptions{
		Broker: s.url(), Devices: []*Device{d}, Secrets: secretOf,
		Every: func(*Device) time.Duration { return every },
		From:  last.Sent, LinkOptions: LinkOptions{Now: testClock(last.Sent)},
	})
	s.wait("its farewell", func() bool { return s.disconnects[d.Name] == 1 })
	if err := stop(); err != nil {
		t.Error(err)
	}
	if times := s.times(d.Name, true); !slices.Equal(times, []int64{last.Time.UnixMilli()}) {
		t.Errorf("it reported %v, its last report is of %v", times, last.Time.UnixMilli())
	}
	assertNear(t, "connections", float64(s.connections[d.Name]), 1, 0)
}

func TestWrongOptions(t *testing.T) {
	d := testFarm(t).Devices()[:1]
	for _, c := range []struct {
		name string
		o    PublishOptions
		want string
	}{
		{"no broker", PublishOptions{Devices: d, Secrets: secretOf}, "no broker"},
		{"no secrets", PublishOptions{Broker: "tcp://127.0.0.1:1", Devices: d}, "WS-0417 has no secret"},
		{"no interval", PublishOptions{
			Broker: "tcp://127.0.0.1:1", Devices: d, Secrets: secretOf,
			Every: func(*Device) time.Duration { return 0 },
		}, "interval"},
	} {
		if err := Publish(context.Background(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestWrongSecretIsTriedAgain(t *testing.T) {
	s := newServer(t, func(string) string { return "another secret entirely" })
	d := findDevice(t, testFarm(t), "WS-0417")
	stop := publishing(t, PublishOptions{
		Broker: s.url(), Devices: []*Device{d}, Secrets: secretOf, Every: shortInterval,
		From: noon, LinkOptions: LinkOptions{Now: testClock(noon), Backoff: 10 * time.Millisecond},
	})
	s.wait("three attempts", func() bool { return s.connections[d.Name] >= 3 })
	if err := stop(); err != nil {
		t.Error(err)
	}
	if n := len(s.times(d.Name, false)); n > 0 {
		t.Errorf("%d messages without a sign-in", n)
	}
}
