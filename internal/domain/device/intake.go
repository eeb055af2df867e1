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
	ReasonUnused       Reason = "unused"       // no property takes this field of a weather station or codec
	ReasonTooFast      Reason = "tooFast"      // a rain counter grew more than a gauge can
	ReasonNetworkClock Reason = "networkClock" // nothing is lost: the arrival counts, not a foreign clock
)

// counts tells whether something was refused that the device should not send.
func (r Reason) counts() bool { return r != ReasonUnused && r != ReasonNetworkClock }

// refusalShown is how long a refusal is shown before what is none takes its place.
const refusalShown = 24 * time.Hour

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
	dirty   unwritten
}

// deviceIntake is a device's Intake, in total and per day.
type deviceIntake struct {
	Intake
	page *devicePage // nil: in no page yet
	gone bool        // not the device's intake any more
	days dayCounts
}

// NewDiagnostics makes empty diagnostics.
func NewDiagnostics() *Diagnostics {
	return &Diagnostics{devices: map[Ref]*deviceIntake{}, dirty: newUnwritten()}
}

// Count adds one message that arrived at a time (epoch milliseconds): the number of values kept,
// the refusals, and how far its newest reading was ahead of that time, or ClockUnknown. Fields that
// nobody uses come with every message of a weather station: they are no refusals to count, and are
// shown only while nothing else was refused. A foreign clock's fault is no refusal to count either;
// it is shown while nothing was refused for a day.
func (d *Diagnostics) Count(ref Ref, at int64, values int, refusals []Refusal, ahead time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	in := d.intakeOf(ref)
	in.Messages++
	in.Values += int64(values)
	refused := 0
	for _, r := range refusals {
		switch {
		case r.Reason.counts():
			refused++
			in.LastRefusal = r
		case in.LastRefusal.Reason == "" || in.LastRefusal.Reason == ReasonUnused:
			in.LastRefusal = r
		case r.Reason == ReasonNetworkClock:
			stale := r.Time-in.LastRefusal.Time > refusalShown.Milliseconds()
			if stale || in.LastRefusal.Reason == ReasonNetworkClock {
				in.LastRefusal = r
			}
		}
	}
	in.Refused += int64(refused)
	if ahead != ClockUnknown {
		in.ClockAhead = ahead
	}
	in.days.count(at, values, refused)
	d.dirty.mark(ref, in.page)
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

// markDaysSaved records that the days of devices are on disk as they were written.
func (d *Diagnostics) markDaysSaved(written []savedDay) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range written {
		w.of.days.markSaved(w.day)
	}
}

// savedDay is a day of a device that a flush writes.
type savedDay struct {
	of  *deviceIntake
	id  ID
	day DayIntake
}

// Forget drops a deleted device.
func (d *Diagnostics) Forget(ref Ref) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if in := d.devices[ref]; in != nil {
		in.gone = true
	}
	delete(d.devices, ref)
	delete(d.dirty.unplaced, ref)
}

// restore sets the intake of the devices of a page after a start.
func (d *Diagnostics) restore(page *devicePage, list []deviceStatus) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range list {
		ref := Ref{Tenant: page.key.tenant, ID: list[i].ID}
		if list[i].Intake != (Intake{}) || d.devices[ref] != nil {
			in := d.intakeOf(ref)
			in.Intake, in.page = list[i].Intake, page
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

// fill sets the intake of a page's members in list, and gives their days to write. A text that a device sent is
// made storable. Only a flush calls it.
func (d *Diagnostics) fill(page *devicePage, list []deviceStatus) (days []savedDay) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(page.intakes) != len(list) {
		page.intakes = make([]*deviceIntake, len(list))
	}
	for i := range list {
		in := page.intakes[i]
		if in == nil || in.gone {
			in = d.devices[Ref{Tenant: page.key.tenant, ID: list[i].ID}]
			page.intakes[i] = in
		}
		if in == nil {
			continue
		}
		list[i].Intake = in.Intake
		if in.LastRefusal.Identifier != "" {
			list[i].LastRefusal.Identifier = SanitizeText(in.LastRefusal.Identifier)
		}
		for _, day := range in.days {
			if day.unsaved {
				if days == nil {
					days = make([]savedDay, 0, len(list))
				}
				days = append(days, savedDay{in, list[i].ID, day.DayIntake})
			}
		}
	}
	return days
}

// reserve makes room for devices before a start restores them.
func (d *Diagnostics) reserve(devices int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.devices) == 0 {
		d.devices = make(map[Ref]*deviceIntake, devices)
	}
}

// takeDirty takes the devices from which something arrived.
func (d *Diagnostics) takeDirty() unwritten {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dirty.take()
}

// setPages records in which pages devices are now.
func (d *Diagnostics) setPages(pages map[Ref]*devicePage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for ref, page := range pages {
		if in := d.devices[ref]; in != nil {
			in.page = page
		}
	}
}
