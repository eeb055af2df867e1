package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// State is how far a delivery has come, by its name in the contract.
type State string

// The states of a delivery.
const (
	Queued  State = "queued"
	Sent    State = "sent" // the remote server accepted it
	Failed  State = "failed"
	Skipped State = "skipped"
)

// Reason is what a queued delivery waits for, or why one failed or was skipped, by
// its name in the contract.
type Reason string

// The reasons why a queued delivery waits; none: it is due, or only its time is known.
const (
	ForPeriod  Reason = "period"
	ForMute    Reason = "muted"
	ForBacklog Reason = "backlog"
	ForDigest  Reason = "digest"
	ForTrigger Reason = "trigger"
	ForServer  Reason = "server"
	ForRetry   Reason = "retry"
	ForRelease Reason = "released"
	// ForBudget: the delivery waits for the hourly digest or the next day since the budget is used
	// up, or it is skipped since twice the budget is used up.
	ForBudget Reason = "budget"
)

// Why a delivery failed or was skipped.
const (
	NoticeClosed   Reason = "ended"
	OpeningNotSent Reason = "notTold"
	Expired        Reason = "old"
	Rejected       Reason = "refused"
	// UnknownRecipient and BlockedByRecipient: the remote server rejected it for this reason.
	UnknownRecipient   Reason = "unknown"
	BlockedByRecipient Reason = "blocked"
	NotConfigured      Reason = "off"
	RuleChanged        Reason = "changed"
	// WebhookOff: the webhook was switched off or deleted.
	WebhookOff Reason = "switchedOff"
)

// OnlyLogged is the reason of a delivery that is Sent for the outbox but was only written to the
// server's log: it reached nobody.
const OnlyLogged Reason = "logged"

// The steps of a delivery, by their names in the contract.
const (
	stepQueued   = "queued"
	stepAccepted = "accepted"
	stepLogged   = "logged"
	stepFailed   = "failed"
	stepRefused  = "refused"
	stepSkipped  = "skipped"
)

// keptSteps is how many of a delivery's newest steps are kept.
const keptSteps = 20

// keptReminders is how many of a notice's newest finished reminders are kept for each recipient:
// enough to see whether they arrive. A notice may be open for weeks and remind every five minutes.
const keptReminders = 10

// untilEvent is the next time of a delivery that waits for an event rather than a time.
const untilEvent = math.MaxInt64

// Delivery is one event of a notice for one recipient, and its state.
type Delivery struct {
	ID        int64
	Channel   string // its name when the notice began
	Recipient string // for a webhook the host of its URL
	Kind      ChannelKind
	Event     alertmsg.Event
	State     State
	Reason    Reason
	Digest    bool // sent in one notification with others of its minute
	Attempts  int
	LastError string // the remote server's answer to the last attempt that failed
	// NextTime is when a queued delivery is tried next, epoch ms; 0: at once, or when the event
	// that it waits for happens.
	NextTime   int64
	CreateTime int64
	UpdateTime int64
	Steps      []Step // oldest first
}

// Step is one thing that happened to a delivery.
type Step struct {
	Time   int64  // epoch ms
	Step   string // queued, accepted, logged, failed, refused, skipped
	Answer string // of the remote server, or what went wrong
}

type deliveryRow struct {
	bun.BaseModel `bun:"table:deliveries,alias:d"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	NoticeID      int64
	RuleID        int64
	ChannelID     int64
	ChannelName   string
	Recipient     string
	Destination   string
	Mode          ChannelKind
	Event         alertmsg.Event
	Seq           int
	AlarmLevel    int
	Language      text.Language
	Facts         string // JSON of alertmsg.Alarm
	Period        string // JSON of alertmsg.Period
	RemindEvery   int64  // ms
	AfterID       int64
	Over          Reason
	Late          bool
	QuietUntil    int64 // no reminder before, since a user acknowledged the notice, epoch ms; 0: nobody did
	Digest        int64
	LeaseUntil    int64
	State         State
	Reason        Reason
	Attempts      int
	LastError     string
	NextTime      int64
	FirstTime     int64
	CreateTime    int64
	UpdateTime    int64

	alarm  alertmsg.Alarm  // Facts, parsed
	period alertmsg.Period // Period, parsed
	// said is the remote server's answer of just now, if it differs between rows that share an
	// outcome.
	said string
}

type stepRow struct {
	bun.BaseModel `bun:"table:delivery_steps,alias:s"`
	ID            int64 `bun:",pk,autoincrement"`
	DeliveryID    int64
	Time          int64
	Step          string
	Answer        string
}

// Deliveries gives the deliveries of a tenant's notice with their steps, oldest first.
func (o *Outbox) Deliveries(ctx context.Context, t tenant.ID, notice int64) ([]Delivery, error) {
	var rows []deliveryRow
	if err := o.DB.Read(ctx).NewSelect().Model(&rows).Where("d.tenant_id = ? AND d.notice_id = ?", t, notice).
		OrderExpr("d.id").Scan(ctx); err != nil {
		return nil, wrap("list deliveries", err)
	}
	list, at := make([]Delivery, len(rows)), make(map[int64]*Delivery, len(rows))
	for i := range rows {
		list[i] = o.delivery(&rows[i])
		at[rows[i].ID] = &list[i]
	}
	if len(rows) == 0 {
		return list, nil
	}
	var steps []stepRow
	mine := o.DB.Read(ctx).NewSelect().Model((*deliveryRow)(nil)).Column("id").
		Where("d.tenant_id = ? AND d.notice_id = ?", t, notice)
	if err := o.DB.Read(ctx).NewSelect().Model(&steps).Where("s.delivery_id IN (?)", mine).
		OrderExpr("s.delivery_id, s.id").Scan(ctx); err != nil {
		return nil, wrap("list delivery steps", err)
	}
	for _, s := range steps {
		if d := at[s.DeliveryID]; d != nil { // nil: it was queued between the two statements
			d.Steps = append(d.Steps, Step{Time: s.Time, Step: s.Step, Answer: s.Answer})
		}
	}
	for i := range list {
		list[i].Steps = list[i].Steps[max(0, len(list[i].Steps)-keptSteps):]
	}
	return list, nil
}

// delivery gives a row as people see it. Whether the remote server is down is known to the worker
// and not written into every row that waits for it.
func (o *Outbox) delivery(r *deliveryRow) Delivery {
	d := Delivery{
		ID:         r.ID,
		Channel:    r.ChannelName,
		Recipient:  r.shownRecipient(),
		Kind:       r.Mode,
		Event:      r.Event,
		State:      r.State,
		Reason:     r.Reason,
		Digest:     r.Digest > 0,
		Attempts:   r.Attempts,
		LastError:  r.LastError,
		CreateTime: r.CreateTime,
		UpdateTime: r.UpdateTime,
		Steps:      []Step{{Time: r.CreateTime, Step: stepQueued}}, // every delivery has it, so it has no row
	}
	if r.State != Queued {
		return d
	}
	now := o.Now().UnixMilli()
	if r.NextTime > now && r.NextTime != untilEvent {
		d.NextTime = r.NextTime
	}
	until, due := o.workers[r.Mode].downUntil(), r.NextTime <= now
	switch {
	case !o.Tenants.Acts(r.TenantID):
		d.Reason, d.NextTime = ForRelease, 0
	case until > now && (due || r.Reason == ForServer):
		d.Reason, d.NextTime = ForServer, until
	case due && r.Reason != ForRetry && r.Reason != ForServer:
		d.Reason = "" // the wait is over
	}
	return d
}

// parse decodes the row's facts and period.
func (r *deliveryRow) parse() error {
	if err := json.Unmarshal([]byte(r.Facts), &r.alarm); err != nil {
		return fmt.Errorf("facts of delivery %d: %w", r.ID, err)
	}
	if err := json.Unmarshal([]byte(r.Period), &r.period); err != nil {
		return fmt.Errorf("period of delivery %d: %w", r.ID, err)
	}
	r.alarm.Event = r.Event
	return nil
}

// newNotification makes the notification of rows, which are parsed and share recipient and event.
// It computes the ID from the rows' contents, not from their ids: after a restore from a backup,
// ids may be assigned again.
func newNotification(rows []*deliveryRow, owner *tenant.Tenant) *Notification {
	first := rows[0]
	l := &Notification{Tenant: first.TenantID, Owner: owner, Kind: first.Mode, Recipient: first.Recipient,
		Language: first.Language, Channel: first.ChannelName}
	if l.Language == "" {
		l.Language = owner.Language
	}
	sum := sha256.New()
	for _, r := range rows {
		fmt.Fprintln(sum, r.TenantID, r.NoticeID, r.CreateTime, r.Mode, r.Recipient, r.Event, r.Seq)
		l.Alarms = append(l.Alarms, r.alarm)
	}
	l.ID = string(first.Event) + "-" + hex.EncodeToString(sum.Sum(nil)[:12])
	return l
}
