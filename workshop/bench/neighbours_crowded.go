package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	crowdRules   = 100 // rules of a device, each with an open notice
	crowdTitle   = "crowded"
	crowdClients = 4 // each calls as fast as it is answered
	crowdPage    = 10
)

// TenantFill is what a tenant of a folder is filled with.
type TenantFill struct {
	Tenant  string
	Rule    int64    // of Devices[0]; every device gets Each copies of it, with an open notice each
	Devices []string // names
	Each    int
	Unread  int // new messages
	Old     int // messages past their retention
}

// crowded is a tenant with very many open notices, unread messages and old messages. It reads its
// lists and counts all the time, while the server removes the old messages.
type crowded struct {
	size          NeighbourSize
	tenant        Tenant
	person, guest *console

	answered, refused atomic.Int64
}

const crowdGuest = "second"

func newCrowded(s NeighbourSize) *crowded {
	w := attackerTenant("crowd", s.OpenNotices/crowdRules)
	w.Guests = []string{crowdGuest}
	return &crowded{size: s, tenant: w}
}

func (a *crowded) tenants() []Tenant { return []Tenant{a.tenant} }

// prepare measures the victim without an attack, and fills the folder; the server removes the old
// messages from its start on.
func (a *crowded) prepare(ctx context.Context, t *neighbourRun, r *NeighbourRow) (err error) {
	if a.person, err = t.signIn(ctx, a.tenant); err != nil {
		return err
	}
	second := a.tenant
	second.User = crowdGuest
	if a.guest, err = t.signIn(ctx, second); err != nil {
		return err
	}
	id, err := a.person.makeRule(ctx, map[string]any{
		"alarmName":   crowdTitle,
		"executionId": a.tenant.Devices[0].Name,
		"hitCounts":   1,
		"durations":   time.Minute.Milliseconds(),
		"conditions": []map[string]any{
			{"andor": "and", "tslAttribute": a.tenant.Properties[0], "subconditions": ">", "value": swingLimit},
		},
	})
	if err != nil {
		return err
	}
	quiet, err := t.victim.measure(ctx, t.server.Target, a.size.Brief, a.size.Patience)
	if err != nil {
		return err
	}
	r.Before, r.Limits.Slack = quiet.page, a.size.Slack
	began := time.Now()
	err = t.whileStopped(ctx, func() error {
		return t.options.FillTenant(ctx, t.server.Dir, TenantFill{
			Tenant:  a.tenant.Name,
			Rule:    id,
			Devices: a.tenant.DeviceNames(),
			Each:    crowdRules,
			Unread:  a.size.Unread,
			Old:     a.size.OldMessages,
		})
	})
	r.remark(
		"%s open notices, %s unread and %s old messages, written in %s",
		thousands(float64(a.size.OpenNotices)),
		thousands(float64(a.size.Unread)),
		thousands(float64(a.size.OldMessages)),
		short(time.Since(began)),
	)
	r.remark("page p95 before %s, so that it may be %s", short(r.Before.P95), short(r.pageLimit(r)))
	return err
}

// calls returns the calls that the tenant makes, one after the other.
func (a *crowded) calls() []string {
	const notices, messages = "/admin-api/client/pc/alarm-notice/page?", "/admin-api/client/pc/notify-message/my-page?"
	page := func(of string, number int, more ...string) string {
		q := url.Values{"pageNo": {strconv.Itoa(number)}, "pageSize": {strconv.Itoa(crowdPage)}}
		for i := 0; i < len(more); i += 2 {
			q.Set(more[i], more[i+1])
		}
		return of + q.Encode()
	}
	return []string{
		page(notices, 1),
		page(notices, a.size.OpenNotices/crowdPage),
		page(notices, 1, "resolveStatus", "0"),
		page(notices, 1, "title", "rowd"),
		page(notices, 1, "alarmLevel", "1", "startTime", "0", "endTime", strconv.FormatInt(time.Now().UnixMilli(), 10)),
		page(notices, 1, "deviceNameStr", strings.Join(a.tenant.DeviceNames()[:min(len(a.tenant.Devices), 20)], ",")),
		page(messages, 1),
		page(messages, a.size.Unread/crowdPage),
		page(messages, 1, "readStatus", "false"),
		page(messages, 1, "readStatus", "true"),
		"/admin-api/client/pc/notify-message/get-unread-count",
		"/admin-api/client/pc/home/overview-statistics",
		"/admin-api/client/pc/device/page?pageNo=1&pageSize=20",
	}
}

func (a *crowded) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	var all sync.WaitGroup
	for i := range crowdClients {
		all.Go(func() {
			calls := a.calls()
			for n := i * len(calls) / crowdClients; ctx.Err() == nil; n++ {
				a.ask(ctx, a.person, http.MethodGet, calls[n%len(calls)])
				if i == 0 && n%len(calls) == 0 {
					a.ask(ctx, a.guest, http.MethodPut, "/admin-api/client/pc/notify-message/update-all-read")
				}
			}
		})
	}
	all.Wait()
	r.remark("%d calls answered, %d asked to come later", a.answered.Load(), a.refused.Load())
	if a.answered.Load() == 0 {
		return errors.New("no call was answered")
	}
	removed, err := a.removed(context.WithoutCancel(ctx), t)
	r.remark("%s old messages were removed meanwhile", thousands(float64(removed)))
	return err
}

// ask makes a call, and pauses if the server refuses it.
func (a *crowded) ask(ctx context.Context, c *console, method, path string) {
	var data any
	err := c.call(ctx, method, path, nil, &data)
	switch {
	case ctx.Err() != nil:
	case err == nil:
		a.answered.Add(1)
	default:
		a.refused.Add(1)
		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
		}
	}
}

// removed returns how many messages the server has removed since its start.
func (a *crowded) removed(ctx context.Context, t *neighbourRun) (int, error) {
	figures, err := t.server.metrics(ctx)
	return int(figures["tilth_messages_removed_total"]), err
}

// compare waits until the old messages are removed, and checks that nothing else is.
func (a *crowded) compare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	began := time.Now()
	for {
		removed, err := a.removed(ctx, t)
		if err != nil {
			return err
		}
		if removed == a.size.OldMessages {
			break
		}
		if removed > a.size.OldMessages || time.Since(began) > t.options.Size.Patience {
			return fmt.Errorf("%d messages were removed, want %d", removed, a.size.OldMessages)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(listPollInterval): // another process: there is no event to wait for
		}
	}
	r.remark("the last %s later", short(time.Since(began)))
	page, err := (&noticeList{person: a.person}).page(ctx, 1, 1)
	if err != nil {
		return err
	}
	var messages struct{ Total int }
	const path = "/admin-api/client/pc/notify-message/my-page?pageNo=1&pageSize=1"
	if err := a.person.call(ctx, http.MethodGet, path, nil, &messages); err != nil {
		return err
	}
	if messages.Total != a.size.Unread {
		return fmt.Errorf("%d messages are left, want %d", messages.Total, a.size.Unread)
	}
	r.Notices += a.size.OpenNotices
	if page.Total != a.size.OpenNotices {
		r.Differing += max(page.Total-a.size.OpenNotices, a.size.OpenNotices-page.Total)
		r.Different = fmt.Sprintf("%d notices of the crowd are open", page.Total)
	}
	return nil
}
