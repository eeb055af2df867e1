// Package alertmsg holds the facts of alarm notices that people are notified of, and the periods of
// notification. Package alarm writes the facts, package notify makes texts of them.
package alertmsg

import (
	"time"

	"tilth/internal/platform/comparator"
)

// Event is what happened to a notice.
type Event string

// The events that people are notified of.
const (
	Triggered Event = "triggered"
	Reminder  Event = "reminder" // it is still open
	Resolved  Event = "resolved"
	// A user acknowledged the notice, or withdrew that: webhooks are called, and reminders depend
	// on it.
	Acknowledged   Event = "acknowledged"
	Unacknowledged Event = "unacknowledged"
)

// Precision is how exactly it is known since when an alarm holds.
type Precision string

// The precisions.
const (
	ToTheMinute Precision = ""
	ToTheDay    Precision = "day"    // only the day of the time counts
	BeforeThat  Precision = "before" // it has held since before the time: the search did not look further back
)

// Flags are the precision as answers and webhooks say it.
func (p Precision) Flags() (day, before bool) { return p == ToTheDay, p == BeforeThat }

// Alarm holds the facts for a text about a notice, in any language. Messages and deliveries store
// its JSON.
type Alarm struct {
	Event  Event  `json:"event"`
	Notice int64  `json:"notice"`
	Rule   int64  `json:"rule"`
	Title  string `json:"title"`
	Level  int    `json:"level"` // 0 general, 1 important, 2 serious

	DeviceID   int64  `json:"deviceId"`
	DeviceName string `json:"deviceName"`
	NoteName   string `json:"noteName"` // what people call the device; may be empty
	Product    int64  `json:"product"`

	Offline bool  `json:"offline,omitempty"` // the rule is on being offline
	Window  int64 `json:"window,omitempty"`  // ms: for so long, or within so long
	Hits    int   `json:"hits,omitempty"`    // samples for which the conditions held

	Conditions []Condition `json:"conditions,omitempty"`
	// Values are those of the sample that triggered the event, of the properties of the conditions,
	// by identifier: a number, a boolean or a string.
	Values map[string]any `json:"values,omitempty"`
	// Properties are those of the conditions, as they were then, by identifier. Alarms from before
	// they were kept have none.
	Properties map[string]Property `json:"properties,omitempty"`

	// Unsteady is set on an unsteady notice: how many notices its rule had begun within an hour; 0:
	// the notice is not unsteady. Changes is how often its conditions turned true or false.
	Unsteady int `json:"unsteady,omitempty"`
	Changes  int `json:"changes,omitempty"`

	Start int64 `json:"start"`         // epoch ms
	End   int64 `json:"end,omitempty"` // epoch ms; 0: it is open
	// HoldsSince is since when the conditions have held by the stored readings, or the device has
	// been silent, epoch ms. 0: it is not known, or was not when this was written; then whoever
	// makes the text asks again.
	HoldsSince          int64     `json:"holdsSince,omitempty"`
	HoldsSincePrecision Precision `json:"holdsSincePrecision,omitempty"`

	// Ack is the acknowledgement; nil: nobody acknowledged the notice. At is when it was
	// acknowledged or that was withdrawn, epoch ms; 0 in other events.
	Ack *Ack  `json:"ack,omitempty"`
	At  int64 `json:"at,omitempty"`

	// Silence is why the device of an alarm on being offline is silent; nil: not known. It is of the
	// moment at which people are notified, and not kept.
	Silence *Silence `json:"-"`

	Description string `json:"description,omitempty"` // of the rule
	Manual      bool   `json:"byHand,omitempty"`      // a user resolved it
	User        string `json:"user,omitempty"`        // who
	Remark      string `json:"remark,omitempty"`
}

// Ack is the acknowledgement of a notice.
type Ack struct {
	User     string `json:"user"` // display name
	Time     int64  `json:"time"` // epoch ms
	Note     string `json:"note,omitempty"`
	RemindAt int64  `json:"remindAt"` // nobody is reminded before, epoch ms
}

// Condition is one comparison of a rule, folded from left to right.
type Condition struct {
	Join     string              `json:"join"` // and, or; of the first one and
	Property string              `json:"property"`
	Operator comparator.Operator `json:"operator"`
	Value    any                 `json:"value"` // a number, a boolean or a string
	Recovery *float64            `json:"recovery,omitempty"`
}

// Property is a property as a product had it.
type Property struct {
	Name     string `json:"name,omitempty"` // where the catalogue has none
	Unit     string `json:"unit,omitempty"`
	Decimals *int   `json:"decimals,omitempty"` // nil: values are not rounded
}

// Name is what people call the device.
func (a *Alarm) Name() string {
	if a.NoteName != "" {
		return a.NoteName
	}
	return a.DeviceName
}

// DeliveryOptions say who is notified of a rule's notices, and when.
type DeliveryOptions struct {
	Channels    []int64
	Period      Period
	RemindEvery time.Duration // while a notice is open; 0: never
	// Late is set on a notice that began with readings which came much too late, such as out of a
	// logger's memory: people are notified only if it is still open once all of them have arrived.
	Late bool
}
