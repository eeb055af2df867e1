package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Memory is how much memory the server may use. Zero: as much as there is.
type Memory struct {
	Bytes    uint64 // 0: Share
	Share    int    // of what the machine, or the container, has; percent
	Explicit bool   // somebody said so: it is no default
}

const (
	// MemoryFlag is its setting.
	MemoryFlag = "memory"
	// defaultShare leaves room for the disk's cache, and for what does not count as
	// the program's own.
	defaultShare = 75
	// minMemory is about what a server holds that has nothing to do but sign
	// somebody in.
	minMemory = 128 << 20
	// memoryOff is the value that sets no limit.
	memoryOff = "off"
)

func addMemoryFlags(f *pflag.FlagSet) {
	f.String(
		MemoryFlag,
		strconv.Itoa(defaultShare)+"%",
		"memory that the server may use: a share of the machine's or the container's, or for example 1GiB; "+
			"work is refused before there is no more; off: no limit",
	)
}

// memoryUnits are those of an amount of memory; a number by itself is of bytes.
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
