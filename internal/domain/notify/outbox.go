package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/clock"
	"tilth/internal/platform/db"
)

// DefaultDigestAfter is how many notices per minute a channel sends one by one.
const DefaultDigestAfter = 10

// digestMinute is how long a channel counts notices and collects them for a digest.
const digestMinute = time.Minute

// serious is the alarm level that waits for no channel's digest.
const serious = 2

// OutboxOptions configure an Outbox. A field that may be nil says so.
type OutboxOptions struct {
	DB       *db.DB
	Tenants  *tenant.Store
	Channels *ChannelStore
	Webhooks *WebhookStore // nil: there are none
	// Senders send the notifications; a kind that has none is not set up.
	Senders map[ChannelKind]Sender
	// Muted gives until when a tenant's rule is muted, epoch ms; 0: it is not, or it was deleted.
	// Nil: no rule is muted.
	Muted func(ctx context.Context, t tenant.ID, rule int64) (until int64, err error)
	// Backlog gives until when, at least, a device goes on sending stored readings; a time that is
	// not after now: it has sent them all. Nil: no device has any.
	Backlog func(t tenant.ID, device int64) (until time.Time)
	// NotReady gives the tenants for which nothing is sent yet, since not all of their alarms are
	// known; the caller calls Wake when they are. Nil: there are none.
	NotReady func() []tenant.ID
	// FoundSince gives since when a tenant's notice holds, epoch ms, if that was found and is not
	// in the database yet; otherwise 0. Nil: it is always in the database.
	FoundSince func(t tenant.ID, notice int64) (since int64, to alertmsg.Precision)
	// Silence tells why a tenant's device is silent; nil if it is online. Nil: nothing is told of it.
	Silence func(ctx context.Context, t tenant.ID, device int64) (*alertmsg.Silence, error)
	// Live publishes every change of a delivery to open screens; nil: nothing is published.
	Live livePublisher
	// DigestAfter is how many notices per minute a channel sends one by one; the others of that
	// minute are sent as one digest. 0: no digests.
	DigestAfter int
	// PerDay limits the notifications of a kind per day of a tenant that has no limit of its own; 0
	// or absent: no limit.
	PerDay map[ChannelKind]int
	Now    func() time.Time
	// Ran gives how long the process has run, by a monotonic clock; nil: by the clock of Now, which
	// is monotonic if Now is time.Now.
	Ran    func() time.Duration
	Logger *slog.Logger
	Random func() float64 // of [0, 1), for jitter; nil: math/rand
	// DrainTimeout is how long Run waits for notifications in flight when it stops; 0: 2 seconds.
	DrainTimeout time.Duration
}

// Outbox stores deliveries and sends them: each at least once, serious ones first, even if the
// process stops in between. Its whole state is in the database, except for the backoff of remote
// servers.
type Outbox struct {
	OutboxOptions
	workers map[ChannelKind]*worker

	startMu sync.Mutex // guards started
	started bool       // the leases of an earlier process are cleared

	uptime uptime

	sent, logged, failed, skipped atomic.Uint64
}

// NewOutbox makes an outbox; Run or Step sends.
func NewOutbox(opts OutboxOptions) *Outbox {
	if opts.Random == nil {
		opts.Random = rand.Float64
	}
	if opts.DrainTimeout == 0 {
		opts.DrainTimeout = drainTimeout
	}
	o := &Outbox{OutboxOptions: opts, workers: map[ChannelKind]*worker{}}
	begun := opts.Now()
	o.uptime.restart(begun.UnixMilli())
	o.uptime.jumps = clock.NewJumpDetector(begun, opts.Ran)
	for _, k := range kinds {
		o.workers[k.Name] = newWorker(o, k, opts.Senders[k.Name])
	}
	return o
}

// enqueueOpened queues the opening of a notice: once for each kind and recipient, even if several
// channels have the same recipient.
func (o *Outbox) enqueueOpened(ctx context.Context, t tenant.ID, a *alertmsg.Alarm, w *alertmsg.DeliveryOptions) error {
	if len(w.Channels) == 0 {
		return nil
	}
	channels, err := db.OncePerTx(ctx, channelsKey{t, fmt.Sprint(w.Channels)},
		func(ctx context.Context) ([]Channel, error) {
			return o.Channels.getMany(ctx, t, w.Channels)
		})
	if err != nil {
		return err
	}
	base, err := o.baseRow(t, a)
	if err != nil {
		return err
	}
	period, err := json.Marshal(w.Period)
	if err != nil {
		return err
	}
	base.Period, base.RemindEvery, base.Late = string(period), w.RemindEvery.Milliseconds(), w.Late
	if w.Late {
		base.Reason = ForBacklog
	}
	var rows []*deliveryRow
	seen := map[string]bool{}
	for i := range channels {
		c := &channels[i]
		for _, kind := range c.Kinds() {
			for _, recipient := range c.To[kind] {
				if key := string(kind) + strings.ToLower(recipient); seen[key] {
					continue
				} else {
					seen[key] = true
				}
				row := *base
				row.ChannelID, row.ChannelName, row.Language = c.ID, c.Name, c.Language
				row.Mode, row.Recipient, row.Destination = kind, recipient, kindOf(kind).Destination(recipient)
				rows = append(rows, &row)
			}
		}
	}
	return o.enqueue(ctx, a.Level, rows)
}

// channelsKey identifies some of a tenant's channels for db.OncePerTx.
type channelsKey struct {
	tenant tenant.ID
	ids    string
}

// baseRow gives the fields that all deliveries of an event have in common.
func (o *Outbox) baseRow(t tenant.ID, a *alertmsg.Alarm) (*deliveryRow, error) {
	facts, err := json.Marshal(a)
	now := o.Now().UnixMilli()
	return &deliveryRow{
		TenantID: t, NoticeID: a.Notice, RuleID: a.Rule, Event: a.Event, AlarmLevel: a.Level, Facts: string(facts),
		State: Queued, NextTime: now, CreateTime: now, UpdateTime: now,
	}, err
}

// enqueue writes deliveries of one event of one notice. Those whose channel is over its limit of
// this minute wait for a digest. Deliveries that exist already stay as they are; the minute may
// count those twice, so that a digest begins one notice earlier.
func (o *Outbox) enqueue(ctx context.Context, level int, rows []*deliveryRow) error {
	if len(rows) == 0 {
		return nil
	}
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if o.DigestAfter > 0 {
			digests, err := o.countMinute(ctx, rows)
			if err != nil {
				return err
			}
			var bursts map[recipient]int64
			if level >= serious {
				if bursts, err = o.countSerious(ctx, rows); err != nil {
					return err
				}
			}
			for _, r := range rows {
				at := digests[r.ChannelID]
				if level >= serious {
					at = bursts[recipient{r.Mode, r.Recipient}]
				}
				if at == 0 || r.State != Queued {
					continue
				}
				r.Digest = at
				if r.NextTime != untilEvent {
					r.NextTime = max(r.NextTime, at)
				}
				if r.Reason == "" {
					r.Reason = ForDigest
				}
			}
		}
		return o.insert(ctx, tx, rows)
	})
}

// insert writes deliveries of one notice, at least one, and wakes their workers. Deliveries that
// exist already stay as they are. A delivery that is skipped from the start gets a step like any
// other.
func (o *Outbox) insert(ctx context.Context, tx bun.IDB, rows []*deliveryRow) error {
	insert := func(rows []*deliveryRow, returning string) error {
		_, err := tx.NewInsert().Model(&rows).On("CONFLICT (notice_id, mode, recipient, event, seq) DO NOTHING").
			Returning(returning).Exec(ctx)
		if err != nil {
			return fmt.Errorf("insert deliveries: %w", err)
		}
		return nil
	}
	var queued, skipped []*deliveryRow
	for _, r := range rows {
		if r.State != Skipped {
			queued = append(queued, r)
			continue
		}
		if err := insert([]*deliveryRow{r}, "id"); err != nil {
			return err
		}
		if r.ID != 0 {
			skipped = append(skipped, r)
		}
	}
	if len(queued) > 0 {
		if err := insert(queued, "NULL"); err != nil {
			return err
		}
		o.DB.AfterCommit(ctx, func() { o.wakeWorkers(queued) })
	}
	if len(skipped) == 0 {
		return nil
	}
	return o.finish(ctx, skipped,
		outcome{state: Skipped, reason: OpeningNotSent, step: stepSkipped, at: o.Now().UnixMilli()})
}

type minuteRow struct {
	bun.BaseModel `bun:"table:channel_minutes,alias:cm"`
	ChannelID     int64
	Event         alertmsg.Event
	Began         int64
	Notices       int
}

// countMinute counts a notice for its channels. For each channel over its limit it gives the end of
// the channel's minute. A minute begins with a notice.
func (o *Outbox) countMinute(ctx context.Context, rows []*deliveryRow) (map[int64]int64, error) {
	var minutes []*minuteRow
	for _, r := range rows {
		if r.State == Queued &&
			!slices.ContainsFunc(minutes, func(m *minuteRow) bool { return m.ChannelID == r.ChannelID }) {
			minutes = append(minutes,
				&minuteRow{ChannelID: r.ChannelID, Event: r.Event, Began: r.CreateTime, Notices: 1})
		}
	}
	ends := map[int64]int64{}
	if len(minutes) == 0 {
		return ends, nil
	}
	// If the clock was set back, the minute begins anew.
	const running = "cm.began <= EXCLUDED.began AND EXCLUDED.began < cm.began + ?"
	length := digestMinute.Milliseconds()
	err := o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&minutes).On("CONFLICT (channel_id, event) DO UPDATE").
			Set("began = CASE WHEN "+running+" THEN cm.began ELSE EXCLUDED.began END", length).
			Set("notices = CASE WHEN "+running+" THEN cm.notices + 1 ELSE 1 END", length).
			Returning("*").Exec(ctx)
		return err
	})
	for _, m := range minutes {
		if m.Notices > o.DigestAfter {
			ends[m.ChannelID] = m.Began + length
		}
	}
	return ends, err
}

// wakeWorkers wakes the workers of queued deliveries and passes them the tenants of due ones.
func (o *Outbox) wakeWorkers(rows []*deliveryRow) {
	now := o.Now().UnixMilli()
	for _, r := range rows {
		l := o.workers[r.Mode]
		if r.NextTime <= now {
			l.addNewlyDue(r.TenantID, r.AlarmLevel)
		}
		l.nudge()
	}
}

// Wake makes the workers check the queued deliveries.
func (o *Outbox) Wake() {
	for _, l := range o.workers {
		l.nudge()
	}
}
