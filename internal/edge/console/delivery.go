package console

import (
	"tilth/internal/domain/notify"
	"tilth/internal/edge/console/wire"
)

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
		if d.Digest {
			list[i].Digest = &d.Digest
		}
		for j, s := range d.Steps {
			list[i].Steps[j] = wire.DeliveryStep{Time: s.Time, Step: s.Step, Answer: omitEmpty(s.Answer)}
		}
	}
	return list
}
