package homeassistant

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"

	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/tenant"
)

// Problem says why a tenant's broker is not served: the key of a sentence, which says what to do.
type Problem string

// The problems of a connection.
const (
	Unreachable        Problem = "homeAssistant.unreachable"
	NothingListens     Problem = "homeAssistant.nothingListens"
	Forbidden          Problem = "homeAssistant.forbidden"
	WrongCertificate   Problem = "homeAssistant.certificate"
	NotABroker         Problem = "homeAssistant.notABroker"
	WrongCredentials   Problem = "homeAssistant.credentials"
	Ended              Problem = "homeAssistant.ended"
	TooSlow            Problem = "homeAssistant.slow"
	NotSubscribed      Problem = "homeAssistant.notSubscribed"
	PasswordUnreadable Problem = "homeAssistant.passwordUnreadable"
	TooMany            Problem = "homeAssistant.tooMany"
	Held               Problem = "homeAssistant.held"
	Fault              Problem = "homeAssistant.fault"
)

// failure is an error with the problem that people read of.
type failure struct {
	problem Problem
	cause   error
}

func (f *failure) Error() string { return string(f.problem) + ": " + f.cause.Error() }

func (f *failure) Unwrap() error { return f.cause }

// problemOf gives the problem of an error; a fault of the server if it has none.
func problemOf(err error) Problem {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.problem
	}
	return Fault
}

var errUnknownHost = errors.New("no address that this server calls")

// dialFailure says why no connection was made to a host. Of a name that has no address, or none that the
// guard allows, neither the text nor the time tells which it was.
func dialFailure(ctx context.Context, host string, begun time.Time, err error) error {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return &failure{NothingListens, err}
	case tenant.IsNumericHost(host) && guard.Refused(err):
		return &failure{Forbidden, err}
	case tenant.IsNumericHost(host):
		return &failure{Unreachable, err}
	}
	if _, lookupFailed := errors.AsType[*net.DNSError](err); lookupFailed || guard.Refused(err) {
		err = errUnknownHost
	}
	// It waits for a time and not for an event, since events would tell what happened.
	timer := time.NewTimer(time.Until(begun.Add(lookupDelay)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return &failure{Unreachable, err}
}

// tlsFailure says why TLS did not begin.
func tlsFailure(err error) error {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	var authority x509.UnknownAuthorityError
	if untrusted || errors.As(err, &authority) {
		return &failure{WrongCertificate, err}
	}
	return &failure{NotABroker, err}
}

// signInFailure says why a broker did not sign us in.
func signInFailure(err error) error {
	switch {
	case errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword), errors.Is(err, packets.ErrorRefusedNotAuthorised):
		return &failure{WrongCredentials, err}
	case errors.Is(err, packets.ErrorRefusedServerUnavailable), errors.Is(err, packets.ErrorRefusedIDRejected):
		return &failure{Ended, err}
	}
	return &failure{NotABroker, err}
}
