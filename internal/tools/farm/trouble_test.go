package farm

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"
)

// simulated returns devices of the test's product with the secrets of secretOf.
func simulated(names ...string) (list []SimulatedDevice) {
	for _, name := range names {
		list = append(
			list,
			SimulatedDevice{Name: name, Secret: secretOf(name), Product: "strange", Properties: customProperties},
		)
	}
	return list
}

// troubleLog collects the troubles that OnTrouble gets.
type troubleLog struct {
	mu   sync.Mutex
	list []*Trouble
}

func (c *troubleLog) add(t *Trouble) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, t)
}

func (c *troubleLog) says() (list []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.list {
		list = append(list, t.Message)
	}
	return list
}

// A simulation with a number of reports to send gives up after a while and returns the reason.
func TestSimulationThatCannotPublishGivesUp(t *testing.T) {
	t.Parallel()
	const closed = "tcp://127.0.0.1:1" // no server gets this port by chance
	strict := newServer(t, func(string) string { return "another secret entirely" })
	mute := newServer(t, secretOf)
	mute.mute = true
	foreign := httptest.NewUnstartedServer(nil) // its certificate is not trusted
	foreign.Config.ErrorLog = log.New(io.Discard, "", 0)
	foreign.StartTLS()
	t.Cleanup(foreign.Close)
	untrusted := "ssl://" + foreign.Listener.Addr().String()
	for name, c := range map[string]struct{ broker, says, end string }{
		"no server":    {closed, "nobody listens at " + closed, "S-1, S-2, S-3 and 1 more: given up: nobody listens at " + closed},
		"wrong secret": {strict.url(), "the server refuses its name or secret", "S-1, S-2, S-3 and 1 more: given up: the server refuses its name or secret"},
		"certificate that is not trusted": {
			untrusted, "no connection to " + untrusted + ": its certificate is not trusted here: x509: certificate signed by unknown authority",
			"S-1, S-2, S-3 and 1 more: given up: no connection to " + untrusted + ": its certificate is not trusted here: x509: certificate signed by unknown authority",
		},
		"no answer": {
			mute.url(), "the server at " + mute.url() + " has acknowledged nothing for 50ms",
			"S-1, S-2, S-3 and 1 more: given up: the server at " + mute.url() + " has acknowledged nothing for 50ms",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var told troubleLog
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			err := Simulate(ctx, SimulateOptions{
				Broker:  c.broker,
				Devices: simulated("S-1", "S-2", "S-3", "S-4"),
				Every:   20 * time.Millisecond,
				Count:   2,
				LinkOptions: LinkOptions{
					Backoff:    10 * time.Millisecond,
					GiveUp:     300 * time.Millisecond,
					AckTimeout: 50 * time.Millisecond,
					OnTrouble:  told.add,
				},
			})
			if ctx.Err() != nil {
				t.Fatal("Simulate did not give up")
			}
			if err == nil || err.Error() != c.end {
				t.Errorf("Simulate returned %v, want %s", err, c.end)
			}
			if says := told.says(); len(says) < 8 ||
				slices.ContainsFunc(says, func(s string) bool { return s != c.says }) {
				t.Errorf("troubles %q, want %q", says, c.says)
			}
		})
	}
}

// A reason is the same for every attempt.
func TestReason(t *testing.T) {
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40001}
	late := &tls.CertificateVerificationError{
		Err: x509.CertificateInvalidError{
			Reason: x509.Expired,
			Detail: "current time 2026-11-22T13:41:45Z is after 2026-11-01T00:00:00Z",
		},
	}
	for want, err := range map[string]error{
		"its certificate has expired or is not valid yet": late,
		"connection reset by peer":                        &net.OpError{Op: "read", Net: "tcp", Source: local, Err: syscall.ECONNRESET},
		"EOF":                                             io.EOF,
		"unknown protocol":                                errors.New("unknown protocol"),
	} {
		wrapped := fmt.Errorf("%w : %w", packets.ErrorNetworkError, err) // as the client does
		if got := connectReason(wrapped); got != want {
			t.Errorf("%v: %q, want %q", wrapped, got, want)
		}
	}
}

// After a trouble ends, its time no longer counts towards GiveUp, however long all troubles last
// together.
func TestTroubleEndsAfterAcknowledgement(t *testing.T) {
	t.Parallel()
	s := newServer(t, secretOf)
	s.cutAfter["S-1"] = 1
	var told troubleLog
	err := Simulate(t.Context(), SimulateOptions{
		Broker: s.url(), Devices: simulated("S-1"), Every: 30 * time.Millisecond, Count: 30,
		LinkOptions: LinkOptions{Backoff: 10 * time.Millisecond, GiveUp: 400 * time.Millisecond, OnTrouble: told.add},
	})
	if err != nil {
		t.Error(err)
	}
	if says := told.says(); len(says) != 1 || says[0] != "the server at "+s.url()+" has cut the connection" {
		t.Errorf("troubles %q", says)
	}
	if n := len(s.times("S-1", true)); n != 30 {
		t.Errorf("%d of 30 reports were acknowledged", n)
	}
}

// joinErrors reports devices that gave up for different reasons separately.
func TestJoinErrors(t *testing.T) {
	err := joinErrors(
		[]error{
			nil,
			&Trouble{Device: "A", Message: "x"},
			errors.New("other"),
			&Trouble{Device: "B", Message: "y"},
			&Trouble{Device: "C", Message: "x"},
		},
	)
	if err == nil || err.Error() != "other\nA, C: given up: x\nB: given up: y" {
		t.Errorf("%v", err)
	}
	if err := joinErrors([]error{nil, nil}); err != nil {
		t.Errorf("without failures: %v", err)
	}
	if err := (&Trouble{Message: "x", Cause: context.Canceled}); !errors.Is(err, context.Canceled) ||
		!strings.HasPrefix(err.Error(), "x: ") {
		t.Errorf("%v", err)
	}
}
