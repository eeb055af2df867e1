package notify

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"tilth/internal/db"
	"tilth/internal/news"
	"tilth/internal/tenant"
)

// screens are the open ones of each tenant.
type screens interface {
	Watched(t tenant.ID) bool
	Publish(t tenant.ID, name string, data []byte)
}

// Desk is where news of alarm notices is handed in. Whoever writes a notice
// calls it in the same transaction, so that there is either all of it or
// nothing: the notice, the message in the console, and what is to be sent.
type Desk struct {
	db       *db.DB
	messages *MessageStore
	outbox   *Outbox
	screens  screens
}

// NewDesk makes a desk before a message store and an outbox.
func NewDesk(d *db.DB, m *MessageStore, o *Outbox, s screens) *Desk {
	return &Desk{db: d, messages: m, outbox: o, screens: s}
}

// Began tells of a tenant's notice that began, as the rule wishes. Told again
// of the same notice, nothing changes.
func (k *Desk) Began(ctx context.Context, t tenant.ID, a *news.Alarm, w *news.DeliveryOptions) error {
	return k.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := k.message(ctx, t, a); err != nil {
			return err
		}
		if err := k.outbox.began(ctx, t, a, w); err != nil {
			return err
		}
		return k.outbox.tellPrograms(ctx, t, a)
	})
}

// Ended tells of a tenant's notice that ended. Where told is false, somebody
// changed, stopped or deleted its rule: then there is no message, nobody but
// programs is sent anything, and who waits to be told that it began is not told
// any more.
// Told again of the same notice, nothing changes.
func (k *Desk) Ended(ctx context.Context, t tenant.ID, a *news.Alarm, told bool) error {
	return k.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := k.tellEnded(ctx, t, a, told); err != nil {
			return err
		}
		return k.outbox.tellPrograms(ctx, t, a)
	})
}

func (k *Desk) tellEnded(ctx context.Context, t tenant.ID, a *news.Alarm, told bool) error {
	if !told {
		return k.outbox.dropped(ctx, t, a.Notice)
	}
	if err := k.message(ctx, t, a); err != nil {
		return err
	}
	return k.outbox.ended(ctx, t, a)
}

// Acknowledged tells that somebody is on a tenant's notice, or, by the event, that that
// was taken back: programs are told, people by whether and when they are reminded.
func (k *Desk) Acknowledged(ctx context.Context, t tenant.ID, a *news.Alarm) error {
	return k.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		remind := k.outbox.acknowledged
		if a.Event == news.Unacknowledged {
			remind = k.outbox.unacknowledged
		}
		if err := remind(ctx, t, a); err != nil {
			return err
		}
		return k.outbox.tellPrograms(ctx, t, a)
	})
}

// message keeps the message in the console, and tells the open screens of it
// once it is kept.
func (k *Desk) message(ctx context.Context, t tenant.ID, a *news.Alarm) error {
	now := k.outbox.Now().UnixMilli()
	id, err := k.messages.Add(ctx, t, a, now)
	if err != nil {
		return fmt.Errorf("notify: message of notice %d: %w", a.Notice, err)
	}
	k.db.AfterCommit(ctx, func() {
		if !k.screens.Watched(t) {
			return
		}
		body, err := json.Marshal(struct {
			ID         int64      `json:"id"`
			Notice     int64      `json:"noticeId"`
			CreateTime int64      `json:"createTime"`
			Event      news.Event `json:"event"`
			Level      int        `json:"alarmLevel"`
		}{id, a.Notice, now, a.Event, a.Level})
		if err == nil { // numbers and a string always marshal
			k.screens.Publish(t, "message", body)
		}
	})
	return nil
}
