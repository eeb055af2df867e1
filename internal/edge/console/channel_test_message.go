package console

import (
	"context"

	"tilth/internal/domain/notify"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// GetNoticeWays answers which ways of sending notifications are configured, and their language for
// channels without one.
func (s *server) GetNoticeWays(
	ctx context.Context,
	_ wire.GetNoticeWaysRequestObject,
) (wire.GetNoticeWaysResponseObject, error) {
	owner, err := s.Tenants.Get(ctx, caller(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	ways := &wire.NoticeWays{
		Language:     string(owner.Language),
		Email:        s.Outbox.Senders[notify.KindEmail] != nil,
		PhoneMessage: s.Outbox.Senders[notify.KindSMS] != nil,
	}
	var others []string
	for _, k := range notify.Kinds() {
		if k.Other && s.Outbox.Senders[k.Name] != nil {
			others = append(others, string(k.Name))
		}
	}
	if others != nil {
		ways.Others = &others
	}
	if s.SMSLogged {
		ways.Logged = &s.SMSLogged
	}
	return wire.GetNoticeWays200JSONResponse{Code: success, Data: ways}, nil
}

// TestNoticeChannel sends a test message through a channel and answers the result for each
// recipient.
func (s *server) TestNoticeChannel(
	ctx context.Context,
	r wire.TestNoticeChannelRequestObject,
) (wire.TestNoticeChannelResponseObject, error) {
	t := caller(ctx).Tenant
	c, err := s.Channels.Get(ctx, t, r.Params.Id)
	if err != nil {
		return nil, err
	}
	owner, err := s.Tenants.Get(ctx, t)
	if err != nil {
		return nil, err
	}
	if wait := s.testSends.Allow(t).Retry; wait > 0 {
		return nil, errs.New(errs.TooMany, "error.429").RetryAfter(wait)
	}
	outcomes, err := s.Outbox.SendTest(ctx, owner, c)
	if err != nil {
		return nil, err
	}
	list := make([]wire.NoticeOutcome, len(outcomes))
	for i, o := range outcomes {
		list[i] = wire.NoticeOutcome{
			Recipient: o.Recipient,
			Mode:      string(o.Kind),
			Ok:        o.Err == nil,
			Took:      max(0, o.Took.Milliseconds()),
			Answer:    omitEmpty(o.Answer),
		}
		if o.Logged {
			list[i].Logged = &o.Logged
		}
		if o.Err != nil {
			list[i].Msg = new(errorText(requestFrom(ctx).Language, o.Err))
		}
	}
	return wire.TestNoticeChannel200JSONResponse{Code: success, Data: &list}, nil
}
