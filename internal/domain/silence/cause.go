// Package silence finds out why a device is silent: the cause that what is known of it shows best,
// with the evidence.
package silence

import (
	"time"

	"tilth/internal/domain/device"
)

// Kind is a cause of silence.
type Kind string

// The causes, in the order in which they are looked for: those with evidence from after the last
// contact first, because what happens during the silence tells more than what came before it.
const (
	Disabled       Kind = "disabled"       // the provider has shut the device out
	SecretRefused  Kind = "secretRefused"  // it tries to sign in with a secret that is not valid
	NeverConnected Kind = "neverConnected" // nothing ever arrived
	GatewaySilent  Kind = "gatewaySilent"  // the gateway that reported it is silent too
	BatteryLow     Kind = "batteryLow"     // its battery was below the limit when it fell silent
	ClockAhead     Kind = "clockAhead"     // its last readings were refused because they were of the future
	Unknown        Kind = "unknown"
)

// Kinds are all causes.
var Kinds = []Kind{Disabled, SecretRefused, NeverConnected, GatewaySilent, BatteryLow, ClockAhead, Unknown}

// Cause is why a device is silent. Times are epoch milliseconds. Only the evidence of its Kind is
// set.
type Cause struct {
	Kind        Kind
	Since       int64         // the last contact; of a device that never connected, when it was added
	LastContact int64         // 0: never
	Interval    time.Duration // the usual time between two readings; 0: not known

	Battery *BatteryEvidence
	SignIns *device.RefusedSignIns
	Gateway *GatewayEvidence
	Clock   *ClockEvidence
}

// BatteryEvidence says how low a battery was when its device fell silent.
type BatteryEvidence struct {
	Identifier string
	Unit       string
	Precision  *int
	Value      float64 // the lowest of the last hours before the silence
	Time       int64   // of the value
	Limit      float64 // the product's
	NightsLow  int     // of the Nights, those in which the battery was below the limit
	Nights     int     // of the last five, those with readings of the battery
}

// GatewayEvidence names the gateway that is silent as well.
type GatewayEvidence struct {
	ID       device.ID
	Name     string // device name
	NoteName string // what people call it; may be empty
	Since    int64  // its last contact
}

// ClockEvidence says how wrong a device's clock was.
type ClockEvidence struct {
	Ahead     time.Duration // 0: not known
	RefusedAt int64
}
