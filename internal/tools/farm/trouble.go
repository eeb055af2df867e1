package farm

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/eclipse/paho.mqtt.golang/packets"
)

// Trouble is why a device cannot publish now.
type Trouble struct {
	Device  string
	Message string // for a person; the same for all that suffer from the same
	SignIn  bool   // the server refuses the device, not everybody
	Cause   error  // nil: Says is all
}

// Error is for logs.
func (t *Trouble) Error() string {
	if t.Cause == nil {
		return t.Message
	}
	return fmt.Sprintf("%s: %v", t.Message, t.Cause)
}

// Unwrap gives the cause.
func (t *Trouble) Unwrap() error { return t.Cause }

// connectTrouble says why a device could not connect.
func (s *sender) connectTrouble(err error) *Trouble {
	t := &Trouble{Device: s.name, Cause: err}
	switch {
	case errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword), errors.Is(err, packets.ErrorRefusedNotAuthorised):
		t.Message, t.SignIn, t.Cause = "the server refuses its name or secret", true, nil
	case errors.Is(err, packets.ErrorRefusedServerUnavailable):
		t.Message, t.Cause = "the server at "+s.broker+" lets nobody in now", nil
	case errors.Is(err, connectionRefused):
		t.Message, t.Cause = "nobody listens at "+s.broker, nil
	default:
		t.Message, t.Cause = "no connection to "+s.broker+": "+connectReason(err), nil
	}
	return t
}

// connectReason is why there is no connection, without what differs from one attempt
// to the next: the port on this side, and the time.
func connectReason(err error) string {
	var invalid x509.CertificateInvalidError
	var untrusted *tls.CertificateVerificationError
	var op *net.OpError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired or is not valid yet"
	case errors.As(err, &untrusted):
		return "its certificate is not trusted here: " + untrusted.Err.Error()
	case errors.As(err, &op):
		return op.Err.Error()
	}
	return strings.TrimPrefix(err.Error(), packets.ErrorNetworkError.Error()+" : ")
}

// lostTrouble says that a connection ended before all was acknowledged.
func (s *sender) lostTrouble(err error) *Trouble {
	return &Trouble{Device: s.name, Message: "the server at " + s.broker + " has cut the connection", Cause: err}
}

// noAckTrouble says that nothing was acknowledged for too long.
func (s *sender) noAckTrouble() *Trouble {
	return &Trouble{
		Device:  s.name,
		Message: fmt.Sprintf("the server at %s has acknowledged nothing for %s", s.broker, s.link.AckTimeout),
	}
}

// maxNamedDevices is how many devices are named of those that gave up for one reason.
const maxNamedDevices = 3

// joinErrors joins what senders said at their end; those that gave up for the same
// reason are told of together.
func joinErrors(faults []error) error {
	var reasons []string
	var others []error
	devices := map[string][]string{} // by reason
	for _, fault := range faults {
		var t *Trouble
		if !errors.As(fault, &t) {
			others = append(others, fault)
			continue
		}
		if !slices.Contains(reasons, t.Message) {
			reasons = append(reasons, t.Message)
		}
		devices[t.Message] = append(devices[t.Message], t.Device)
	}
	for _, reason := range reasons {
		who := devices[reason]
		list := strings.Join(who[:min(len(who), maxNamedDevices)], ", ")
		if more := len(who) - maxNamedDevices; more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		others = append(others, fmt.Errorf("%s: given up: %s", list, reason))
	}
	return errors.Join(others...)
}
