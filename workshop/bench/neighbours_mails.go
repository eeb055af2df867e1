package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	mailDelay      = 50 * time.Millisecond // how long the mail server takes for each mail
	mailsEach      = 30                    // mails of a device: one of each level to each of mailRecipients addresses
	mailRecipients = 10
	parallelPosts  = 8  // messages that are sent at the same time
	mailHigh       = 90 // a value above the limit
	mailLimit      = 50 // of all rules
)

// mailLevels are the rules of both tenants: each on a property of its own.
var mailLevels = []struct {
	title string
	level int
}{{"serious", 2}, {"important", 1}, {"general", 0}}

// Mails is how long mails of one tenant took while another tenant's mails waited.
type Mails struct{ Serious, Important Delay }

// mailStorm is a tenant whose devices all open alarms at once, which leads to thousands of mails to
// a mail server that takes long for each. Meanwhile serious and important notices of another
// tenant, the quiet one, open now and then.
type mailStorm struct {
	size                     NeighbourSize
	stormTenant, quietTenant Tenant
	stormPerson, quietPerson *console
	mailServer               *MailServer

	stormFrames [][]frame // by device of the storm
	sent        []frame   // of the quiet tenant's device
	sentAt      []time.Time
}

func newMailStorm(s NeighbourSize) *mailStorm {
	return &mailStorm{
		size:        s,
		stormTenant: attackerTenant("storm", s.StormDevices),
		quietTenant: attackerTenant("calm", 1),
		stormFrames: make([][]frame, s.StormDevices),
	}
}

func (a *mailStorm) tenants() []Tenant { return []Tenant{a.stormTenant, a.quietTenant} }

// setUp starts the mail server. The server makes no digests, so that every notice has mails of its
// own.
func (a *mailStorm) setUp(ctx context.Context, o *ServerOptions) (err error) {
	if a.mailServer, err = startMailServer(ctx, mailDelay); err != nil {
		return err
	}
	o.Args = append(o.Args, "--smtp-url", a.mailServer.URL(), "--digest-after", "0")
	return nil
}

func (a *mailStorm) tearDown() error {
	if a.mailServer == nil {
		return nil
	}
	return a.mailServer.Close()
}

// rules makes a rule of each of the first levels for a tenant's first device, and returns their
// ids; the rules do not run yet.
func (a *mailStorm) rules(ctx context.Context, c *console, w Tenant, addresses, levels int) (ids []int64, err error) {
	to := make([]string, addresses)
	for i := range to {
		to[i] = fmt.Sprintf("person%02d@%s.example.org", i+1, w.Name)
	}
	channel, err := c.makeChannel(ctx, w.Name, to)
	if err != nil {
		return nil, err
	}
	for p, one := range mailLevels[:levels] {
		id, err := c.makeRule(ctx, map[string]any{
			"alarmName":   one.title,
			"alarmLevel":  one.level,
			"executionId": w.Devices[0].Name,
			"hitCounts":   1,
			"durations":   time.Minute.Milliseconds(),
			"conditions": []map[string]any{
				{"andor": "and", "tslAttribute": w.Properties[p], "subconditions": ">", "value": mailLimit},
			},
			"passageway": []int64{channel},
		})
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (a *mailStorm) prepare(ctx context.Context, t *neighbourRun, _ *NeighbourRow) (err error) {
	if a.stormPerson, err = t.signIn(ctx, a.stormTenant); err != nil {
		return err
	}
	if a.quietPerson, err = t.signIn(ctx, a.quietTenant); err != nil {
		return err
	}
	ids, err := a.rules(ctx, a.stormPerson, a.stormTenant, mailRecipients, len(mailLevels))
	if err != nil {
		return err
	}
	var copies []RuleCopies
	for _, id := range ids {
		copies = append(
			copies,
			RuleCopies{
				Tenant:  a.stormTenant.Name,
				Rule:    id,
				Devices: a.stormTenant.DeviceNames(),
				Each:    1,
				Since:   time.Now().Add(-time.Hour),
			},
		)
	}
	if err := t.copyRules(ctx, copies); err != nil {
		return err
	}
	if ids, err = a.rules(ctx, a.quietPerson, a.quietTenant, 1, 2); err != nil {
		return err
	}
	return a.quietPerson.runRules(ctx, ids)
}

func (a *mailStorm) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	var all errgroup.Group
	all.Go(func() error { return a.triggerStorm(ctx, t) })
	all.Go(func() error { return a.triggerQuiet(ctx, t) })
	if err := all.Wait(); err != nil {
		return err
	}
	<-ctx.Done()
	sent := a.arrived(a.stormTenant.Name)
	wanted := mailsEach * len(a.stormTenant.Devices)
	r.remark(
		"%s mails, a server that takes %s for each, %s had left",
		thousands(float64(wanted)),
		mailDelay,
		thousands(float64(sent)),
	)
	if sent == 0 || sent >= wanted {
		return errors.New("no mails waited during the attack, so that it was no attack")
	}
	return nil
}

// triggerStorm makes the values of all devices of the storm pass their thresholds.
func (a *mailStorm) triggerStorm(ctx context.Context, t *neighbourRun) error {
	var posts errgroup.Group
	posts.SetLimit(parallelPosts)
	for i, d := range a.stormTenant.Devices {
		posts.Go(func() error {
			f := allValues(time.Now().UnixMilli(), mailHigh)
			a.stormFrames[i] = []frame{f}
			payload := payloadOf(a.stormTenant.Properties, a.stormFrames[i])
			return deliver(context.WithoutCancel(ctx), t.server.Console, d, payload)
		})
	}
	return posts.Wait()
}

// mailEvents is how many notices of each level the quiet tenant has.
const mailEvents = 6

// triggerQuiet opens and closes the quiet tenant's notices.
func (a *mailStorm) triggerQuiet(ctx context.Context, t *neighbourRun) error {
	tick := time.NewTicker(a.size.Brief / (2*mailEvents + 1))
	defer tick.Stop()
	for n := range 2 * mailEvents {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("the notices took longer than the attack")
		}
		now := time.Now()
		f := allValues(now.UnixMilli(), float64((1-n%2)*mailHigh))
		payload := payloadOf(a.quietTenant.Properties, []frame{f})
		if err := deliver(ctx, t.server.Console, a.quietTenant.Devices[0], payload); err != nil {
			return err
		}
		a.sent, a.sentAt = append(a.sent, f), append(a.sentAt, now)
	}
	return nil
}

// arrived returns how many mails of a tenant have arrived.
func (a *mailStorm) arrived(tenant string) (n int) {
	for _, one := range a.mailServer.received() {
		if one.toTenant(tenant) {
			n++
		}
	}
	return n
}

func (a *mailStorm) compare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	if err := a.measureMails(ctx, t, r); err != nil {
		return err
	}
	quietDevice := a.quietTenant.Devices[0].Name
	if err := r.readBack(ctx, a.quietPerson, quietDevice, a.quietTenant.Properties, a.sent); err != nil {
		return err
	}
	quietNotices := a.expectedNotices(quietDevice, a.sent, 2)
	if err := r.compareNotices(ctx, a.quietPerson, quietNotices, t.options.Size.Patience); err != nil {
		return err
	}
	var want []expectedNotice
	for i, d := range a.stormTenant.Devices {
		if err := r.readBack(ctx, a.stormPerson, d.Name, a.stormTenant.Properties, a.stormFrames[i]); err != nil {
			return err
		}
		want = append(want, a.expectedNotices(d.Name, a.stormFrames[i], len(mailLevels))...)
	}
	return r.compareNotices(ctx, a.stormPerson, want, t.options.Size.Patience)
}

// expectedNotices returns the notices that the rules of a device must have opened.
func (a *mailStorm) expectedNotices(device string, sent []frame, levels int) (want []expectedNotice) {
	for p, one := range mailLevels[:levels] {
		rule := referenceRule{
			title: one.title, device: device, hits: 1, window: time.Minute.Milliseconds(),
			conditions: []referenceCondition{{property: p, above: true, limit: mailLimit}},
		}
		want = append(want, rule.expectedNotices(sent)...)
	}
	return want
}

// measureMails measures the time from a reading to the mail about its notice, for the quiet
// tenant's notices, and waits for late mails.
func (a *mailStorm) measureMails(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	until := time.Now().Add(t.options.Size.Patience)
	began := map[int64]time.Time{}
	for i, f := range a.sent {
		began[f.time] = a.sentAt[i]
	}
	for {
		all, err := (&noticeList{person: a.quietPerson}).all(ctx)
		if err != nil {
			return err
		}
		m := mailsOf(all, a.mailServer.received(), a.quietTenant.Name, began)
		complete := m.Serious.Missing+m.Important.Missing == 0 &&
			m.Serious.Count == mailEvents && m.Important.Count == mailEvents
		if complete || time.Now().After(until) {
			r.Mails = m
			r.remark(
				"of %d mails each the longest took %s of the serious, %s of the important ones",
				mailEvents,
				short(m.Serious.Max),
				short(m.Important.Max),
			)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(listPollInterval): // another process: there is no event to wait for
		}
	}
}

// mailsOf returns how long the mails about a tenant's notices took from the readings that opened
// them; began is when these readings were sent, by their own time.
func mailsOf(all *noticePage, arrived []receivedMail, tenant string, began map[int64]time.Time) *Mails {
	first := map[int64]time.Time{} // time of the first mail about an opened notice
	for _, one := range arrived {
		if _, before := first[one.notice]; one.toTenant(tenant) && !one.ended && !before {
			first[one.notice] = one.at
		}
	}
	var m Mails
	for i := range all.List {
		n := &all.List[i]
		d := &m.Serious
		if n.Title != mailLevels[0].title {
			d = &m.Important
		}
		at, there := first[n.ID]
		if !there {
			d.Missing++
			continue
		}
		d.Count++
		d.Max = max(d.Max, at.Sub(began[n.StartTime]))
	}
	return &m
}

// makeChannel makes a channel that notifies addresses, and returns its id.
func (c *console) makeChannel(ctx context.Context, name string, addresses []string) (id int64, err error) {
	body, err := channelForm(0, name, addresses)
	if err != nil {
		return 0, err
	}
	if err := c.call(ctx, http.MethodPost, "/admin-api/client/pc/notice-channel/create", body, &id); err != nil {
		return 0, fmt.Errorf("make a channel: %w", err)
	}
	return id, nil
}

// changeChannel changes a channel's name or addresses.
func (c *console) changeChannel(ctx context.Context, id int64, name string, addresses []string) error {
	body, err := channelForm(id, name, addresses)
	if err != nil {
		return err
	}
	var done bool
	return c.call(ctx, http.MethodPut, "/admin-api/client/pc/notice-channel/update", body, &done)
}

func channelForm(id int64, name string, addresses []string) ([]byte, error) {
	form := map[string]any{
		"noticeName": name,
		"noticeMode": []string{"email"},
		"email":      map[string]any{"emails": addresses},
	}
	if id > 0 {
		form["id"] = id
	}
	return json.Marshal(form)
}
