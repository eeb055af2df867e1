package bench

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// heavyLimit is how long acknowledgements and pages of the victim may take meanwhile.
const heavyLimit = 300 * time.Millisecond

// rehearsers is one user with many clients, which rehearse rules over dense readings and request
// history at the same time.
type rehearsers struct {
	*dense
	done, refused atomic.Int64
}

func newRehearsers(s NeighbourSize) *rehearsers { return &rehearsers{dense: newDense("rehearsals", s)} }

func (a *rehearsers) prepare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	r.Limits.Ack, r.Limits.Page = heavyLimit, heavyLimit
	r.remark("%d of them", a.size.Rehearsers)
	return a.dense.prepare(ctx, t, r)
}

func (a *rehearsers) run(ctx context.Context, _ *neighbourRun, r *NeighbourRow) error {
	form, err := json.Marshal(map[string]any{
		"alarmName":     "rehearsed",
		"dataSource":    1,
		"executionId":   a.tenant.Devices[0].Name,
		"triggerType":   0,
		"alarmLevel":    1,
		"passageway":    []int64{},
		"manualRelease": 0,
		"hitCounts":     3,
		"durations":     time.Minute.Milliseconds(),
		"conditions": []map[string]any{
			{"andor": "and", "tslAttribute": a.tenant.Properties[0], "subconditions": ">", "value": 100},
			{"andor": "or", "tslAttribute": a.tenant.Properties[0], "subconditions": "<", "value": 20},
		},
	})
	if err != nil {
		return err
	}
	now := time.Now().UnixMilli()
	query := url.Values{
		"deviceName": {a.tenant.Devices[0].Name}, "yeuSignList": {a.tenant.Properties[0]},
		"startTime": {strconv.FormatInt(a.from, 10)}, "endTime": {strconv.FormatInt(now, 10)}, "points": {"1000"},
	}
	const history, coverage, rehearse = "/admin-api/client/pc/device/get/format-map/time-interval-data?",
		"/admin-api/client/pc/device/get/coverage?", "/admin-api/client/pc/alarm-rules/rehearse"
	var all sync.WaitGroup
	for i := range a.size.Rehearsers {
		all.Go(func() {
			for n := i; ctx.Err() == nil; n++ {
				switch n % 8 {
				case 0:
					a.ask(ctx, http.MethodGet, history+query.Encode(), nil)
				case 1:
					a.ask(ctx, http.MethodGet, coverage+query.Encode(), nil)
				default:
					a.ask(ctx, http.MethodPost, rehearse, form)
				}
			}
		})
	}
	all.Wait()
	r.remark("%d calls answered, %d asked to come later", a.done.Load(), a.refused.Load())
	if a.done.Load() == 0 {
		return errors.New("no call was answered")
	}
	return nil
}

// ask makes a call, and pauses if the server refuses it.
func (a *rehearsers) ask(ctx context.Context, method, path string, body []byte) {
	var answer json.RawMessage
	err := a.person.call(ctx, method, path, body, &answer)
	switch {
	case ctx.Err() != nil:
	case err == nil:
		a.done.Add(1)
	default:
		a.refused.Add(1)
		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
		}
	}
}
