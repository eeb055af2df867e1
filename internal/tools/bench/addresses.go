package bench

import (
	"bytes"
	"cmp"
	"regexp"
	"sync"
)

// Addresses is where a server listens: host:port each, or Off.
type Addresses struct{ HTTP, HTTPS, MQTT, MQTTTLS, Admin string }

// AddressOff is the address of what a server does not listen on.
const AddressOff = "off"

var (
	readyLine = []byte(`msg="tilth is ready"`)
	// Earlier versions said nothing of what they did not have.
	listening = regexp.MustCompile(` http=(\S+)(?: https=(\S+))? mqtt=(\S+)(?: mqtt-tls=(\S+))? admin=(\S+) `)
)

// AddressReader reads where a server listens in what it logs, as text from level
// info on: a server that is told to listen on port 0 takes one that nobody has,
// and says which in the line with which it lets people and devices in.
type AddressReader struct {
	mu     sync.Mutex
	begun  []byte // a line whose end is not written yet
	newest chan Addresses
}

// NewAddressReader makes one that has read nothing.
func NewAddressReader() *AddressReader { return &AddressReader{newest: make(chan Addresses, 1)} }

// Ready gives the addresses of the newest start, once. A server that begins anew
// by itself announces itself again.
func (a *AddressReader) Ready() <-chan Addresses { return a.newest }

// Write takes a part of the log.
func (a *AddressReader) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begun = append(a.begun, b...)
	for {
		line, rest, whole := bytes.Cut(a.begun, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		if found := listening.FindSubmatch(line); found != nil && bytes.Contains(line, readyLine) {
			select {
			case <-a.newest: // nobody has asked for an earlier one
			default:
			}
			at := func(i int) string { return cmp.Or(string(found[i]), AddressOff) }
			a.newest <- Addresses{at(1), at(2), at(3), at(4), at(5)}
		}
		a.begun = rest
	}
}
