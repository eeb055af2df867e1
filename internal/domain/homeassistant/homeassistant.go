// Package homeassistant makes the devices of a tenant appear in Home Assistant: the server is a client
// of the tenant's own MQTT broker, announces devices there as Home Assistant's MQTT discovery reads
// them, and publishes their values. Each tenant has a goroutine, a connection and bounds of its own, so
// that nobody waits for another tenant's broker.
package homeassistant

import (
	"time"

	"tilth/internal/domain/tenant"
)

const (
	defaultPrefix = "homeassistant" // where Home Assistant looks if nobody changed it
	baseOfTilth   = "tilth"

	// How many devices of a tenant, and how many of their properties, are announced: Home Assistant is made
	// for a house, and each entity is a topic in the broker.
	maxDevices  = 1000
	maxEntities = 10_000

	maxConnections = 500 // tenants that are served at once
	changesAnHour  = 60  // of the settings, by tenant
	limitedTenants = 10_000
	planningAtOnce = 2 // tenants whose devices are read at once

	dialWithin    = 5 * time.Second
	connectWithin = 10 * time.Second // TLS, and the broker's answer to our sign-in
	ackWithin     = 10 * time.Second // the broker's answer to a message
	writeWithin   = 5 * time.Second
	keepAlive     = 30 * time.Second
	pingWithin    = 10 * time.Second
	goodbyeWithin = 2 * time.Second // the last messages of a connection when the server stops
	stopWithin    = 3 * time.Second

	// Whether a name of a host exists, and whether the server may call it, shows neither in the text of a
	// failure nor in its time: such failures take a little longer than a lookup may.
	lookupDelay = dialWithin + 500*time.Millisecond
)

// Settings are a tenant's settings.
type Settings struct {
	Enabled     bool
	URL         string // of the broker, mqtts:// or mqtt://; empty: never set
	UserName    string
	HasPassword bool
	Prefix      string // the topic where Home Assistant looks for announcements
	Base        string // the topic below which states are published
}

// bridgeTopic is the topic that says whether the server is connected.
func (s *Settings) bridgeTopic() string { return s.Base + "/bridge" }

// statusTopic is the topic on which Home Assistant says that it has started.
func (s *Settings) statusTopic() string { return s.Prefix + "/status" }

// DefaultSettings are the settings of a tenant that never set any.
func DefaultSettings(t *tenant.Tenant) Settings {
	return Settings{Prefix: defaultPrefix, Base: baseOfTilth + "/" + segment(t.Name)}
}

// State says how a tenant's connection is.
type State string

// The states of a connection.
const (
	Off        State = "off"
	Connecting State = "connecting"
	Connected  State = "connected"
	Failed     State = "failed"
)

// Status is what a tenant's connection does.
type Status struct {
	State   State
	Problem Problem // empty: there is none
	Since   int64   // when the state began, epoch milliseconds; 0: it is off

	Devices, Entities int // announced
	Omitted           int // devices that are not, because there are too many
}
