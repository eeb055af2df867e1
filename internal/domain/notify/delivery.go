package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"

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
	Sent    State = "sent" // the far end accepted it
	Failed  State = "failed"
	Skipped State = "skipped"
)

// Reason is what a queued delivery waits for, or why one failed or was skipped, by
// its name in the contract.
type Reason string

// What a queued delivery can wait for; none: it is due, or its time is known.
const (
	ForPeriod  Reason = "period"
	ForMute    Reason = "muted"
	ForBacklog Reason = "backlog"
	ForDigest  Reason = "digest"
	ForTrigger Reason = "trigger"
	ForServer  Reason = "server"
	ForRetry   Reason = "retry"
	ForRelease Reason = "released"
	// ForBudget is of what waits for the hour's letter, or the next day, since the
	// budget is used up; and of what is skipped since twice of it is.
	ForBudget Reason = "budget"
)

// Why a delivery failed or was skipped.
const (
	NoticeClosed   Reason = "ended"
	OpeningNotSent Reason = "notTold"
	Expired        Reason = "old"
	Rejected       Reason = "refused"
	NotConfigured  Reason = "off"
	RuleChanged    Reason = "changed"
	// WebhookOff is of a webhook that was switched off, or deleted.
	WebhookOff Reason = "switchedOff"
)

// OnlyLogged is of a delivery that is Sent as far as the outbox goes, but was
// written to the server's log only: nobody was told.
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

// keptSteps is how many steps of a delivery are kept, the newest.
const keptSteps = 20

// keptReminders is how many ended reminders of a notice are kept for each
// recipient, the newest: enough to see whether they arrive, and a notice may be
// open for weeks and remind every five minutes.
const keptReminders = 10

// untilEvent is the next time of what waits for something that is no time.
const untilEvent = math.MaxInt64

// Delivery is what one recipient is told of a notice, and how that went.
type Delivery struct {
	ID         int64
	Channel    string // its name when the notice began
	Recipient  string // of a webhook the host that it is called at
	Kind       ChannelKind
	Event      alertmsg.Event
	State      State
	Reason     Reason
	Digest     bool // told together with others of its minute
	Attempts   int
	LastError  string // what the far end answered to the last attempt that failed
	NextTime   int64  // when a queued one is tried next, epoch ms; 0: at once, or when what it waits for happens
	CreateTime int64
	UpdateTime int64
	Steps      []Step // oldest first
}

// Step is one thing that happened to a delivery.
type Step struct {
	Time   int64  // epoch ms
	Step   string // queued, accepted, logged, failed, refused, skipped
	Answer string // of the far end, or what went wrong
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
	Facts         string // JSON of news.Alarm
	Period        string // JSON of news.Period
	RemindEvery   int64  // ms
	AfterID       int64
	Over          Reason
	Late          bool
	QuietUntil    int64 // nobody is reminded before since somebody is on it, epoch ms; 0: nobody is
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

	alarm  alertmsg.Alarm // what Facts and Period say, once they are parsed
	period alertmsg.Period
	said   string // by the far end, just now; where it is not the same for all that share an outcome
}

type stepRow struct {
	bun.BaseModel `bun:"table:delivery_steps,alias:s"`
	ID            int64 `bun:",pk,autoincrement"`
	DeliveryID    int64
	Time          int64
	Step          string
	Answer        string
}

// Deliveries gives the deliveries of a tenant's notice with what happened to them,
// oldest first.
func (o *Outbox) Deliveries(ctx context.Context, t tenant.ID, notice int64) ([]Delivery, error) {
	var rows []deliveryRow
	if err := o.DB.Read(ctx).NewSelect().Model(&rows).Where("d.tenant_id = ? AND d.notice_id = ?", t, notice).
		OrderExpr("d.id").Scan(ctx); err != nil {
		return nil, err
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
		return nil, err
	}
	for _, s := range steps {
		if d := at[s.DeliveryID]; d != nil { // one queued between the two statements has none yet
			d.Steps = append(d.Steps, Step{Time: s.Time, Step: s.Step, Answer: s.Answer})
		}
	}
	for i := range list {
		list[i].Steps = list[i].Steps[max(0, len(list[i].Steps)-keptSteps):]
	}
	return list, nil
}

// delivery is a row as people see it. That a far end is down is known to its
// lane, not written into every row that waits for it.
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
		Steps:      []Step{{Time: r.CreateTime, Step: stepQueued}}, // so is every one: that needs no row
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
	case o.held.Load():
		d.Reason, d.NextTime = ForRelease, 0
	case until > now && (due || r.Reason == ForServer):
		d.Reason, d.NextTime = ForServer, until
	case due && r.Reason != ForRetry && r.Reason != ForServer:
		d.Reason = "" // what it waited for has come
	}
	return d
}

// parse reads what the row tells, and when.
func (r *deliveryRow) parse() error {
	if err := json.Unmarshal([]byte(r.Facts), &r.alarm); err != nil {
		return fmt.Errorf("notify: facts of delivery %d: %w", r.ID, err)
	}
	if err := json.Unmarshal([]byte(r.Period), &r.period); err != nil {
		return fmt.Errorf("notify: period of delivery %d: %w", r.ID, err)
	}
	r.alarm.Event = r.Event
	return nil
}

// newNotification is what tells the rows, which are parsed and share recipient and event. Its ID comes
// from what they are, not from their numbers: after a restore from a backup
// those may be given again.
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

// destination is what a far end may refuse as a whole: the domain of an
// address, the country and the network of a number.
func destination(kind ChannelKind, recipient string) string {
	if kind == KindEmail {
		return strings.ToLower(recipient[strings.LastIndexByte(recipient, '@')+1:])
	}
	return recipient[:min(len(recipient), len("+90555"))]
}
