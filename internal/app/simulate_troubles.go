package app

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"tilth/internal/farm"
)

// refusedMost is how many devices are named that the server refuses.
const refusedMost = 10

// troubles tells what keeps devices from publishing: each trouble once, however
// many suffer from it and however often they try, and again when it comes back
// after it had ended.
type troubles struct {
	out io.Writer

	mu      sync.Mutex
	of      map[string]string // what a device suffers from
	told    map[string]int    // how many devices suffer from what was told
	refused int               // devices so far of which was told that the server refuses them
}

func newTroubles(out io.Writer) *troubles {
	return &troubles{out: out, of: map[string]string{}, told: map[string]int{}}
}

// began takes note of a device that could not publish.
func (r *troubles) began(t *farm.Trouble) {
	says := strings.ToUpper(t.Says[:1]) + t.Says[1:]
	if t.SignIn {
		says = t.Device + ": " + t.Says
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before, had := r.of[t.Device]
	if before == says {
		return
	}
	if had {
		r.told[before]--
	}
	if _, known := r.told[says]; !known {
		r.tell(says, t.SignIn)
	}
	r.of[t.Device] = says
	r.told[says]++
}

// tell writes a trouble down. Callers hold the lock.
func (r *troubles) tell(says string, refused bool) {
	if refused {
		r.refused++
	}
	switch {
	case refused && r.refused == refusedMost+1:
		fmt.Fprintln(r.out, "More devices are refused, and not named here.")
	case !refused || r.refused <= refusedMost:
		fmt.Fprintln(r.out, says+"; trying again.")
	}
}

// ended takes note of a device of which the server has acknowledged something.
func (r *troubles) ended(device string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	says, had := r.of[device]
	if !had {
		return
	}
	delete(r.of, device)
	if r.told[says]--; r.told[says] > 0 {
		return
	}
	for told, suffer := range r.told {
		if suffer == 0 {
			delete(r.told, told)
		}
	}
	if strings.HasPrefix(says, device+": ") {
		fmt.Fprintln(r.out, device+" publishes now.")
	} else {
		fmt.Fprintln(r.out, "Publishing again.")
	}
}
