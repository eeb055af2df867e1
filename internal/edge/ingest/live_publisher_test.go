package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/live"
)

// withPublisher runs a publisher for green's weather stations 1 to n in a synctest bubble; tell
// adds a frame of each.
func withPublisher(t *testing.T, n int, test func(hub *live.Hub, tell func(second int64))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := device.NewRegistry(hashKey)
		var stations []*device.Entry
		for i := range n {
			stations = append(stations, entry(green, device.ID(i+1), fmt.Sprintf("WS-%d", i+1), false, false))
		}
		r.Replace(stations)
		hub := live.NewHub("e")
		publisher := newLivePublisher(hub, r, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			publisher.run(ctx)
		}()
		test(hub, func(second int64) {
			var batch []reading.Arrival
			for i := range n {
				batch = append(
					batch,
					arrival(green, device.ID(i+1), now+1000*second, field(humidity, reading.Number(float64(second)))),
				)
			}
			publisher.add(batch)
		})
		cancel()
		<-ended
	})
}

// drainScreen takes the waiting events of a screen, and returns their number and the newest value
// of each device.
func drainScreen(t *testing.T, s *live.Screen) (events int, newest map[string]float64) {
	t.Helper()
	newest = map[string]float64{}
	for ; len(s.Events) > 0; events++ {
		var e struct {
			DeviceName string
			Values     map[string]float64
		}
		if err := json.Unmarshal((<-s.Events).Data, &e); err != nil {
			t.Fatal(err)
		}
		newest[e.DeviceName] = e.Values["humidity"]
	}
	return events, newest
}

// At a low load every event is published: the first ones at once, later ones after a short pause.
func TestLivePublisherPublishesEverythingAtLowLoad(t *testing.T) {
	withPublisher(t, 10, func(hub *live.Hub, tell func(int64)) {
		screen, _, _, _ := hub.Subscribe(green, "", "")
		tell(0)
		synctest.Wait()
		if events, _ := drainScreen(t, screen); events != 10 {
			t.Errorf("%d events at once, want 10", events)
		}
		for second := range int64(20) {
			tell(second)
		}
		time.Sleep(publishInterval)
		synctest.Wait()
		if events, newest := drainScreen(t, screen); events != 200 || newest["WS-10"] != 19 {
			t.Errorf("%d events after a pause, want all 200: %v", events, newest)
		}
	})
}

// At a load beyond what a screen can show, the screen is not cut off: it gets every device several
// times a second, and at the end the last value of each.
func TestLivePublisherFoldsUpdatesAtHighLoad(t *testing.T) {
	const n = 2000
	withPublisher(t, n, func(hub *live.Hub, tell func(int64)) {
		screen, _, _, _ := hub.Subscribe(green, "", "")
		times := map[string]int{}
		total, last := 0, map[string]float64{}
		listen := func(rounds int) {
			for range rounds {
				time.Sleep(publishInterval / 4)
				synctest.Wait()
				events, newest := drainScreen(t, screen)
				total += events
				for name, value := range newest {
					times[name]++
					last[name] = value
				}
			}
		}
		const frames = 100 // of each device, in a second
		for second := range int64(frames) {
			tell(second)
			listen(1)
		}
		listen(200)
		select {
		case <-screen.Ended:
			t.Fatalf("cut off: %s", screen.Reason())
		default:
		}
		if len(last) != n || total > 6*n {
			t.Errorf("%d events of %d devices", total, len(last))
		}
		for name, value := range last {
			if value != frames-1 || times[name] < 3 {
				t.Fatalf("%s: last value %v after %d events", name, value, times[name])
			}
		}
	})
}

// A screen that takes nothing holds up the tenant's other screens only for a moment.
func TestLivePublisherDropsStuckScreen(t *testing.T) {
	withPublisher(t, 1500, func(hub *live.Hub, tell func(int64)) {
		stuck, _, _, _ := hub.Subscribe(green, "", "")
		quick, _, _, _ := hub.Subscribe(green, "", "")
		tell(1)
		last := map[string]float64{}
		for range 60 { // 2.4 s
			time.Sleep(publishInterval)
			synctest.Wait()
			_, newest := drainScreen(t, quick)
			for name, value := range newest {
				last[name] = value
			}
		}
		select {
		case <-stuck.Ended:
		default:
			t.Error("the stuck screen was not ended")
		}
		select {
		case <-quick.Ended:
			t.Error("the other screen was ended, too")
		default:
		}
		if len(last) != 1500 {
			t.Errorf("the other screen got events of %d devices", len(last))
		}
	})
}

// Folded frames keep each property's newest value with its time.
func TestPendingUpdatesFold(t *testing.T) {
	n := &pendingUpdates{owner: green}
	for range publishPortionSize {
		n.add(arrived(now, frameOf(9, now, field(humidity, reading.Number(1)))))
	}
	for _, f := range []reading.Frame{
		frameOf(1, now, field(airTemperature, reading.Number(1)), field(humidity, reading.Number(1))),
		frameOf(1, now+2, field(humidity, reading.Number(3)), field(note, reading.Text("x"))),
		frameOf(1, now+1, field(airTemperature, reading.Number(2)), field(humidity, reading.Number(2))),
		frameOf(1, now+2, field(humidity, reading.Number(4))),
	} {
		n.add(arrived(now+5, f))
	}
	if got := describe(ofArrivals(n.take(1))); got != "9@0 hum=1" {
		t.Errorf("first portion %s", got)
	}
	// A value with a time in the future does not hide later values.
	ahead := frameOf(1, now+90_000, field(humidity, reading.Number(8)), field(note, reading.Text("y")))
	n.add(arrived(now+6, ahead))
	n.add(arrived(now+8, frameOf(1, now+7, field(humidity, reading.Number(5)))))
	if got := describe(ofArrivals(n.take(5))); got != "1@1 air=2; 1@7 hum=5; 1@90000 note=y" {
		t.Errorf("second portion %s", got)
	}
	if !n.empty() {
		t.Error("updates are left")
	}
}

// frameOf is a frame of green.
func frameOf(id device.ID, at int64, fields ...reading.Field) reading.Frame {
	return reading.Frame{Tenant: green, Device: id, Time: at, Fields: fields}
}

func arrived(at int64, f reading.Frame) *reading.Arrival { return &reading.Arrival{Frame: f, At: at} }

func ofArrivals(arrivals []reading.Arrival) (frames []reading.Frame) {
	for _, a := range arrivals {
		frames = append(frames, a.Frame)
	}
	return frames
}

// Events are written as the standard library would write them.
func TestEventIsJSON(t *testing.T) {
	e := entry(green, 1, `a "b" <c> \ ä`+"\u2028\x7f", false, false)
	for _, f := range []float64{0, 1, -1.5, 1e-6, 9.99e-7, -1e-7, 1e20, 1e21, -2.5e300, 123456789.125, 5e-324} {
		got := readingEvent(
			e,
			arrived(now, reading.Frame{Time: now, Fields: []reading.Field{field(airTemperature, reading.Number(f))}}),
		)
		name, _ := json.Marshal(e.Name)
		value, _ := json.Marshal(f)
		want := fmt.Sprintf(`{"deviceName":%s,"time":%d,"values":{"airTemperature":%s}}`, name, now, value)
		if string(got) != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	ahead := arrived(
		now,
		reading.Frame{Time: now + 5, Fields: []reading.Field{field(airTemperature, reading.Number(1))}},
	)
	want := fmt.Sprintf(`,"time":%d,"arrival":%d,"values":{"airTemperature":1}}`, now+5, now)
	if got := string(readingEvent(e, ahead)); !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s at its end", got, want)
	}
	got := string(readingEvent(e, arrived(0, reading.Frame{Fields: []reading.Field{
		field(airTemperature, reading.Value{}), field(note, reading.Text("a\xffb")), field(99, reading.Number(1)),
	}})))
	if !strings.HasSuffix(got, `"values":{"note":"a`+"\ufffd"+`b"}}`) || !json.Valid([]byte(got)) {
		t.Errorf("%s", got)
	}
}
