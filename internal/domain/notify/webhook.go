package notify

import (
	"context"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
	"tilth/internal/platform/vault"
)

const (
	// WebhooksATenant is how many webhooks a tenant may have.
	WebhooksATenant = 20
	// oldSecretFor is how long a secret stays valid after it was rotated.
	oldSecretFor = 24 * time.Hour
)

// Webhook is a tenant's URL that the server calls at once whenever a notice begins or ends.
type Webhook struct {
	ID       int64
	Name     string
	URL      string
	Opened   bool // it is called when a notice begins
	Resolved bool // it is called when a notice ends
	// Acknowledged: it is called when a user acknowledges a notice or takes that back.
	Acknowledged bool
	Level        int // the lowest alarm level that it is called for
	Enabled      bool
	Gone         bool // it answered 410 Gone, which switched it off
	// OldSecretUntil is until when the previous secret is valid too, epoch ms; 0: it is not.
	OldSecretUntil int64
	CreateTime     int64 // epoch ms
}

type webhookRow struct {
	bun.BaseModel  `bun:"table:webhooks,alias:w"`
	ID             int64 `bun:",pk,autoincrement"`
	TenantID       tenant.ID
	Name           string
	FoldedName     string
	URL            string
	OnOpened       bool
	OnResolved     bool
	OnAcknowledged bool
	AlarmLevel     int
	Enabled        bool
	Gone           bool
	Secret         []byte
	OldSecret      []byte
	OldUntil       int64
	CreateTime     int64
	UpdateTime     int64
}

func (r *webhookRow) webhook(now int64) Webhook {
	w := Webhook{
		ID:           r.ID,
		Name:         r.Name,
		URL:          r.URL,
		Opened:       r.OnOpened,
		Resolved:     r.OnResolved,
		Acknowledged: r.OnAcknowledged,
		Level:        r.AlarmLevel,
		Enabled:      r.Enabled,
		Gone:         r.Gone,
		CreateTime:   r.CreateTime,
	}
	if r.OldUntil > now {
		w.OldSecretUntil = r.OldUntil
	}
	return w
}

// subscribesTo tells whether a webhook receives an event of a level. opened tells whether the
// webhook received the notice's opening: then it receives the later events whatever their level.
func (r *webhookRow) subscribesTo(what alertmsg.Event, level int, opened bool) bool {
	follows := opened || level >= r.AlarmLevel
	switch what {
	case alertmsg.Resolved:
		return r.OnResolved && follows
	case alertmsg.Acknowledged, alertmsg.Unacknowledged:
		return r.OnAcknowledged && follows
	default:
		return r.OnOpened && level >= r.AlarmLevel
	}
}

// WebhookStore stores webhooks.
type WebhookStore struct {
	db    *db.DB
	vault vault.Vault
	now   func() time.Time
}

// NewWebhookStore makes a store; key, of 32 bytes, encrypts the secrets; now is the server's clock.
func NewWebhookStore(d *db.DB, key []byte, now func() time.Time) (*WebhookStore, error) {
	v, err := vault.New(key)
	return &WebhookStore{db: d, vault: v, now: now}, err
}

// Page gives at most limit of a tenant's webhooks from offset on, the newest first, and the number
// of all of them.
func (s *WebhookStore) Page(ctx context.Context, t tenant.ID, offset, limit int64) ([]Webhook, int64, error) {
	var rows []webhookRow
	total, err := s.db.Read(ctx).NewSelect().Model(&rows).Where("w.tenant_id = ?", t).OrderExpr("w.id DESC").
		Offset(offset).Limit(limit).ScanAndCount(ctx)
	list, now := make([]Webhook, len(rows)), s.now().UnixMilli()
	for i := range rows {
		list[i] = rows[i].webhook(now)
	}
	return list, total, wrap("list webhooks", err)
}

// Get finds a tenant's webhook.
func (s *WebhookStore) Get(ctx context.Context, t tenant.ID, id int64) (*Webhook, error) {
	r, err := s.row(ctx, t, id)
	if err != nil {
		return nil, wrap("read webhook", err)
	}
	w := r.webhook(s.now().UnixMilli())
	return &w, nil
}

func (s *WebhookStore) row(ctx context.Context, t tenant.ID, id int64) (*webhookRow, error) {
	var r webhookRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Where("w.tenant_id = ? AND w.id = ?", t, id).Scan(ctx)
	if db.IsMissing(err) {
		return nil, errs.Missing()
	}
	return &r, err
}

// Create stores w, which the caller has checked, as a new webhook and gives its id and its secret,
// which is shown only this once. It refuses more than WebhooksATenant webhooks per tenant, and a
// name that another webhook has (Refused).
func (s *WebhookStore) Create(ctx context.Context, t tenant.ID, w *Webhook) (id int64, secret string, err error) {
	raw, now := newSecret(), s.now().UnixMilli()
	r := webhookRow{
		TenantID:       t,
		Name:           w.Name,
		FoldedName:     text.Fold(w.Name),
		URL:            w.URL,
		OnOpened:       w.Opened,
		OnResolved:     w.Resolved,
		OnAcknowledged: w.Acknowledged,
		AlarmLevel:     w.Level,
		Enabled:        w.Enabled,
		Secret:         s.vault.Seal(owned(t), raw),
		CreateTime:     now,
		UpdateTime:     now,
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		n, err := tx.NewSelect().Model((*webhookRow)(nil)).Where("w.tenant_id = ?", t).Count(ctx)
		if err != nil {
			return err
		}
		if n >= WebhooksATenant {
			return errs.New(errs.Refused, "webhook.tooMany", "limit", strconv.Itoa(WebhooksATenant))
		}
		if err := checkNameFree(ctx, tx, &r); err != nil {
			return err
		}
		_, err = tx.NewInsert().Model(&r).Exec(ctx)
		return err
	})
	if err != nil {
		return 0, "", wrap("create webhook", err)
	}
	return r.ID, secretText(raw), nil
}

// checkNameFree refuses a name that another webhook of the tenant has.
func checkNameFree(ctx context.Context, tx bun.IDB, r *webhookRow) error {
	taken, err := tx.NewSelect().Model((*webhookRow)(nil)).
		Where("w.tenant_id = ? AND w.folded_name = ? AND w.id <> ?", r.TenantID, r.FoldedName, r.ID).Exists(ctx)
	if err == nil && taken {
		return errs.New(errs.Refused, "webhook.nameTaken").WithField("name")
	}
	return err
}

// Update replaces the tenant's webhook that has w's id by w, which the caller has checked. Queued
// deliveries go to the new URL.
func (s *WebhookStore) Update(ctx context.Context, t tenant.ID, w *Webhook) error {
	r := &webhookRow{
		ID:             w.ID,
		TenantID:       t,
		Name:           w.Name,
		FoldedName:     text.Fold(w.Name),
		URL:            w.URL,
		OnOpened:       w.Opened,
		OnResolved:     w.Resolved,
		OnAcknowledged: w.Acknowledged,
		AlarmLevel:     w.Level,
		Enabled:        w.Enabled,
		UpdateTime:     s.now().UnixMilli(),
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := checkNameFree(ctx, tx, r); err != nil {
			return err
		}
		// Switching the webhook on clears gone.
		res, err := tx.NewUpdate().Model(r).
			Column("name", "folded_name", "url", "on_opened", "on_resolved", "on_acknowledged", "alarm_level",
				"enabled", "update_time").
			Set("gone = gone AND NOT ?", w.Enabled).Where("w.tenant_id = ? AND w.id = ?", t, w.ID).Exec(ctx)
		if err := expectOneRow(res, err); err != nil {
			return err
		}
		_, err = tx.NewUpdate().Model((*deliveryRow)(nil)).Set("destination = ?", webhookDestination(t, w.URL)).
			Where("d.tenant_id = ? AND d.channel_id = ? AND d.mode = ? AND d.state = ?", t, w.ID, KindWebhook, Queued).
			Exec(ctx)
		return err
	})
	return wrap("update webhook", err)
}

// Toggle switches a tenant's webhook on if it is off, and off if it is on.
func (s *WebhookStore) Toggle(ctx context.Context, t tenant.ID, id int64) error {
	return s.change(ctx, "toggle webhook", t, id, func(q *bun.UpdateQuery) {
		q.Set("enabled = NOT enabled").Set("gone = FALSE")
	})
}

// SwitchOff switches a tenant's webhook off because url answered 410 Gone. It gives NotFound if
// the webhook was deleted or has another URL by now.
func (s *WebhookStore) SwitchOff(ctx context.Context, t tenant.ID, id int64, url string) error {
	return s.change(ctx, "switch webhook off", t, id, func(q *bun.UpdateQuery) {
		q.Set("enabled = FALSE").Set("gone = TRUE").Where("w.url = ?", url)
	})
}

// RotateSecret gives a tenant's webhook a new secret, which is shown only this once; the previous
// secret stays valid for 24 hours.
func (s *WebhookStore) RotateSecret(ctx context.Context, t tenant.ID, id int64) (secret string, err error) {
	raw := newSecret()
	err = s.change(ctx, "rotate webhook secret", t, id, func(q *bun.UpdateQuery) {
		q.Set("old_secret = secret").Set("old_until = ?", s.now().Add(oldSecretFor).UnixMilli()).
			Set("secret = ?", s.vault.Seal(owned(t), raw))
	})
	if err != nil {
		return "", err
	}
	return secretText(raw), nil
}

// change updates a tenant's webhook by the columns that set sets; op names it in errors.
func (s *WebhookStore) change(
	ctx context.Context,
	op string,
	t tenant.ID,
	id int64,
	set func(q *bun.UpdateQuery),
) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		q := tx.NewUpdate().Model((*webhookRow)(nil)).Set("update_time = ?", s.now().UnixMilli()).
			Where("w.tenant_id = ? AND w.id = ?", t, id)
		set(q)
		res, err := q.Exec(ctx)
		return expectOneRow(res, err)
	})
	return wrap(op, err)
}

// Delete removes a tenant's webhook; deliveries that are queued for it are not sent.
func (s *WebhookStore) Delete(ctx context.Context, t tenant.ID, id int64) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewDelete().Model((*webhookRow)(nil)).Where("w.tenant_id = ? AND w.id = ?", t, id).Exec(ctx)
		return expectOneRow(res, err)
	})
	return wrap("delete webhook", err)
}

// Sweep removes previous secrets that are not valid any more at now.
func (s *WebhookStore) Sweep(ctx context.Context, now time.Time) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*webhookRow)(nil)).Set("old_secret = NULL, old_until = 0").
			Where("w.old_until > 0 AND w.old_until <= ?", now.UnixMilli()).Exec(ctx)
		return err
	})
	return wrap("sweep webhook secrets", err)
}

// Endpoint is the URL that a webhook's deliveries go to now, and the secrets that sign them.
type Endpoint struct {
	URL     string
	Secrets [][]byte // the current one first
}

// Endpoint gives the endpoint of a tenant's webhook.
func (s *WebhookStore) Endpoint(ctx context.Context, t tenant.ID, id int64) (*Endpoint, error) {
	r, err := s.row(ctx, t, id)
	if err != nil {
		return nil, wrap("read webhook endpoint", err)
	}
	e := &Endpoint{URL: r.URL}
	sealed := [][]byte{r.Secret}
	if r.OldUntil > s.now().UnixMilli() {
		sealed = append(sealed, r.OldSecret)
	}
	for _, one := range sealed {
		secret, err := s.vault.Open(owned(t), one)
		if err != nil {
			return nil, wrap("read webhook endpoint", err)
		}
		e.Secrets = append(e.Secrets, secret)
	}
	return e, nil
}

// enabled gives the tenant's webhooks that are switched on, without their secrets.
func (s *WebhookStore) enabled(ctx context.Context, t tenant.ID) ([]webhookRow, error) {
	var rows []webhookRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).
		Column("id", "name", "url", "on_opened", "on_resolved", "on_acknowledged", "alarm_level").
		Where("w.tenant_id = ? AND w.enabled", t).OrderExpr("w.id").Scan(ctx)
	return rows, err
}

// Clear removes all webhooks of a tenant that is being removed.
func (s *WebhookStore) Clear(ctx context.Context, t tenant.ID) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*webhookRow)(nil)).Where("w.tenant_id = ?", t).Exec(ctx)
		return err
	})
	return wrap("clear webhooks", err)
}
