package bench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	denseEvery = 100 * time.Millisecond // between two readings
	sipEvery   = 100 * time.Millisecond
	sip        = 1 << 10 // bytes that a slow reader takes at once
	againLate  = 250 * time.Millisecond
)

// longAnswers are the calls that answer with every reading of a range.
var longAnswers = []string{
	"get/format-map/time-interval-data", "get/format-sign-array/time-interval-data", "get/columns/time-interval-data", "export-device-data-excel",
}

// slowReaders is one user who asks hundreds of times for a long answer, and takes
// each by sips.
type slowReaders struct {
	size   NeighbourSize
	world  World
	person *console
	from   int64 // time of the first reading, epoch ms

	mu      sync.Mutex
	answers map[int]int // by status
}

func newSlowReaders(s NeighbourSize) *slowReaders {
	return &slowReaders{size: s, world: attackers("readers", 1), answers: map[int]int{}}
}

func (a *slowReaders) worlds() []World { return []World{a.world} }

func (a *slowReaders) count() int { return a.size.Dense * lateMost }

// reading is the n'th of the device.
func (a *slowReaders) reading(n int) frame {
	return only(a.from+int64(n)*denseEvery.Milliseconds(), 0, float64(n*7919%2000)/10)
}

func (a *slowReaders) prepare(ctx context.Context, t *town, r *NeighbourRow) (err error) {
	if a.person, err = t.signIn(ctx, a.world); err != nil {
		return err
	}
	a.from = time.Now().Add(-time.Duration(a.count()) * denseEvery).UnixMilli()
	for m := range a.size.Dense {
		frames := make([]frame, lateMost)
		for i := range frames {
			frames[i] = a.reading(m*lateMost + i)
		}
		if err := deliver(ctx, t.server.Console, a.world.Devices[0], payloadOf(a.world.Properties, frames)); err != nil {
			return err
		}
	}
	r.remark("%d of them, %s readings", a.size.Readers, thousands(float64(a.count())))
	return nil
}

func (a *slowReaders) press(ctx context.Context, _ *town, r *NeighbourRow) error {
	var all sync.WaitGroup
	for i := range a.size.Readers {
		all.Go(func() {
			for ctx.Err() == nil {
				a.ask(ctx, longAnswers[i%len(longAnswers)])
			}
		})
	}
	all.Wait()
	for _, status := range slices.Sorted(maps.Keys(a.answers)) {
		what := strconv.Itoa(status)
		if status == 0 {
			what = "no answer"
		}
		r.remark("%s: %d times", what, a.answers[status])
	}
	return nil
}

// ask asks for a long answer and sips from it until it is over, or ctx is; where
// it is refused, it waits a little, far less than it is asked to.
func (a *slowReaders) ask(ctx context.Context, call string) {
	query := url.Values{
		"deviceName": {a.world.Devices[0].Name}, "yeuSignList": {a.world.Properties[0]},
		"startTime": {strconv.FormatInt(a.from, 10)}, "endTime": {strconv.FormatInt(time.Now().UnixMilli(), 10)},
	}
	nc, res, err := getSlowly(ctx, a.person, "/admin-api/client/pc/device/"+call+"?"+query.Encode())
	status := 0
	if err == nil {
		defer func() { _ = nc.Close() }() // what it was for is over
		defer context.AfterFunc(ctx, func() { _ = nc.Close() })()
		status = res.StatusCode
	}
	if ctx.Err() != nil {
		return
	}
	a.mu.Lock()
	a.answers[status]++
	a.mu.Unlock()
	every := time.NewTicker(sipEvery)
	defer every.Stop()
	if status != http.StatusOK {
		every.Reset(againLate)
	}
	for {
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
		if status != http.StatusOK {
			return
		}
		if _, err := io.CopyN(io.Discard, res.Body, sip); err != nil {
			return // read to its end, or cut off
		}
	}
}

// compare reads the dense readings back, in one long answer.
func (a *slowReaders) compare(ctx context.Context, t *town, r *NeighbourRow) error {
	var got map[string][]point
	until := time.Now().Add(t.options.Size.Patience)
	for {
		var err error
		got, err = a.person.history(ctx, a.world.Devices[0].Name, a.world.Properties[:1], a.from, time.Now().UnixMilli())
		if err == nil {
			break
		}
		// The server may not have learned yet that the slow readers have left.
		if !strings.Contains(err.Error(), "answer 429") || time.Now().After(until) {
			return fmt.Errorf("read back: %w", err)
		}
		time.Sleep(againLate)
	}
	points := got[a.world.Properties[0]]
	r.Checked += a.count()
	for n := range a.count() {
		want := a.reading(n)
		switch {
		case n >= len(points):
			r.fault(&r.Lost, a.world.Devices[0].Name, a.world.Properties[0], want.time, "acknowledged and not there")
		case points[n].Time != want.time || points[n].Value != want.values[0]:
			r.fault(&r.Wrong, a.world.Devices[0].Name, a.world.Properties[0], want.time, "another reading is in its place")
		}
	}
	r.Extra += max(0, len(points)-a.count())
	return nil
}
