package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

	// How the server answered: with readings, that it is to be asked later, or
	// not in this way.
	read, later, other atomic.Int64
}

func newSlowReaders(s NeighbourSize) *slowReaders {
	return &slowReaders{size: s, world: attackers("readers", 1)}
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
	r.remark("%d answers, %d times asked to come later, %d without an answer", a.read.Load(), a.later.Load(), a.other.Load())
	if a.read.Load() == 0 {
		return errors.New("no reader was answered")
	}
	return nil
}

// ask asks for a long answer and sips from it until it is over, or ctx is; where
// it is refused, it waits as it is asked to.
func (a *slowReaders) ask(ctx context.Context, call string) {
	query := url.Values{
		"deviceName": {a.world.Devices[0].Name}, "yeuSignList": {a.world.Properties[0]},
		"startTime": {strconv.FormatInt(a.from, 10)}, "endTime": {strconv.FormatInt(time.Now().UnixMilli(), 10)},
	}
	nc, res, err := getSlowly(ctx, a.person, "/admin-api/client/pc/device/"+call+"?"+query.Encode())
	if ctx.Err() != nil {
		return
	}
	every, sips := againLate, false
	switch {
	case err != nil:
		a.other.Add(1)
	case res.Header.Get("Retry-After") != "": // in an envelope, whatever the status
		a.later.Add(1)
		every = retryAfter(res)
	case res.StatusCode != http.StatusOK:
		a.other.Add(1)
	default:
		a.read.Add(1)
		every, sips = sipEvery, true
	}
	if err == nil {
		defer func() {
			_ = nc.Close()       // what it was for is over
			_ = res.Body.Close() // the rest of it is not waited for
		}()
		defer context.AfterFunc(ctx, func() { _ = nc.Close() })()
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if !sips {
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
