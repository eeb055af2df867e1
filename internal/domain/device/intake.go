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
	ReasonUnreadable   Reason = "unreadable"   // not the expected JSON
	ReasonUnknown      Reason = "unknown"      // the product has no such property
	ReasonWrongType    Reason = "wrongType"    // not of the property's data type
	ReasonOutOfRange   Reason = "outOfRange"   // below min or above max
	ReasonTooLong      Reason = "tooLong"      // text over 1,024 characters
	ReasonTooOld       Reason = "tooOld"       // older than the retention of readings
	ReasonFuture       Reason = "future"       // more than ten minutes ahead of the server
	ReasonBadTime      Reason = "badTime"      // ts is not in epoch milliseconds
	ReasonNotYours     Reason = "notYours"     // a gateway named a device its tenant does not have
	ReasonNotGateway   Reason = "notGateway"   // only a gateway may publish for others
	ReasonUnknownTopic Reason = "unknownTopic" // outside the device's own topics
	ReasonDisabled     Reason = "disabled"     // the device is disabled
	ReasonDerived      Reason = "derived"      // the server computes the property
	ReasonTooLarge     Reason = "tooLarge"     // the message is over the limit and was not read
)

// Refusal is one refused value or message.
type Refusal struct {
	Time       int64 // arrival, epoch milliseconds
	Identifier string
	Reason     Reason
}

// SanitizeText makes a text that a device sent storable: it replaces NUL, which the database
// refuses in texts, and invalid UTF-8 by U+FFFD.
func SanitizeText(sent string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(sent, "\uFFFD"), "\x00", "\uFFFD")
}

// Intake counts what arrived from a device and what was refused.
type Intake struct {
	Messages    int64
	Values      int64
	Refused     int64
	LastRefusal Refusal
	ClockAhead  time.Duration // how far the newest reading's time was ahead of its arrival; 0: at most a minute
}

// ClockUnknown marks a message that does not show its device's clock: it carried no readings, or
// only late ones.
const ClockUnknown time.Duration = -1

// Diagnostics keeps the Intake of every device, so that every message and refusal is accounted for.
type Diagnostics struct {
	mu      sync.Mutex
	devices map[Ref]*deviceIntake
	dirty   map[ID]struct{}
}

// deviceIntake is a device's Intake, in total and per day.
type deviceIntake struct {
	Intake
	days dayCounts
}

// NewDiagnostics makes empty diagnostics.
func NewDiagnostics() *Diagnostics {
	return &Diagnostics{devices: map[Ref]*deviceIntake{}, dirty: map[ID]struct{}{}}
}

// Count adds one message that arrived at a time (epoch milliseconds): the number of values kept,
// the refusals, and how far its newest reading was ahead of that time, or ClockUnknown.
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

// intakeOf finds or makes the intake of ref. Callers hold the lock.
func (d *Diagnostics) intakeOf(ref Ref) *deviceIntake {
	in := d.devices[ref]
	if in == nil {
		in = &deviceIntake{}
		d.devices[ref] = in
	}
	return in
}

// Get gives the intake of a tenant's device so far.
func (d *Diagnostics) Get(t tenant.ID, id ID) Intake {
	d.mu.Lock()
	defer d.mu.Unlock()
	if in := d.devices[Ref{Tenant: t, ID: id}]; in != nil {
		return in.Intake
	}
	return Intake{}
}

// days gives the days of a tenant's device that may differ from those on disk.
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

// unsavedDays gives the days to write of a tenant's devices; devices without such are absent.
func (d *Diagnostics) unsavedDays(t tenant.ID, ids []ID) (list []savedDays) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range ids {
		ref := Ref{Tenant: t, ID: id}
		in := d.devices[ref]
		if in == nil {
			continue
		}
		if days := in.days.unsaved(); len(days) > 0 {
			list = append(list, savedDays{ref, days})
		}
	}
	return list
}

// markDaysSaved records that the days of devices are on disk as they were written.
func (d *Diagnostics) markDaysSaved(written []savedDays) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range written {
		if in := d.devices[w.ref]; in != nil {
			in.days.markSaved(w.days)
		}
	}
}

// Forget drops a deleted device.
func (d *Diagnostics) Forget(ref Ref) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.devices, ref)
	delete(d.dirty, ref.ID)
}

// restore sets the intake of a tenant's devices after a start.
func (d *Diagnostics) restore(t tenant.ID, list []deviceStatus) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range list {
		ref := Ref{Tenant: t, ID: list[i].ID}
		if list[i].Intake != (Intake{}) || d.devices[ref] != nil {
			d.intakeOf(ref).Intake = list[i].Intake
		}
	}
}

// restoreDays sets the newest day on disk of a tenant's devices after a start; counting continues with it.
func (d *Diagnostics) restoreDays(t tenant.ID, day Day, list []deviceDay) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range list {
		in := d.intakeOf(Ref{Tenant: t, ID: x.ID})
		if last := len(in.days) - 1; last < 0 || in.days[last].Day <= day {
			in.days = dayCounts{{DayIntake: x.intake(day)}}
		}
	}
}

// fill sets the intake of a tenant's devices in list. A text that a device sent is made storable.
func (d *Diagnostics) fill(t tenant.ID, list []deviceStatus) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range list {
		if in := d.devices[Ref{Tenant: t, ID: list[i].ID}]; in != nil {
			list[i].Intake = in.Intake
			if in.Refused > 0 {
				list[i].LastRefusal.Identifier = SanitizeText(in.LastRefusal.Identifier)
			}
		}
	}
}

func (d *Diagnostics) takeDirty() map[ID]struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := d.dirty
	d.dirty = map[ID]struct{}{}
	return ids
}
