package alertmsg

// Silence is why an alarm's device is silent when people are notified of it. Times are epoch
// milliseconds; only the members of its Kind are set.
type Silence struct {
	Kind        string // as in package silence
	LastContact int64  // 0: never
	Interval    int64  // the usual milliseconds between two readings; 0: not known

	Value, Limit      float64 // batteryLow
	Unit              string
	Decimals          *int
	NightsLow, Nights int

	Attempts int64  // secretRefused
	Former   bool   // the secret was the device's own before
	Gateway  string // gatewaySilent: what people call it
	Ahead    int64  // clockAhead: milliseconds; 0: not known
	At       int64  // of the battery's value, the last attempt, the gateway's last contact, the refusal
}
