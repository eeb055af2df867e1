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
	readChunk  = 1 << 10 // bytes that a slow reader takes at once
	retryPause = 250 * time.Millisecond
)

// longAnswers are the calls that answer with every reading of a range.
var longAnswers = []string{
	"get/format-map/time-interval-data",
	"get/format-sign-array/time-interval-data",
	"get/columns/time-interval-data",
	"export-device-data-excel",
}

// slowReaders is one user who asks hundreds of times for a long answer, and takes
// each by sips.
type slowReaders struct {
	*dense

	// How the server answered: with readings, that it is to be asked later, or
	// not in this way.
	read, later, other atomic.Int64
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
		a.later.Load(),
		a.other.Load(),
	)
	if a.read.Load() == 0 {
		return errors.New("no reader was answered")
	}
	return nil
}

// ask asks for a long answer and sips from it until it is over, or ctx is; where
// it is refused, it waits as it is asked to.
func (a *slowReaders) ask(ctx context.Context, call string) {
	query := url.Values{
		"deviceName": {a.tenant.Devices[0].Name}, "yeuSignList": {a.tenant.Properties[0]},
		"startTime": {strconv.FormatInt(a.from, 10)}, "endTime": {strconv.FormatInt(time.Now().UnixMilli(), 10)},
	}
	nc, res, err := getSlowly(ctx, a.person, "/admin-api/client/pc/device/"+call+"?"+query.Encode())
	if ctx.Err() != nil {
		return
	}
	every, sips := retryPause, false
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
		every, sips = readPause, true
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
		if _, err := io.CopyN(io.Discard, res.Body, readChunk); err != nil {
			return // read to its end, or cut off
		}
	}
}
