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
	mailTakes = 50 * time.Millisecond // the mail server, for each
	mailsEach = 30                    // that a device leads to: of each level to mailsTo addresses
	mailsTo   = 10
	mailPosts = 8 // messages handed in at once
	mailFirst = 90
	mailLimit = 50 // of all values
)

// mailLevels are the rules of both tenants, by title: each on a property of its own.
var mailLevels = []struct {
	title string
	level int
}{{"serious", 2}, {"important", 1}, {"general", 0}}

// Mails is how a tenant was told by mail while another's waited.
type Mails struct{ Serious, Important Delay }

// mailStorm is a tenant whose devices all turn at once, with thousands of mails, at a
// mail server that takes its time for each. Beside it a tenant of its own is told of a
// serious notice and of an important one now and then.
type mailStorm struct {
	size          NeighbourSize
	storm, family World
	stormy, calm  *console
	post          *PostOffice

	turned [][]frame // of the storm's devices
	sent   []frame   // of the family's
	when   []time.Time
}

func newMailStorm(s NeighbourSize) *mailStorm {
	return &mailStorm{size: s, storm: attackers("storm", s.Told), family: attackers("family", 1), turned: make([][]frame, s.Told)}
}

func (a *mailStorm) worlds() []World { return []World{a.storm, a.family} }

// arrange opens the mail server. Every notice has mails of its own, as no digest holds
// any back.
func (a *mailStorm) arrange(ctx context.Context, o *Own) (err error) {
	if a.post, err = openPostOffice(ctx, mailTakes); err != nil {
		return err
	}
	o.Args = append(o.Args, "--smtp-url", a.post.URL(), "--digest-after", "0")
	return nil
}

func (a *mailStorm) clear() error {
	if a.post == nil {
		return nil
	}
	return a.post.Close()
}

// rules makes a rule of each of some levels for a world's first device, and answers
// their ids; they do not run.
func (a *mailStorm) rules(ctx context.Context, c *console, w World, addresses, levels int) (ids []int64, err error) {
	to := make([]string, addresses)
	for i := range to {
		to[i] = fmt.Sprintf("person%02d@%s.example.org", i+1, w.Tenant)
	}
	channel, err := c.makeChannel(ctx, w.Tenant, to)
	if err != nil {
		return nil, err
	}
	for p, one := range mailLevels[:levels] {
		id, err := c.makeRule(ctx, map[string]any{
			"alarmName": one.title, "alarmLevel": one.level, "executionId": w.Devices[0].Name, "hitCounts": 1, "durations": time.Minute.Milliseconds(),
			"conditions": []map[string]any{{"andor": "and", "tslAttribute": w.Properties[p], "subconditions": ">", "value": mailLimit}},
			"passageway": []int64{channel},
		})
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (a *mailStorm) prepare(ctx context.Context, t *town, _ *NeighbourRow) (err error) {
	if a.stormy, err = t.signIn(ctx, a.storm); err != nil {
		return err
	}
	if a.calm, err = t.signIn(ctx, a.family); err != nil {
		return err
	}
	ids, err := a.rules(ctx, a.stormy, a.storm, mailsTo, len(mailLevels))
	if err != nil {
		return err
	}
	var gifts []RuleGift
	for _, id := range ids {
		gifts = append(gifts, RuleGift{Tenant: a.storm.Tenant, Rule: id, Devices: a.storm.Names(), Each: 1, Since: time.Now().Add(-time.Hour)})
	}
	if err := t.give(ctx, gifts); err != nil {
		return err
	}
	if ids, err = a.rules(ctx, a.calm, a.family, 1, 2); err != nil {
		return err
	}
	return a.calm.runRules(ctx, ids)
}

func (a *mailStorm) press(ctx context.Context, t *town, r *NeighbourRow) error {
	var all errgroup.Group
	all.Go(func() error { return a.turn(ctx, t) })
	all.Go(func() error { return a.happen(ctx, t) })
	if err := all.Wait(); err != nil {
		return err
	}
	<-ctx.Done()
	left := a.arrived(a.storm.Tenant)
	wanted := mailsEach * len(a.storm.Devices)
	r.remark("%s mails, a server that takes %s for each, %s had left", thousands(float64(wanted)), mailTakes, thousands(float64(left)))
	if left == 0 || left >= wanted {
		return errors.New("no mails waited while the attack went on: it was none")
	}
	return nil
}

// turn lets all devices of the storm pass their thresholds.
func (a *mailStorm) turn(ctx context.Context, t *town) error {
	var posts errgroup.Group
	posts.SetLimit(mailPosts)
	for i, d := range a.storm.Devices {
		posts.Go(func() error {
			f := all(time.Now().UnixMilli(), mailFirst)
			a.turned[i] = []frame{f}
			return deliver(context.WithoutCancel(ctx), t.server.Console, d, payloadOf(a.storm.Properties, a.turned[i]))
		})
	}
	return posts.Wait()
}

// mailEvents is how many notices of each level the family is told of.
const mailEvents = 6

// happen lets the family's notices begin and end.
func (a *mailStorm) happen(ctx context.Context, t *town) error {
	turn := time.NewTicker(a.size.Brief / (2*mailEvents + 1))
	defer turn.Stop()
	for n := range 2 * mailEvents {
		select {
		case <-turn.C:
		case <-ctx.Done():
			return errors.New("the notices took longer than the attack")
		}
		now := time.Now()
		f := all(now.UnixMilli(), float64((1-n%2)*mailFirst))
		if err := deliver(ctx, t.server.Console, a.family.Devices[0], payloadOf(a.family.Properties, []frame{f})); err != nil {
			return err
		}
		a.sent, a.when = append(a.sent, f), append(a.when, now)
	}
	return nil
}

// arrived is how many mails of a tenant have.
func (a *mailStorm) arrived(tenant string) (n int) {
	for _, one := range a.post.arrived() {
		if one.isOf(tenant) {
			n++
		}
	}
	return n
}

func (a *mailStorm) compare(ctx context.Context, t *town, r *NeighbourRow) error {
	if err := a.told(ctx, t, r); err != nil {
		return err
	}
	if err := r.readBack(ctx, a.calm, a.family.Devices[0].Name, a.family.Properties, a.sent); err != nil {
		return err
	}
	if err := r.noticed(ctx, a.calm, a.spells(a.family.Devices[0].Name, a.sent, 2), t.options.Size.Patience); err != nil {
		return err
	}
	var want []spell
	for i, d := range a.storm.Devices {
		if err := r.readBack(ctx, a.stormy, d.Name, a.storm.Properties, a.turned[i]); err != nil {
			return err
		}
		want = append(want, a.spells(d.Name, a.turned[i], len(mailLevels))...)
	}
	return r.noticed(ctx, a.stormy, want, t.options.Size.Patience)
}

// spells are the notices that the rules of a device must have begun.
func (a *mailStorm) spells(device string, sent []frame, levels int) (want []spell) {
	for p, one := range mailLevels[:levels] {
		rule := watchRule{
			title: one.title, device: device, hits: 1, window: time.Minute.Milliseconds(),
			conditions: []watchCondition{{property: p, above: true, limit: mailLimit}},
		}
		want = append(want, rule.spells(sent)...)
	}
	return want
}

// told measures how long after its reading each of the family's notices was told, and
// waits for mails that are late.
func (a *mailStorm) told(ctx context.Context, t *town, r *NeighbourRow) error {
	until := time.Now().Add(t.options.Size.Patience)
	began := map[int64]time.Time{}
	for i, f := range a.sent {
		began[f.time] = a.when[i]
	}
	for {
		all, err := (&list{person: a.calm}).all(ctx)
		if err != nil {
			return err
		}
		m := mailsOf(all, a.post.arrived(), a.family.Tenant, began)
		if waits := m.Serious.Missing + m.Important.Missing; waits == 0 && m.Serious.Count == mailEvents && m.Important.Count == mailEvents || time.Now().After(until) {
			r.Mails = m
			r.remark("of %d mails each the longest took %s of the serious, %s of the important ones", mailEvents, short(m.Serious.Max), short(m.Important.Max))
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery): // another process: there is no event to wait for
		}
	}
}

// mailsOf is how long the mails of a tenant's notices took, from the readings that
// began these; began is when those were sent, by their own time.
func mailsOf(all *listed, arrived []posted, tenant string, began map[int64]time.Time) *Mails {
	first := map[int64]time.Time{} // mail of a notice that began
	for _, one := range arrived {
		if _, before := first[one.notice]; one.isOf(tenant) && !one.ended && !before {
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

// makeChannel makes a channel that tells addresses, and answers its id.
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

// changeChannel gives it another name, or other addresses.
func (c *console) changeChannel(ctx context.Context, id int64, name string, addresses []string) error {
	body, err := channelForm(id, name, addresses)
	if err != nil {
		return err
	}
	var done bool
	return c.call(ctx, http.MethodPut, "/admin-api/client/pc/notice-channel/update", body, &done)
}

func channelForm(id int64, name string, addresses []string) ([]byte, error) {
	form := map[string]any{"noticeName": name, "noticeMode": []string{"email"}, "email": map[string]any{"emails": addresses}}
	if id > 0 {
		form["id"] = id
	}
	return json.Marshal(form)
}
