package command

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"tilth/internal/tools/farm"
)

// maxRefusedNamed is how many of the devices that the server refuses are named.
const maxRefusedNamed = 10

// troubleLog reports what keeps devices from publishing. It reports each trouble once, however many
// devices have it and however often they try, and again if the trouble comes back after it had
// ended.
type troubleLog struct {
	out io.Writer

	mu       sync.Mutex
	byDevice map[string]string // the trouble that a device has
	counts   map[string]int    // how many devices have a reported trouble
	refused  int               // refused devices that were reported so far
}

func newTroubleLog(out io.Writer) *troubleLog {
	return &troubleLog{out: out, byDevice: map[string]string{}, counts: map[string]int{}}
}

// add notes that a device could not publish.
func (r *troubleLog) add(t *farm.Trouble) {
	says := strings.ToUpper(t.Message[:1]) + t.Message[1:]
	if t.SignIn {
		says = t.Device + ": " + t.Message
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before, had := r.byDevice[t.Device]
	if before == says {
		return
	}
	if had {
		r.counts[before]--
	}
	if _, known := r.counts[says]; !known {
		r.print(says, t.SignIn)
	}
	r.byDevice[t.Device] = says
	r.counts[says]++
}

// print prints a trouble. The caller holds the lock.
func (r *troubleLog) print(says string, refused bool) {
	if refused {
		r.refused++
	}
	switch {
	case refused && r.refused == maxRefusedNamed+1:
		fmt.Fprintln(r.out, "The server refuses more devices, which are not named here.")
	case !refused || r.refused <= maxRefusedNamed:
		fmt.Fprintln(r.out, says+"; trying again.")
	}
}

// clear notes that the server has acknowledged a message of a device.
func (r *troubleLog) clear(device string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	says, had := r.byDevice[device]
	if !had {
		return
	}
	delete(r.byDevice, device)
	if r.counts[says]--; r.counts[says] > 0 {
		return
	}
	for told, suffer := range r.counts {
		if suffer == 0 {
			delete(r.counts, told)
		}
	}
	if strings.HasPrefix(says, device+": ") {
		fmt.Fprintln(r.out, device+" publishes now.")
	} else {
		fmt.Fprintln(r.out, "Publishing again.")
	}
}
