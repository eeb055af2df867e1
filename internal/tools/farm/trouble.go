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
	Message string // for people; the same for all devices with the same trouble
	SignIn  bool   // the server refuses this device, not all devices
	Cause   error  // nil: Message says everything
}

// Error returns the message and the cause, for logs.
func (t *Trouble) Error() string {
	if t.Cause == nil {
		return t.Message
	}
	return fmt.Sprintf("%s: %v", t.Message, t.Cause)
}

// Unwrap returns the cause.
func (t *Trouble) Unwrap() error { return t.Cause }

// connectTrouble returns why a device could not connect.
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

// connectReason returns why there is no connection, without what differs between attempts: the
// local port and the time.
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

// lostTrouble is the trouble of a connection that ended before all reports were acknowledged.
func (s *sender) lostTrouble(err error) *Trouble {
	return &Trouble{Device: s.name, Message: "the server at " + s.broker + " has cut the connection", Cause: err}
}

// noAckTrouble is the trouble of a connection without acknowledgements for too long.
func (s *sender) noAckTrouble() *Trouble {
	return &Trouble{
		Device:  s.name,
		Message: fmt.Sprintf("the server at %s has acknowledged nothing for %s", s.broker, s.link.AckTimeout),
	}
}

// maxNamedDevices is how many devices an error names that gave up for the same reason.
const maxNamedDevices = 3

// joinErrors joins the errors of senders; it merges those of devices that gave up for the same
// reason.
func joinErrors(failures []error) error {
	var reasons []string
	var others []error
	devices := map[string][]string{} // by reason
	for _, failure := range failures {
		var t *Trouble
		if !errors.As(failure, &t) {
			others = append(others, failure)
			continue
		}
		if !slices.Contains(reasons, t.Message) {
			reasons = append(reasons, t.Message)
		}
		devices[t.Message] = append(devices[t.Message], t.Device)
	}
	for _, reason := range reasons {
		names := devices[reason]
		list := strings.Join(names[:min(len(names), maxNamedDevices)], ", ")
		if more := len(names) - maxNamedDevices; more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		others = append(others, fmt.Errorf("%s: given up: %s", list, reason))
	}
	return errors.Join(others...)
}
