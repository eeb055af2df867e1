// Package announced reads from a server's log on which addresses it listens. Tests and the workshop start
// servers on port 0.
package announced

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"sync"
)

// Addresses are the addresses on which a server listens: host:port each, or Off.
type Addresses struct{ HTTP, HTTPS, MQTT, MQTTTLS, Admin string }

// Off is the address of a listener that is switched off.
const Off = "off"

var (
	// A node of a cluster that does not lead has its admin port alone.
	readyLines = [][]byte{[]byte(`msg="tilth is ready"`), []byte(`msg="tilth is a standby"`)}
	// Earlier versions do not name listeners that they do not have.
	listening = regexp.MustCompile(`(?: http=(\S+))?(?: https=(\S+))?(?: mqtt=(\S+))?(?: mqtt-tls=(\S+))? admin=(\S+) `)
)

// Reader reads a server's addresses from its log, which must be text from level info on. A
// server that listens on port 0 takes a free port and logs it in the line that says that it is
// ready.
type Reader struct {
	mu     sync.Mutex
	begun  []byte // a line without its end
	newest chan Addresses
}

// NewReader makes a Reader.
func NewReader() *Reader { return &Reader{newest: make(chan Addresses, 1)} }

// Ready returns the addresses of the newest start, once. A server that restarts itself logs its
// addresses again.
func (a *Reader) Ready() <-chan Addresses { return a.newest }

// Write takes a part of the log.
func (a *Reader) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begun = append(a.begun, b...)
	for {
		line, rest, whole := bytes.Cut(a.begun, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		saysReady := func(text []byte) bool { return bytes.Contains(line, text) }
		if found := listening.FindSubmatch(line); found != nil && slices.ContainsFunc(readyLines, saysReady) {
			select {
			case <-a.newest: // replace the addresses of an earlier start
			default:
			}
			at := func(i int) string { return cmp.Or(string(found[i]), Off) }
			a.newest <- Addresses{at(1), at(2), at(3), at(4), at(5)}
		}
		a.begun = rest
	}
}
