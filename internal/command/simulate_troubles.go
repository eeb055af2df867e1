package command

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"tilth/internal/tools/farm"
)

// maxRefusedNamed is how many devices are named that the server refuses.
const maxRefusedNamed = 10

// troubleLog tells what keeps devices from publishing: each trouble once, however
// many suffer from it and however often they try, and again when it comes back
// after it had ended.
type troubleLog struct {
	out io.Writer

	mu       sync.Mutex
	byDevice map[string]string // what a device suffers from
	counts   map[string]int    // how many devices suffer from what was told
	refused  int               // devices so far of which was told that the server refuses them
}

func newTroubleLog(out io.Writer) *troubleLog {
	return &troubleLog{out: out, byDevice: map[string]string{}, counts: map[string]int{}}
}

// add takes note of a device that could not publish.
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

// print writes a trouble down. Callers hold the lock.
func (r *troubleLog) print(says string, refused bool) {
	if refused {
		r.refused++
	}
	switch {
	case refused && r.refused == maxRefusedNamed+1:
		fmt.Fprintln(r.out, "More devices are refused, and not named here.")
	case !refused || r.refused <= maxRefusedNamed:
		fmt.Fprintln(r.out, says+"; trying again.")
	}
}

// clear takes note of a device of which the server has acknowledged something.
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
