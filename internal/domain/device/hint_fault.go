package device

import "net/netip"

// Fault is what was wrong with how a device reached the server, before anybody looked at its secret
// or its message.
type Fault string

// The faults.
const (
	FaultMQTT31      Fault = "mqtt31"      // it speaks MQTT 3.1 or older
	FaultMQTTVersion Fault = "mqttVersion" // it speaks a later MQTT than 5
	FaultNotMQTT     Fault = "notMqtt"     // what arrived at the MQTT port is not MQTT
	FaultMalformed   Fault = "malformed"   // its CONNECT breaks the rules of MQTT
	FaultClientID    Fault = "clientId"    // its client identifier
	FaultNoUserName  Fault = "noUserName"  // MQTT 3.1.1: a password without a user name
	FaultNoSecret    Fault = "noSecret"    // no password
	FaultAuthMethod  Fault = "authMethod"  // it asks for enhanced authentication (MQTT 5)
	FaultPath        Fault = "path"        // HTTP: the path is not the right one
)

// Faults are all of them.
var Faults = []Fault{
	FaultMQTT31, FaultMQTTVersion, FaultNotMQTT, FaultMalformed, FaultClientID, FaultNoUserName, FaultNoSecret,
	FaultAuthMethod, FaultPath,
}

// Claim is what a client that was refused says of itself, as far as it could be read.
type Claim struct{ UserName, Password, ClientID string }

// Claimed tells which device a client is that was refused before its secret was looked at: the device
// whose name it gave as the user name, else the device whose secret it has, else the one whose name
// is its client identifier. What is neither a name nor a secret may be anybody's secret: callers
// must not keep it.
func (r *Registry) Claimed(c Claim) (ref Ref, known bool) {
	var secrets [2]SecretHash
	for i, secret := range []string{c.UserName, c.Password} {
		if secret != "" {
			secrets[i] = HashSecret(r.key, secret)
		}
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, e := range []*Entry{
		r.byName[c.UserName], r.bySecret[secrets[0]], r.bySecret[secrets[1]], r.byName[c.ClientID],
	} {
		if e != nil {
			return e.Ref, true
		}
	}
	return Ref{}, false
}

// Named finds the device of a name, whichever tenant's it is.
func (r *Registry) Named(name string) (ref Ref, known bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if e := r.byName[name]; e != nil {
		return e.Ref, true
	}
	return Ref{}, false
}

// NoteFault notes that a device, at an address (without port), was refused before its secret was
// looked at.
func (s *Hints) NoteFault(ref Ref, f Fault, address netip.Addr) {
	s.note(ref, Hint{
		Kind: HintWrongProtocol, Time: s.now().UnixMilli(), Fault: f, Address: MaskAddress(address),
	}, func(*Entry, *Hint) {})
}

// NotePath notes that a device reports at a path that is not right. right is the one that it should
// have, where a report was taken all the same; empty: nothing was taken.
func (s *Hints) NotePath(ref Ref, right string, address netip.Addr) {
	s.note(ref, Hint{
		Kind: HintWrongPath, Time: s.now().UnixMilli(), Path: right, Address: MaskAddress(address),
	}, func(*Entry, *Hint) {})
}

// replaces tells whether a hint takes the place of the one of its kind before: a device repeats such
// a fault with each report, which would leave no room for other hints.
func (k HintKind) replaces() bool { return k == HintWrongProtocol || k == HintWrongPath }
