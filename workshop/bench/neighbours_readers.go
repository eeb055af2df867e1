package bench

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	readPause  = 100 * time.Millisecond
	readChunk  = 1 << 10 // bytes that a slow reader reads at once
	retryPause = 250 * time.Millisecond
)

// longAnswers are the calls whose response contains every reading of a range.
var longAnswers = []string{
	"get/format-map/time-interval-data",
	"get/format-sign-array/time-interval-data",
	"get/columns/time-interval-data",
	"export-device-data-excel",
}

// slowReaders is one user with hundreds of clients that request a long response and read it slowly.
type slowReaders struct {
	*dense

	// Responses with readings, refusals with a time to try again, and other outcomes.
	read, refused, other atomic.Int64
}

func newSlowReaders(s NeighbourSize) *slowReaders {
	return &slowReaders{dense: newDense("readers", s)}
}

func (a *slowReaders) prepare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	r.remark("%d of them", a.size.Readers)
	return a.dense.prepare(ctx, t, r)
}

func (a *slowReaders) run(ctx context.Context, _ *neighbourRun, r *NeighbourRow) error {
	var all sync.WaitGroup
	for i := range a.size.Readers {
		all.Go(func() {
			for ctx.Err() == nil {
				a.ask(ctx, longAnswers[i%len(longAnswers)])
			}
		})
	}
	all.Wait()
	r.remark(
		"%d answers, %d times asked to come later, %d without an answer",
		a.read.Load(),
		a.refused.Load(),
		a.other.Load(),
	)
	if a.read.Load() == 0 {
		return errors.New("no reader was answered")
	}
	return nil
}

// ask requests a long response and reads it slowly to its end, or until ctx ends. If the server
// refuses, it waits as long as the server says.
func (a *slowReaders) ask(ctx context.Context, call string) {
	query := url.Values{
		"deviceName": {a.tenant.Devices[0].Name}, "yeuSignList": {a.tenant.Properties[0]},
		"startTime": {strconv.FormatInt(a.from, 10)}, "endTime": {strconv.FormatInt(time.Now().UnixMilli(), 10)},
	}
	nc, res, err := getSlowly(ctx, a.person, "/admin-api/client/pc/device/"+call+"?"+query.Encode())
	if ctx.Err() != nil {
		return
	}
	every, slowly := retryPause, false
	switch {
	case err != nil:
		a.other.Add(1)
	case res.Header.Get("Retry-After") != "": // refused in an envelope; the status may be 200
		a.refused.Add(1)
		every = retryAfter(res)
	case res.StatusCode != http.StatusOK:
		a.other.Add(1)
	default:
		a.read.Add(1)
		every, slowly = readPause, true
	}
	if err == nil {
		defer func() {
			_ = nc.Close()       // nothing more is read
			_ = res.Body.Close() // the rest is dropped
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
		if !slowly {
			return
		}
		if _, err := io.CopyN(io.Discard, res.Body, readChunk); err != nil {
			return // read to its end, or cut off
		}
	}
}
