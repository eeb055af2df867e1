package console

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// How many rules that use a channel are named: in the list of channels, and in the refusal to
// delete one.
const (
	maxRulesListed    = 5
	maxRulesInRefusal = 3
)

// PageNoticeChannels answers notification channels, the newest first, page by
// page.
func (s *server) PageNoticeChannels(
	ctx context.Context,
	r wire.PageNoticeChannelsRequestObject,
) (wire.PageNoticeChannelsResponseObject, error) {
	p, paging := r.Params, pageQuery(r.Params.PageNo, r.Params.PageSize)
	q := notify.ChannelQuery{Name: trimmed(deref(p.NoticeName)), Offset: paging.Offset, Limit: paging.Limit}
	if mode := notify.ChannelKind(deref(p.NoticeMode)); mode != "" {
		if notify.FindKind(mode) == nil {
			return nil, errs.New(errs.Refused, "invalid.choice").WithField("noticeMode")
		}
		q.Kind = mode
	}
	channels, total, err := s.Channels.Page(ctx, caller(ctx).Tenant, q)
	if err != nil {
		return nil, err
	}
	list, err := s.wireChannels(ctx, channels)
	if err != nil {
		return nil, err
	}
	return wire.PageNoticeChannels200JSONResponse{
		Code: success,
		Data: &wire.NoticeChannelPage{List: list, Total: int(total)},
	}, nil
}

// GetNoticeChannel answers one notification channel.
func (s *server) GetNoticeChannel(
	ctx context.Context,
	r wire.GetNoticeChannelRequestObject,
) (wire.GetNoticeChannelResponseObject, error) {
	c, err := s.Channels.Get(ctx, caller(ctx).Tenant, r.Params.Id)
	if err != nil {
		return nil, err
	}
	list, err := s.wireChannels(ctx, []notify.Channel{*c})
	if err != nil {
		return nil, err
	}
	return wire.GetNoticeChannel200JSONResponse{Code: success, Data: &list[0]}, nil
}

// wireChannels writes channels as the caller may see them.
func (s *server) wireChannels(ctx context.Context, channels []notify.Channel) ([]wire.NoticeChannel, error) {
	ids := make([]int64, len(channels))
	for i := range channels {
		ids[i] = channels[i].ID
	}
	rules, err := s.Rules.UsageByChannel(ctx, caller(ctx).Tenant, ids, maxRulesListed)
	if err != nil {
		return nil, err
	}
	role := caller(ctx).Role
	list := make([]wire.NoticeChannel, len(channels))
	for i := range channels {
		c := &channels[i]
		list[i] = wire.NoticeChannel{
			Id:         c.ID,
			NoticeName: c.Name,
			NoticeMode: []string{},
			Email: wire.NoticeChannelEmail{
				Emails: shownRecipients(role, notify.KindEmail, c.To[notify.KindEmail]),
			},
			PhoneMessage: shownRecipients(role, notify.KindSMS, c.To[notify.KindSMS]),
			Others:       wireOthers(c, role),
			Language:     omitEmpty(string(c.Language)),
			CreateTime:   c.CreateTime,
			RuleCount:    rules[c.ID].Count,
			RuleNames:    append([]string{}, rules[c.ID].Names...),
		}
		for _, m := range c.Kinds() {
			if !notify.FindKind(m).Other {
				list[i].NoticeMode = append(list[i].NoticeMode, string(m))
			}
		}
	}
	return list, nil
}

// wireOthers writes the recipients of a channel of the kinds that the contract has in others, as a
// role may see them.
func wireOthers(c *notify.Channel, role identity.Role) *[]wire.ChannelRecipients {
	var others []wire.ChannelRecipients
	for _, m := range c.Kinds() {
		if notify.FindKind(m).Other {
			others = append(others, wire.ChannelRecipients{
				Mode: string(m), Recipients: shownRecipients(role, m, c.To[m]),
			})
		}
	}
	if others == nil {
		return nil
	}
	return &others
}

// CreateNoticeChannel makes a notification channel and answers its id.
func (s *server) CreateNoticeChannel(
	ctx context.Context,
	r wire.CreateNoticeChannelRequestObject,
) (wire.CreateNoticeChannelResponseObject, error) {
	t := caller(ctx).Tenant
	c, err := s.newChannel(t, r.Body, nil)
	if err != nil {
		return nil, err
	}
	id := int64(0)
	err = audit.Record(ctx, t, "channel.create", s.snapshotChannel(t, &id), func(ctx context.Context) (err error) {
		id, err = s.Channels.Create(ctx, t, &c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return wire.CreateNoticeChannel200JSONResponse{Code: success, Data: &id}, nil
}

// UpdateNoticeChannel changes a notification channel.
func (s *server) UpdateNoticeChannel(
	ctx context.Context,
	r wire.UpdateNoticeChannelRequestObject,
) (wire.UpdateNoticeChannelResponseObject, error) {
	t, b := caller(ctx).Tenant, r.Body
	// The channel is looked up before the form is checked: another tenant's channel must look
	// missing.
	before, err := s.Channels.Get(ctx, t, b.Id)
	if err != nil {
		return nil, err
	}
	c, err := s.newChannel(t, &wire.NoticeChannelCreate{
		NoticeName:   b.NoticeName,
		NoticeMode:   b.NoticeMode,
		Email:        b.Email,
		PhoneMessage: b.PhoneMessage,
		Others:       b.Others,
		Language:     b.Language,
	}, before)
	if err != nil {
		return nil, err
	}
	c.ID = b.Id
	err = audit.Record(
		ctx,
		t,
		"channel.update",
		s.snapshotChannel(t, &c.ID),
		func(ctx context.Context) error { return s.Channels.Update(ctx, t, &c) },
	)
	if err != nil {
		return nil, err
	}
	return wire.UpdateNoticeChannel200JSONResponse{Code: success, Data: new(true)}, nil
}

// newChannel makes a channel from what a call sends; before is the channel that it replaces, nil: a
// new one. A channel begins to use a kind of others only if that is set up. A call without others
// comes from a program that may not know them: it keeps those of before.
func (s *server) newChannel(
	t tenant.ID,
	b *wire.NoticeChannelCreate,
	before *notify.Channel,
) (c notify.Channel, err error) {
	f := &notify.ChannelForm{Name: b.NoticeName, Language: b.Language, To: notify.Recipients{}}
	if b.NoticeMode != nil {
		for _, mode := range *b.NoticeMode {
			if k := notify.FindKind(notify.ChannelKind(mode)); k == nil || k.Other {
				mode = "" // no choice of noticeMode
			}
			f.Kinds = append(f.Kinds, mode)
		}
	}
	if b.Email != nil && b.Email.Emails != nil {
		f.To[notify.KindEmail] = *b.Email.Emails
	}
	if b.PhoneMessage != nil {
		f.To[notify.KindSMS] = *b.PhoneMessage
	}
	var others []wire.ChannelRecipients
	switch {
	case b.Others != nil:
		others = *b.Others
	case before != nil:
		others = deref(wireOthers(before, identity.Operator))
	}
	for _, one := range others {
		mode := notify.ChannelKind(one.Mode)
		k := notify.FindKind(mode)
		if k == nil || !k.Other || slices.Contains(f.Kinds, one.Mode) {
			return c, errs.New(errs.Refused, "invalid.choice").WithField("others")
		}
		if s.Outbox.Senders[mode] == nil && (before == nil || len(before.To[mode]) == 0) {
			return c, k.NotSetUp()
		}
		f.Kinds, f.To[mode] = append(f.Kinds, one.Mode), one.Recipients
	}
	return f.Channel(t)
}

// DeleteNoticeChannel removes a notification channel that no rule uses.
func (s *server) DeleteNoticeChannel(
	ctx context.Context,
	r wire.DeleteNoticeChannelRequestObject,
) (wire.DeleteNoticeChannelResponseObject, error) {
	if err := s.deleteChannel(ctx, r.Params.Id); err != nil {
		return nil, err
	}
	return wire.DeleteNoticeChannel200JSONResponse{Code: success, Data: new(true)}, nil
}

// deleteChannel relies on the database, which refuses to delete a channel that a rule uses; the
// rules are looked up only to name them.
func (s *server) deleteChannel(ctx context.Context, id int64) error {
	t := caller(ctx).Tenant
	remove := func() error {
		return audit.Record(
			ctx,
			t,
			"channel.delete",
			s.snapshotChannel(t, &id),
			func(ctx context.Context) error { return s.Channels.Delete(ctx, t, id) },
		)
	}
	err := remove()
	if !db.IsReferenced(err) {
		return err
	}
	usage, lookupErr := s.Rules.UsageByChannel(ctx, t, []int64{id}, maxRulesInRefusal)
	switch {
	case lookupErr != nil:
		return lookupErr
	case usage[id].Count == 0: // the last of the rules was removed meanwhile
		return remove()
	}
	return errs.New(
		errs.Refused,
		"channel.inUse",
		"rules",
		ruleNames(requestFrom(ctx).Language, usage[id]),
	).WithCause(err)
}

// ruleNames lists the rules that use a channel for a sentence.
func ruleNames(l text.Language, rules alarm.RuleUsage) string {
	names := make([]string, len(rules.Names))
	for i, name := range rules.Names {
		names[i] = text.Translate(l, "channel.rule", map[string]string{"name": name})
	}
	said := strings.Join(names, text.Translate(l, "channel.comma", nil))
	if more := rules.Count - len(names); more > 0 {
		said = text.Translate(l, "channel.more", map[string]string{"rules": said, "n": strconv.Itoa(more)})
	}
	return said
}
