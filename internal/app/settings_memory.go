package app

import (
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"tilth/internal/platform/memory"
)

// Memory is how much memory the server may use. Zero: as much as there is.
type Memory struct {
	Bytes    uint64 // 0: Share
	Share    int    // of what the machine, or the container, has; percent
	Explicit bool   // somebody said so: it is no default
}

const (
	// memoryFlag is its setting.
	memoryFlag = "memory"
	// defaultShare leaves room for the disk's cache, and for what does not count as
	// the program's own.
	defaultShare = 75
	// minMemory is about what a server holds that has nothing to do but sign
	// somebody in.
	minMemory = 128 << 20
	// memoryOff is the value that sets no limit.
	memoryOff = "off"
	// goMemLimitEnv is the variable of Go's own with which a limit may be set.
	goMemLimitEnv = "GOMEMLIMIT"
)

func memoryFlags(f *pflag.FlagSet) {
	f.String(
		memoryFlag,
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
		memoryFlag,
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
			return Memory{}, fmt.Errorf("--%s: %s is less than %d MiB", memoryFlag, text, minMemory>>20)
		}
		return m, nil
	}
	return Memory{}, wrong
}

// limit is how many bytes the setting comes to on a machine; 0: there is no limit.
// GOMEMLIMIT, if the operator has set it, counts where the setting does not say
// anything; goes is what the runtime has made of it.
func (m Memory) limit(root fs.FS, runtimeLimit int64, logger *slog.Logger) uint64 {
	own := os.Getenv(goMemLimitEnv)
	switch {
	case own != "" && !m.Explicit:
		if runtimeLimit == math.MaxInt64 {
			return 0 // off
		}
		logger.Info("the limit of memory is that of "+goMemLimitEnv, "mib", runtimeLimit>>20)
		return uint64(runtimeLimit)
	case own != "":
		logger.Warn("--"+memoryFlag+" counts, and not "+goMemLimitEnv, goMemLimitEnv, own)
	}
	if m.Bytes > 0 || m.Share == 0 {
		return m.Bytes
	}
	available, err := memory.Available(root)
	if err != nil {
		logger.Info(
			"how much memory there is is not known, so there is no limit; --"+memoryFlag+" sets one",
			"error",
			err,
		)
		return 0
	}
	return available / 100 * uint64(m.Share)
}

// gauge sets the limit, and makes what watches over it.
func (m Memory) gauge(logger *slog.Logger) *memory.Gauge {
	limit := m.limit(os.DirFS("/"), debug.SetMemoryLimit(-1), logger)
	if limit > 0 {
		debug.SetMemoryLimit(int64(min(limit, math.MaxInt64)))
	} else if m.Explicit {
		debug.SetMemoryLimit(math.MaxInt64)
	}
	return memory.New(memory.Options{Limit: limit, Logger: logger})
}

// describeMemory publishes how much memory there is, and what is refused for want
// of it.
func (s *Server) describeMemory() {
	m := s.metrics
	m.gauge(
		"tilth_memory_limit_bytes",
		"Memory that the server may use; 0: no limit.",
		func() float64 { return float64(s.memory.Limit()) },
	)
	m.gauge(
		"tilth_memory_in_use_bytes",
		"Memory in use, without what is free to be used again; near the limit without garbage.",
		func() float64 { return float64(s.memory.InUse()) },
	)
	m.labelled(
		"tilth_memory_refused_total",
		"Work that was refused, or of devices made to wait, for want of memory, by its kind.",
		"work",
		s.memory.Refused,
	)
}
