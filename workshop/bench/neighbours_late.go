package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	lateBatch = 5200 // readings in one message; its limit of 256 KiB allows hardly more
	lateEvery = time.Second
	lateHits  = 10
	// lateAge is how long before now the late readings begin: within the rules' windows, and before
	// the device's newest reading.
	lateAge    = 20 * time.Minute
	lateWindow = 30 * time.Minute
	lateNewest = 200 // samples newer than all late readings, more than a rule keeps individually
)

// lateReadings is a logger whose device has many rules, with five conditions and ten hits each, and
// that delivers its backlog: thousands of late readings in one message, and then the same message
// again. Each reading changes the values with which all newer samples are evaluated.
type lateReadings struct {
	rules  int
	tenant Tenant
	person *console
	since  time.Time // from when on the rules run
	sent   []frame   // acknowledged
	late   int       // number of late readings made so far
	newest int64     // time of the first newer sample, epoch ms
}

func newLateReadings(rules int) *lateReadings {
	return &lateReadings{rules: rules, tenant: attackerTenant("late", 1)}
}

func (a *lateReadings) tenants() []Tenant { return []Tenant{a.tenant} }

// lateRules are the device's rules, by title, with the limit for the values of all properties but
// the first. The values pass one limit in the end, and never the other.
var lateRules = map[string]float64{"late that holds": 100, "late that does not": 950}

const (
	lateFirst      = 400 // limit for the first property
	lateNow        = 500 // value of the first property
	lateHigh       = 900 // value of all properties in the end
	lateLow        = -1
	latePresent    = 12 // number of late readings for which the conditions hold
	lateProperties = neighbourValues - 1
)

// ruleCopies makes one rule of each kind, and returns the copies to be written into the folder.
func (a *lateReadings) ruleCopies(ctx context.Context, t *neighbourRun) (copies []RuleCopies, err error) {
	if a.person, err = t.signIn(ctx, a.tenant); err != nil {
		return nil, err
	}
	a.since = time.Now().Add(-2 * lateWindow)
	for title, limit := range lateRules {
		var conditions []map[string]any
		for p, name := range a.tenant.Properties {
			value := limit
			if p == 0 {
				value = lateFirst
			}
			conditions = append(
				conditions,
				map[string]any{"andor": "and", "tslAttribute": name, "subconditions": ">", "value": value},
			)
		}
		id, err := a.person.makeRule(ctx, map[string]any{
			"alarmName":   title,
			"executionId": a.tenant.Devices[0].Name,
			"conditions":  conditions,
			"hitCounts":   lateHits,
			"durations":   lateWindow.Milliseconds(),
		})
		if err != nil {
			return nil, err
		}
		copies = append(
			copies,
			RuleCopies{
				Tenant:  a.tenant.Name,
				Rule:    id,
				Devices: a.tenant.DeviceNames(),
				Each:    a.rules / len(lateRules),
				Since:   a.since,
			},
		)
	}
	return copies, nil
}

func (a *lateReadings) prepare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	copies, err := a.ruleCopies(ctx, t)
	if err == nil {
		err = t.copyRules(ctx, copies)
	}
	if err != nil {
		return err
	}
	r.remark("%d rules on the device", a.rules)
	return a.begin(ctx, t)
}

// begin sends the newest samples, before which the late readings lie.
func (a *lateReadings) begin(ctx context.Context, t *neighbourRun) error {
	a.newest = time.Now().UnixMilli()
	var frames []frame
	for i := range lateNewest {
		frames = append(frames, oneValue(a.newest+int64(i), 0, lateNow))
	}
	return a.send(ctx, t, frames)
}

// send delivers frames and keeps them once they are acknowledged.
func (a *lateReadings) send(ctx context.Context, t *neighbourRun, frames []frame) error {
	err := deliver(ctx, t.server.Console, a.tenant.Devices[0], payloadOf(a.tenant.Properties, frames))
	if err == nil {
		a.sent = append(a.sent, frames...)
	}
	return err
}

// message returns the next late readings: newer than those of the message before, and with the
// properties in turn, so that each changes the values that newer samples carry on.
func (a *lateReadings) message() []frame {
	frames := make([]frame, lateBatch)
	for i := range frames {
		n := a.late
		a.late++
		frames[i] = oneValue(a.newest-lateAge.Milliseconds()+int64(n), 1+n%lateProperties, float64(-1-n*7%199))
	}
	return frames
}

func (a *lateReadings) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	turn := time.NewTicker(lateEvery)
	defer turn.Stop()
	for n := 0; ; n += 2 {
		frames := a.message()
		for range 2 {
			if err := a.send(ctx, t, frames); errors.Is(err, context.Canceled) {
				r.remark("%d messages of %s readings", n, thousands(lateBatch))
				return nil
			} else if err != nil {
				return err
			}
		}
		select {
		case <-turn.C:
		case <-ctx.Done():
			r.remark("%d messages of %s readings", n+2, thousands(lateBatch))
			return nil
		}
	}
}

// compare first sends late readings for which the conditions hold, which fill the window and open
// nothing. Then it sends a newest reading, which opens the notices that must open, and one that
// closes them.
func (a *lateReadings) compare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	var frames []frame
	at := a.newest - latePresent - 1
	for i := range latePresent {
		frames = append(frames, allValues(at+int64(i), lateHigh))
	}
	frames = append(frames, allValues(at+latePresent, lateLow))
	opens := allValues(a.newest+lateNewest+1, lateHigh)
	closes := allValues(a.newest+lateNewest+2, lateLow)
	for _, message := range [][]frame{frames, {opens}, {closes}} {
		if err := a.send(ctx, t, message); err != nil {
			return err
		}
	}
	if err := r.readBack(ctx, a.person, a.tenant.Devices[0].Name, a.tenant.Properties, a.sent); err != nil {
		return err
	}
	var want []expectedNotice
	for title, limit := range lateRules {
		one := referenceRule{
			title:  title,
			device: a.tenant.Devices[0].Name,
			hits:   lateHits,
			window: lateWindow.Milliseconds(),
			since:  a.since.UnixMilli(),
		}
		for p := range a.tenant.Properties {
			one.conditions = append(one.conditions, referenceCondition{property: p, above: true, limit: limit})
		}
		one.conditions[0].limit = lateFirst
		notices := one.expectedNotices(a.sent)
		for range a.rules / len(lateRules) {
			want = append(want, notices...)
		}
	}
	return r.compareNotices(ctx, a.person, want, t.options.Size.Patience)
}

// makeRule makes a rule from a form, in which ordinary members may be missing, and returns its id.
// The rule does not run yet.
func (c *console) makeRule(ctx context.Context, form map[string]any) (id int64, err error) {
	whole := map[string]any{
		"dataSource":    1,
		"triggerType":   0,
		"alarmLevel":    1,
		"passageway":    []int64{},
		"manualRelease": 0,
	}
	for name, value := range form {
		whole[name] = value
	}
	body, err := json.Marshal(whole)
	if err != nil {
		return 0, err
	}
	if err := c.call(ctx, http.MethodPost, "/admin-api/client/pc/alarm-rules/create", body, &id); err != nil {
		return 0, fmt.Errorf("make a rule: %w", err)
	}
	return id, nil
}
