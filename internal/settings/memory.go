package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Memory is how much memory the server may use. The zero value sets no limit.
type Memory struct {
	Bytes    uint64 // 0: Share counts
	Share    int    // percent of what the machine, or the container, has
	Explicit bool   // the operator gave it: it is not the default
}

const (
	// MemoryFlag is the name of the setting.
	MemoryFlag = "memory"
	// defaultShare leaves room for the disk's cache, and for memory that does not count as the
	// program's own.
	defaultShare = 75
	// minMemory is about what an idle server needs to let one user sign in.
	minMemory = 128 << 20
	// memoryOff is the value that sets no limit.
	memoryOff = "off"
)

func addMemoryFlags(f *pflag.FlagSet) {
	f.String(
		MemoryFlag,
		strconv.Itoa(defaultShare)+"%",
		"memory that the server may use: a share of the machine's or the container's, or an amount such as 1GiB; "+
			"the server refuses work before memory runs out; off: no limit",
	)
}

// memoryUnits are the units of an amount of memory. A number without a unit counts bytes.
var memoryUnits = []struct {
	name  string
	bytes uint64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"", 1}}

// parseMemory reads an amount of memory, a share, or off.
func parseMemory(text string) (m Memory, err error) {
	wrong := fmt.Errorf(
		"--%s: %q is not a share such as 75%%, an amount such as 512MiB or 2GiB, or %s",
		MemoryFlag,
		text,
		memoryOff,
	)
	if text == memoryOff {
		return Memory{}, nil
	}
	if share, ok := strings.CutSuffix(text, "%"); ok {
		m.Share, err = strconv.Atoi(share)
		if err != nil || m.Share < 1 || m.Share > 100 {
			return Memory{}, wrong
		}
		return m, nil
	}
	for _, unit := range memoryUnits {
		number, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil || n > math.MaxInt64/unit.bytes {
			return Memory{}, wrong
		}
		if m.Bytes = n * unit.bytes; m.Bytes < minMemory {
			return Memory{}, fmt.Errorf("--%s: %s is less than %d MiB", MemoryFlag, text, minMemory>>20)
		}
		return m, nil
	}
	return Memory{}, wrong
}
