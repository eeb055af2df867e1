package console

import (
	"context"
	"slices"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
)

// noticeDeliveries answers the deliveries of a notice of the caller's tenant, with the names of the recipients whom the
// tenant knows.
func (s *server) noticeDeliveries(ctx context.Context, notice int64) ([]wire.Delivery, error) {
	t := caller(ctx).Tenant
	deliveries, err := s.Outbox.Deliveries(ctx, t, notice)
	if err != nil {
		return nil, err
	}
	var contacts []string
	for i := range deliveries {
		d := &deliveries[i]
		if (d.Kind == notify.KindEmail || d.Kind == notify.KindSMS) && !slices.Contains(contacts, d.Recipient) {
			contacts = append(contacts, d.Recipient)
		}
	}
	users, err := s.Users.WithContacts(ctx, t, contacts)
	if err != nil {
		return nil, err
	}
	list := wireDeliveries(deliveries)
	for i := range list {
		list[i].People = recipientNames(&deliveries[i], users)
		if !caller(ctx).Role.Allows(identity.Operator) {
			maskDelivery(&list[i])
		}
	}
	return list, nil
}

// recipientNames names the users who have the address or number that a delivery goes to; nil if nobody has it.
func recipientNames(d *notify.Delivery, users []*identity.User) *[]string {
	var names []string
	for _, u := range users {
		if d.Kind == notify.KindEmail && text.FoldASCII(u.Email) == text.FoldASCII(d.Recipient) ||
			d.Kind == notify.KindSMS && u.Mobile == d.Recipient {
			names = append(names, u.Name())
		}
	}
	if names == nil {
		return nil
	}
	return &names
}

// wireDeliveries writes the deliveries of a notice as the wire has them.
func wireDeliveries(deliveries []notify.Delivery) []wire.Delivery {
	list := make([]wire.Delivery, len(deliveries))
	for i := range deliveries {
		d := &deliveries[i]
		list[i] = wire.Delivery{
			Id:         d.ID,
			Channel:    d.Channel,
			Recipient:  d.Recipient,
			Mode:       string(d.Kind),
			Event:      wire.DeliveryEvent(d.Event),
			State:      wire.DeliveryState(d.State),
			Reason:     omitEmpty(string(d.Reason)),
			Attempts:   d.Attempts,
			LastError:  omitEmpty(d.LastError),
			NextTime:   omitZero(d.NextTime),
			CreateTime: d.CreateTime,
			UpdateTime: d.UpdateTime,
			Steps:      make([]wire.DeliveryStep, len(d.Steps)),
		}
		if d.Reason == notify.UnknownRecipient || d.Reason == notify.BlockedByRecipient {
			// Programs know the reason refused, and not every cause.
			list[i].Reason, list[i].Cause = new(string(notify.Rejected)), new(string(d.Reason))
		}
		if d.Reason == notify.OnlyLogged {
			// Sent for the outbox, but nothing left this server.
			list[i].State = wire.Skipped
		}
		if d.Digest {
			list[i].Digest = &d.Digest
		}
		for j, s := range d.Steps {
			list[i].Steps[j] = wire.DeliveryStep{Time: s.Time, Step: s.Step, Answer: omitEmpty(s.Answer)}
		}
	}
	return list
}
