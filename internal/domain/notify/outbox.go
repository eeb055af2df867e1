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

// DefaultDigestAfter is how many notices a minute a channel is told of one by
// one.
const DefaultDigestAfter = 10

// digestMinute is how long notices are counted, and gathered, for a channel.
const digestMinute = time.Minute

// serious is the alarm level that waits for no channel's digest.
const serious = 2

// OutboxOptions say what an Outbox works with. What may be nil says so.
type OutboxOptions struct {
	DB       *db.DB
	Tenants  *tenant.Store
	Channels *ChannelStore
	Webhooks *WebhookStore // nil: there are none
	// Senders bring the letters; a mode that has none is not set up.
	Senders map[ChannelKind]Sender
	// Muted is until when a tenant's rule is muted, epoch ms; 0: it is not, or
	// is gone. Nil: none ever is.
	Muted func(ctx context.Context, t tenant.ID, rule int64) (until int64, err error)
	// Backlog is until when at least readings of a device are awaited that are
	// out of its memory; not after now: they are over. Nil: they always are.
	Backlog func(t tenant.ID, device int64) (until time.Time)
	// NotReady are tenants of which nothing leaves yet, since their alarms are not all
	// known: Wake says that they are. Nil: none ever is.
	NotReady func() []tenant.ID
	// FoundSince is since when a tenant's notice holds, epoch ms, where that was found
	// and is not in the database yet; 0 else. Nil: it always is.
	FoundSince func(t tenant.ID, notice int64) (since int64)
	// Live are told of every change of a delivery; nil: nobody is.
	Live livePublisher
	// DigestAfter is how many notices a minute a channel is told of one by one;
	// the others of that minute come in one letter. 0: each by itself.
	DigestAfter int
	// MailsADay and SMSADay are how many letters a tenant may send in a day that has
	// no number of its own; 0: any.
	MailsADay, SMSADay int
	Now                func() time.Time
	// Ran is how long the process has run, by a clock that nobody sets; nil: by
	// that of Now, which is such a one where it is time.Now.
	Ran    func() time.Duration
	Logger *slog.Logger
	Random func() float64 // of [0, 1), spreads waits; nil: math/rand
	// DrainTimeout is how long a stop waits for letters in flight; 0: 2 seconds.
	DrainTimeout time.Duration
}

// Outbox keeps what people are to be told, and tells them: at least once, the
// serious first, whatever stops in between. Everything that it waits for is in
// the database, but for how the far ends are doing.
type Outbox struct {
	OutboxOptions
	workers map[ChannelKind]*worker

	startMu sync.Mutex // guards started
	started bool       // the leases of an earlier process are given back

	held   atomic.Bool // nothing leaves until it is released
	uptime uptime

	sent, logged, failed, skipped atomic.Uint64
}

// NewOutbox makes an outbox; Run or Step lets it tell people.
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
	for _, kind := range channelKinds {
		o.workers[kind] = newWorker(o, kind, opts.Senders[kind])
	}
	return o
}

// enqueueOpened queues that a notice began: for each way and recipient once, however
// many of the channels name them.
func (o *Outbox) enqueueOpened(ctx context.Context, t tenant.ID, a *alertmsg.Alarm, w *alertmsg.DeliveryOptions) error {
	if len(w.Channels) == 0 {
		return nil
	}
	channels, err := db.OncePerTx(ctx, channelsKey{t, fmt.Sprint(w.Channels)},
		func(ctx context.Context) ([]Channel, error) {
			return o.Channels.GetMany(ctx, t, w.Channels)
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
			for _, recipient := range c.Recipients(kind) {
				if key := string(kind) + strings.ToLower(recipient); seen[key] {
					continue
				} else {
					seen[key] = true
				}
				row := *base
				row.ChannelID, row.ChannelName, row.Language = c.ID, c.Name, c.Language
				row.Mode, row.Recipient, row.Destination = kind, recipient, destination(kind, recipient)
				rows = append(rows, &row)
			}
		}
	}
	return o.enqueue(ctx, a.Level, rows)
}

// channelsKey are some of a tenant's channels.
type channelsKey struct {
	tenant tenant.ID
	ids    string
}

// baseRow is what all deliveries of an event have in common.
func (o *Outbox) baseRow(t tenant.ID, a *alertmsg.Alarm) (*deliveryRow, error) {
	facts, err := json.Marshal(a)
	now := o.Now().UnixMilli()
	return &deliveryRow{
		TenantID: t, NoticeID: a.Notice, RuleID: a.Rule, Event: a.Event, AlarmLevel: a.Level, Facts: string(facts),
		State: Queued, NextTime: now, CreateTime: now, UpdateTime: now,
	}, err
}

// enqueue writes deliveries of one event of one notice, and lets those wait for
// a digest whose channel was told enough this minute. What is there already
// stays: the minute may count it twice then, which brings a digest one notice
// earlier.
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

// insert writes deliveries of one notice, of which there is at least one, and wakes
// their lanes; what is there already stays. One that is skipped from the first tells so
// as any other.
func (o *Outbox) insert(ctx context.Context, tx bun.IDB, rows []*deliveryRow) error {
	insert := func(rows []*deliveryRow, returning string) error {
		_, err := tx.NewInsert().Model(&rows).On("CONFLICT (notice_id, mode, recipient, event, seq) DO NOTHING").
			Returning(returning).Exec(ctx)
		if err != nil {
			return fmt.Errorf("notify: deliveries of notice %d: %w", rows[0].NoticeID, err)
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

// countMinute counts a notice for its channels, and gives for those that were told
// enough the end of their minute. A minute begins with a notice.
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
	// A clock that was set back begins a minute anew.
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

// wakeWorkers wakes the lanes of deliveries that were queued, and says whose those are.
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

// Wake lets the lanes look at what is queued.
func (o *Outbox) Wake() {
	for _, l := range o.workers {
		l.nudge()
	}
}
