package notify

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/db"
)

// livePublisher sends events to the open screens of a tenant.
type livePublisher interface {
	Watched(t tenant.ID) bool
	Publish(t tenant.ID, name string, data []byte)
}

// Notifier announces alarm notices. The writer of a notice calls it in the same transaction, so
// that the notice, its message in the console and its queued deliveries are stored together or
// not at all.
type Notifier struct {
	db       *db.DB
	messages *MessageStore
	outbox   *Outbox
	live     livePublisher
}

// NewNotifier makes a notifier that writes to a message store and an outbox.
func NewNotifier(d *db.DB, m *MessageStore, o *Outbox, s livePublisher) *Notifier {
	return &Notifier{db: d, messages: m, outbox: o, live: s}
}

// NoticeOpened announces that a tenant's notice began, with the rule's delivery options. A second
// call for the same notice changes nothing.
func (n *Notifier) NoticeOpened(
	ctx context.Context,
	t tenant.ID,
	a *alertmsg.Alarm,
	w *alertmsg.DeliveryOptions,
) error {
	err := n.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := n.addMessage(ctx, t, a); err != nil {
			return err
		}
		if err := n.outbox.enqueueOpened(ctx, t, a, w); err != nil {
			return err
		}
		return n.outbox.enqueueWebhooks(ctx, t, a)
	})
	return wrapNotice("open", a, err)
}

// NoticeClosed announces that a tenant's notice ended. announce is false when a user changed,
// stopped or deleted the rule: then NoticeClosed adds no message, notifies only webhooks, and
// cancels the waiting deliveries that say that the notice began. A second call for the same
// notice changes nothing.
func (n *Notifier) NoticeClosed(ctx context.Context, t tenant.ID, a *alertmsg.Alarm, announce bool) error {
	err := n.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := n.announceClosed(ctx, t, a, announce); err != nil {
			return err
		}
		return n.outbox.enqueueWebhooks(ctx, t, a)
	})
	return wrapNotice("close", a, err)
}

func (n *Notifier) announceClosed(ctx context.Context, t tenant.ID, a *alertmsg.Alarm, announce bool) error {
	if !announce {
		return n.outbox.cancelWaiting(ctx, t, a.Notice)
	}
	if err := n.addMessage(ctx, t, a); err != nil {
		return err
	}
	return n.outbox.enqueueClosed(ctx, t, a)
}

// NoticeAcknowledged announces that a user acknowledged a tenant's notice or, depending on the
// event, took the acknowledgement back. It notifies webhooks; for people it changes whether and
// when they are reminded.
func (n *Notifier) NoticeAcknowledged(ctx context.Context, t tenant.ID, a *alertmsg.Alarm) error {
	err := n.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		remind := n.outbox.postponeReminders
		if a.Event == alertmsg.Unacknowledged {
			remind = n.outbox.resumeReminders
		}
		if err := remind(ctx, t, a); err != nil {
			return err
		}
		return n.outbox.enqueueWebhooks(ctx, t, a)
	})
	return wrapNotice("acknowledge", a, err)
}

func wrapNotice(verb string, a *alertmsg.Alarm, err error) error {
	return wrap(fmt.Sprintf("%s notice %d", verb, a.Notice), err)
}

// addMessage stores the message for the console and publishes it to the open screens after the
// commit.
func (n *Notifier) addMessage(ctx context.Context, t tenant.ID, a *alertmsg.Alarm) error {
	now := n.outbox.Now().UnixMilli()
	id, err := n.messages.add(ctx, t, a, now)
	if err != nil {
		return err
	}
	n.db.AfterCommit(ctx, func() {
		if !n.live.Watched(t) {
			return
		}
		body, err := json.Marshal(struct {
			ID         int64          `json:"id"`
			Notice     int64          `json:"noticeId"`
			CreateTime int64          `json:"createTime"`
			Event      alertmsg.Event `json:"event"`
			Level      int            `json:"alarmLevel"`
		}{id, a.Notice, now, a.Event, a.Level})
		if err == nil { // numbers and a string always marshal
			n.live.Publish(t, "message", body)
		}
	})
	return nil
}
