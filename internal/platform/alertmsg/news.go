// Package news is what people are told of alarm notices, and when they want to
// hear it: facts that alarm writes and notify tells.
package alertmsg

import "time"

// Event is what happened to a notice.
type Event string

// What people are told of.
const (
	Triggered Event = "triggered"
	Reminder  Event = "reminder" // it is still open
	Resolved  Event = "resolved"
	// Somebody is on it, or is no more: programs are told, and reminders go by it.
	Acknowledged   Event = "acknowledged"
	Unacknowledged Event = "unacknowledged"
)

// Alarm is what a text about a notice is written from, in any language. Its
// JSON is what messages and deliveries keep.
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
	// Values are those of the sample that it was judged by, of the properties
	// that conditions are on, by identifier: a number, a boolean or a string.
	Values map[string]any `json:"values,omitempty"`
	// Properties are those that conditions are on, as they were then, by
	// identifier. What was written before they were kept has none.
	Properties map[string]Property `json:"properties,omitempty"`

	// Unsteady is of a notice that is unsteady: how many its rule had begun within an
	// hour; 0: it is not. Changes is how often its conditions turned true or false.
	Unsteady int `json:"unsteady,omitempty"`
	Changes  int `json:"changes,omitempty"`

	Start int64 `json:"start"`         // epoch ms
	End   int64 `json:"end,omitempty"` // epoch ms; 0: it is open
	// HoldsSince is since when the conditions have held by the stored readings, or the
	// device has been silent, epoch ms; 0: it is not known, or was not when this was
	// written, and who tells it asks again.
	HoldsSince int64 `json:"holdsSince,omitempty"`

	// Ack is who is on it; nil: nobody has said so. At is when that was said or taken
	// back, epoch ms; 0 of other events.
	Ack *Ack  `json:"ack,omitempty"`
	At  int64 `json:"at,omitempty"`

	Description string `json:"description,omitempty"` // of the rule
	Manual      bool   `json:"byHand,omitempty"`      // somebody resolved it
	User        string `json:"user,omitempty"`        // who
	Remark      string `json:"remark,omitempty"`
}

// Ack is who said to be on a notice.
type Ack struct {
	User     string `json:"user"` // as people call them
	Time     int64  `json:"time"` // epoch ms
	Note     string `json:"note,omitempty"`
	RemindAt int64  `json:"remindAt"` // nobody is reminded before, epoch ms
}

// Condition is one comparison of a rule, folded from left to right.
type Condition struct {
	Join     string   `json:"join"` // and, or; of the first one and
	Property string   `json:"property"`
	Operator string   `json:"operator"` // > >= < <= = !=
	Value    any      `json:"value"`    // a number, a boolean or a string
	Recovery *float64 `json:"recovery,omitempty"`
}

// Property is how a product had a property.
type Property struct {
	Name     string `json:"name,omitempty"` // where the catalogue has none
	Unit     string `json:"unit,omitempty"`
	Decimals *int   `json:"decimals,omitempty"` // nil: as it comes
}

// Name is what people call the device.
func (a *Alarm) Name() string {
	if a.NoteName != "" {
		return a.NoteName
	}
	return a.DeviceName
}

// DeliveryOptions are who is to be told of a rule's notices, and when.
type DeliveryOptions struct {
	Channels    []int64
	Period      Period
	RemindEvery time.Duration // while a notice is open; 0: never
	// Late is of a notice that began with readings which came much too late, as
	// out of a logger's memory: people are told only when it is still open once
	// all of them are in.
	Late bool
}
