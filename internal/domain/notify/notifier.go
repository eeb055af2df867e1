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

// livePublisher are the open ones of each tenant.
type livePublisher interface {
	Watched(t tenant.ID) bool
	Publish(t tenant.ID, name string, data []byte)
}

// Notifier is where news of alarm notices is handed in. Whoever writes a notice
// calls it in the same transaction, so that there is either all of it or
// nothing: the notice, the message in the console, and what is to be sent.
type Notifier struct {
	db       *db.DB
	messages *MessageStore
	outbox   *Outbox
	live     livePublisher
}

// NewNotifier makes a desk before a message store and an outbox.
func NewNotifier(d *db.DB, m *MessageStore, o *Outbox, s livePublisher) *Notifier {
	return &Notifier{db: d, messages: m, outbox: o, live: s}
}

// NoticeOpened tells of a tenant's notice that began, as the rule wishes. Told again
// of the same notice, nothing changes.
func (n *Notifier) NoticeOpened(
	ctx context.Context,
	t tenant.ID,
	a *alertmsg.Alarm,
	w *alertmsg.DeliveryOptions,
) error {
	return n.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := n.addMessage(ctx, t, a); err != nil {
			return err
		}
		if err := n.outbox.enqueueOpened(ctx, t, a, w); err != nil {
			return err
		}
		return n.outbox.enqueueWebhooks(ctx, t, a)
	})
}

// NoticeClosed tells of a tenant's notice that ended. Where told is false, somebody
// changed, stopped or deleted its rule: then there is no message, nobody but
// programs is sent anything, and who waits to be told that it began is not told
// any more.
// Told again of the same notice, nothing changes.
func (n *Notifier) NoticeClosed(ctx context.Context, t tenant.ID, a *alertmsg.Alarm, announce bool) error {
	return n.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := n.announceClosed(ctx, t, a, announce); err != nil {
			return err
		}
		return n.outbox.enqueueWebhooks(ctx, t, a)
	})
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

// NoticeAcknowledged tells that somebody is on a tenant's notice, or, by the event, that that
// was taken back: programs are told, people by whether and when they are reminded.
func (n *Notifier) NoticeAcknowledged(ctx context.Context, t tenant.ID, a *alertmsg.Alarm) error {
	return n.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		remind := n.outbox.postponeReminders
		if a.Event == alertmsg.Unacknowledged {
			remind = n.outbox.resumeReminders
		}
		if err := remind(ctx, t, a); err != nil {
			return err
		}
		return n.outbox.enqueueWebhooks(ctx, t, a)
	})
}

// addMessage keeps the message in the console, and tells the open screens of it
// once it is kept.
func (n *Notifier) addMessage(ctx context.Context, t tenant.ID, a *alertmsg.Alarm) error {
	now := n.outbox.Now().UnixMilli()
	id, err := n.messages.Add(ctx, t, a, now)
	if err != nil {
		return fmt.Errorf("notify: message of notice %d: %w", a.Notice, err)
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
