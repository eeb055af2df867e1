package alarm

import (
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
)

// RuleID is a rule's number; never reused.
type RuleID int64

// Trigger is what a rule watches for.
type Trigger int

// What a rule can watch for.
const (
	AttributeChange Trigger = 0
	DeviceOffline   Trigger = 1
)

// DeployState says whether a rule is evaluated.
type DeployState int

// The states of a rule; every state but Running shows as stopped.
const (
	New       DeployState = 0
	Running   DeployState = 1
	TakenDown DeployState = 2
)

const (
	joinedByOr    = "or"
	joinedByAnd   = "and"
	onlineState   = "onlineState" // the fixed attribute of a rule on being offline
	mostHits      = 10
	maxConditions = 16
	mostChannels  = 20
)

// Windows are the lengths a rule's window can have.
var Windows = []time.Duration{
	time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 20 * time.Minute, 25 * time.Minute,
	30 * time.Minute,
}

// Condition is one comparison of a rule. Conditions are folded from left to
// right: ((c1 andor2 c2) andor3 c3) and so on. Its JSON is what is stored.
type Condition struct {
	Join      string              `json:"andor"` // and, or; of the first one and
	Attribute string              `json:"tslAttribute"`
	Operator  comparator.Operator `json:"subconditions"`
	Value     reading.Value       `json:"value"`
	// Recovery keeps an open notice open until this value is passed instead of Value. Only a
	// condition that compares a number by size has one.
	Recovery *float64 `json:"recovery,omitempty"`
}

// Rule says when a device's readings, or its absence, are an alarm, and who is notified when.
type Rule struct {
	ID       RuleID
	Tenant   tenant.ID
	Revision int64 // rises with every change that affects the evaluation
	Name     string
	Targets  Targets
	// Device is, in a rule of a pair, the device on which the rule is evaluated. Otherwise it is
	// the first device: of those that are named, or of those that are the rule's. 0: it has none
	// now.
	Device device.ID
	// JoinTime is of a pair: readings from before do not count, epoch ms; 0: the device joined
	// with the rule.
	JoinTime      int64
	Trigger       Trigger
	Conditions    []Condition // none where Trigger is DeviceOffline
	Hits          int         // how many samples must hold the conditions
	Window        time.Duration
	Level         Level
	Channels      []int64
	Period        alertmsg.Period
	RemindEvery   time.Duration // whole minutes, while a notice is open; 0: never
	ManualRelease bool          // an open notice may be resolved manually
	Description   string
	Deploy        DeployState
	DeployTime    int64 // when it was published or stopped last, epoch ms; 0: never
	DeployUser    string
	MuteUntil     int64 // epoch ms
	CreateTime    int64
	UpdateTime    int64
}
