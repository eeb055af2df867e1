package device

import (
	"strings"
	"sync"
	"time"

	"tilth/internal/domain/tenant"
)

// Reason says why a value or a message was refused; the console shows it in
// the reader's language.
type Reason string

// The reasons for which the edge refuses what a device sent.
const (
	ReasonUnreadable   Reason = "unreadable"   // not the JSON that is spoken here
	ReasonUnknown      Reason = "unknown"      // the product has no such property
	ReasonWrongType    Reason = "wrongType"    // not a number, boolean or text as the property wants
	ReasonOutOfRange   Reason = "outOfRange"   // below min or above max
	ReasonTooLong      Reason = "tooLong"      // text over 1,024 characters
	ReasonTooOld       Reason = "tooOld"       // older than the retention
	ReasonFuture       Reason = "future"       // more than ten minutes ahead
	ReasonBadTime      Reason = "badTime"      // ts is no epoch milliseconds
	ReasonNotYours     Reason = "notYours"     // a gateway named a device its tenant does not have
	ReasonNotGateway   Reason = "notGateway"   // only a gateway may publish for others
	ReasonUnknownTopic Reason = "unknownTopic" // outside the device's own topics
	ReasonDisabled     Reason = "disabled"     // the device is shut out
	ReasonDerived      Reason = "derived"      // the property is computed here
	ReasonTooLarge     Reason = "tooLarge"     // the message is over the limit and was not read
)

// Refusal is one thing that was refused.
type Refusal struct {
	Time       int64 // arrival, epoch milliseconds
	Identifier string
	Reason     Reason
}

// SanitizeText is what a device sent as the database takes it: U+FFFD stands for
// NUL, which no text in there may hold, and for what is no UTF-8.
func SanitizeText(sent string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(sent, "\uFFFD"), "\x00", "\uFFFD")
}

// Intake counts what arrived from a device and what was refused.
type Intake struct {
	Messages    int64
	Values      int64
	Refused     int64
	LastRefusal Refusal
	ClockAhead  time.Duration // how far the newest reading's time was ahead of its arrival; 0: by a minute at most
}

// ClockUnknown is of a message that says nothing of its device's clock: it brought
// no reading, or late ones.
const ClockUnknown time.Duration = -1

// Diagnostics keeps the Intake of every device, so that nothing vanishes in
// silence.
type Diagnostics struct {
	mu      sync.Mutex
	devices map[Ref]*deviceIntake
	dirty   map[ID]struct{}
}

// deviceIntake is a device's Intake, in all and a day.
type deviceIntake struct {
	Intake
	days dayCounts
}

// NewDiagnostics makes empty diagnostics.
func NewDiagnostics() *Diagnostics {
	return &Diagnostics{devices: map[Ref]*deviceIntake{}, dirty: map[ID]struct{}{}}
}

// Count adds what one message brought that arrived at a time (epoch
// milliseconds): values kept, refusals, and how far its newest time was ahead of
// that, or ClockUnknown.
func (d *Diagnostics) Count(ref Ref, at int64, values int, refusals []Refusal, ahead time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	in := d.intakeOf(ref)
	in.Messages++
	in.Values += int64(values)
	in.Refused += int64(len(refusals))
	if n := len(refusals); n > 0 {
		in.LastRefusal = refusals[n-1]
	}
	if ahead != ClockUnknown {
		in.ClockAhead = ahead
	}
	in.days.count(at, values, len(refusals))
	d.dirty[ref.ID] = struct{}{}
}

// intakeOf finds or makes what is known of ref. Callers hold the lock.
func (d *Diagnostics) intakeOf(ref Ref) *deviceIntake {
	in := d.devices[ref]
	if in == nil {
		in = &deviceIntake{}
		d.devices[ref] = in
	}
	return in
}

// Get is the intake of a tenant's device so far.
func (d *Diagnostics) Get(t tenant.ID, id ID) Intake {
	d.mu.Lock()
	defer d.mu.Unlock()
	if in := d.devices[Ref{Tenant: t, ID: id}]; in != nil {
		return in.Intake
	}
	return Intake{}
}

// days are a tenant's device's days that may differ from those on disk.
func (d *Diagnostics) days(t tenant.ID, id ID) (days []DayIntake) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if in := d.devices[Ref{Tenant: t, ID: id}]; in != nil {
		for _, day := range in.days {
			days = append(days, day.DayIntake)
		}
	}
	return days
}

// unsavedDays are a device's days that are to be written.
func (d *Diagnostics) unsavedDays(ref Ref) []DayIntake {
	d.mu.Lock()
	defer d.mu.Unlock()
	if in := d.devices[ref]; in != nil {
		return in.days.unsaved()
	}
	return nil
}

// markDaysSaved takes note that a device's days are on disk as they were.
func (d *Diagnostics) markDaysSaved(ref Ref, written []DayIntake) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if in := d.devices[ref]; in != nil {
		in.days.markSaved(written)
	}
}

// Forget drops a deleted device.
func (d *Diagnostics) Forget(ref Ref) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.devices, ref)
	delete(d.dirty, ref.ID)
}

func (d *Diagnostics) restore(ref Ref, in Intake) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.intakeOf(ref).Intake = in
}

// restoreDay takes up the day that was counted last before a start.
func (d *Diagnostics) restoreDay(ref Ref, day DayIntake) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.intakeOf(ref).days = dayCounts{{DayIntake: day}}
}

func (d *Diagnostics) takeDirty() map[ID]struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := d.dirty
	d.dirty = map[ID]struct{}{}
	return ids
}
