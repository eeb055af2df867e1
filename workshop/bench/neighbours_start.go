package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	beforeKill  = 2 * time.Second  // how long the victim is measured before the server is killed
	catchUp     = 30 * time.Second // limit of an alarm's delay after the start
	readyEvery  = 500 * time.Millisecond
	readyLength = 120 // bytes of readyz's text in the remark
)

// starting kills a server while many readings are not evaluated, and starts it on a folder with
// very many devices and rules.
type starting struct {
	lateReadings
	size   NeighbourSize
	others []Tenant
}

func newStarting(s NeighbourSize) *starting {
	a := &starting{lateReadings: *newLateReadings(s.OlderRules), size: s}
	for i := range s.Tenants {
		a.others = append(a.others, attackerTenant(fmt.Sprintf("other%03d", i+1), s.Devices))
	}
	return a
}

func (a *starting) tenants() []Tenant { return append(a.others, a.tenant) }

func (a *starting) prepare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	copies, err := a.ruleCopies(ctx, t)
	if err != nil {
		return err
	}
	for _, w := range a.others {
		c, err := signIn(ctx, t.server.Console, w)
		if err != nil {
			return err
		}
		id, err := c.makeRule(ctx, map[string]any{
			"alarmName":   ruleName(0),
			"executionId": w.Devices[0].Name,
			"hitCounts":   1,
			"durations":   time.Minute.Milliseconds(),
			"conditions": []map[string]any{
				{"andor": "and", "tslAttribute": w.Properties[0], "subconditions": ">", "value": threshold / 100},
			},
		})
		if err != nil {
			return err
		}
		c.http.CloseIdleConnections()
		copies = append(
			copies,
			RuleCopies{Tenant: w.Name, Rule: id, Devices: w.DeviceNames()[:a.size.Running], Each: 1, Since: a.since},
		)
	}
	if err := t.copyRules(ctx, copies); err != nil {
		return err
	}
	if _, err := t.victim.measure(ctx, t.server.Target, beforeKill, a.size.Patience); err != nil {
		return err
	}
	if err := a.begin(ctx, t); err != nil {
		return err
	}
	if err := a.buildBacklog(ctx, t, r); err != nil {
		return err
	}
	return a.restart(ctx, t, r)
}

// buildBacklog sends readings faster than the server evaluates them, and kills the server.
func (a *starting) buildBacklog(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	within, cancel := context.WithTimeout(ctx, a.size.Attack)
	defer cancel()
	for range a.size.Backlog {
		if err := a.send(within, t, a.message()); within.Err() != nil && ctx.Err() == nil {
			break // what the server accepted until then is enough
		} else if err != nil {
			return err
		}
	}
	figures, err := t.server.metrics(ctx)
	if err != nil {
		return err
	}
	if waiting, told := figures["tilth_readings_journal_lag"]; told && waiting == 0 {
		return errors.New("no batch waited for evaluation at the kill, so that it was no attack")
	}
	if err := t.server.Kill(); err != nil {
		return err
	}
	r.remark("%s devices, %s rules, %s late readings, of which %.0f batches waited at the kill",
		thousands(float64(a.size.Tenants*a.size.Devices)), thousands(float64(a.size.Tenants*a.size.Running+a.rules)),
		thousands(float64(a.late)), figures["tilth_readings_journal_lag"])
	return nil
}

// restart starts the server and measures how long it takes until the server accepts a reading.
func (a *starting) restart(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	began := time.Now()
	if err := t.start(ctx); err != nil {
		r.Started = time.Since(began)
		return fmt.Errorf("started with a backlog: %w", err)
	}
	w := a.others[0]
	payload := payloadOf(w.Properties, []frame{allValues(began.UnixMilli(), 0)})
	if err := deliver(ctx, t.server.Console, w.Devices[0], payload); err != nil {
		return err
	}
	r.Started = time.Since(began)
	r.Limits.Alarm = catchUp
	r.remark(
		"the first reading was taken after %s (at most %s), alarms may take %s meanwhile",
		short(r.Started),
		short(r.Limits.Start),
		short(catchUp),
	)
	return nil
}

// run only reads readyz: the attack is in the folder.
func (a *starting) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	tick := time.NewTicker(readyEvery)
	defer tick.Stop()
	first := ""
	for {
		text, err := readiness(ctx, t.server.Console)
		if ctx.Err() == nil && err != nil {
			return err
		}
		if first == "" {
			first = text
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.remark("readyz said at first: %s", first)
			return nil
		}
	}
}

// readiness returns the beginning of the text of /readyz in one line.
func readiness(ctx context.Context, base string) (string, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", http.NoBody)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }() // only the beginning is needed
	text, err := io.ReadAll(io.LimitReader(res.Body, readyLength))
	if res.StatusCode != http.StatusOK {
		err = errors.Join(err, fmt.Errorf("readyz: %s: %s", res.Status, text))
	}
	return strings.Join(strings.Fields(string(text)), " "), err
}
