package server

import (
	"io/fs"
	"log/slog"
	"math"
	"os"
	"runtime/debug"

	"tilth/internal/platform/memory"
	"tilth/internal/settings"
)

// goMemLimitEnv is Go's own variable for a memory limit.
const goMemLimitEnv = "GOMEMLIMIT"

// memoryLimit is the limit in bytes that the setting sets on this machine; 0: no limit. If the
// operator has set GOMEMLIMIT and not the setting, GOMEMLIMIT counts; runtimeLimit is what the Go
// runtime has read from it.
func memoryLimit(m settings.Memory, root fs.FS, runtimeLimit int64, logger *slog.Logger) uint64 {
	own := os.Getenv(goMemLimitEnv)
	switch {
	case own != "" && !m.Explicit:
		if runtimeLimit == math.MaxInt64 {
			return 0 // off
		}
		logger.Info("the memory limit is that of "+goMemLimitEnv, "mib", runtimeLimit>>20)
		return uint64(runtimeLimit)
	case own != "":
		logger.Warn("--"+settings.MemoryFlag+" counts, and not "+goMemLimitEnv, goMemLimitEnv, own)
	}
	if m.Bytes > 0 || m.Share == 0 {
		return m.Bytes
	}
	available, err := memory.Available(root)
	if err != nil {
		logger.Info(
			"the size of the memory is not known, so there is no limit; --"+settings.MemoryFlag+" sets one",
			"error", err,
		)
		return 0
	}
	return available / 100 * uint64(m.Share)
}

// newGauge sets the limit, and makes the gauge that watches it.
func newGauge(m settings.Memory, logger *slog.Logger) *memory.Gauge {
	limit := memoryLimit(m, os.DirFS("/"), debug.SetMemoryLimit(-1), logger)
	if limit > 0 {
		debug.SetMemoryLimit(int64(min(limit, math.MaxInt64)))
	} else if m.Explicit {
		debug.SetMemoryLimit(math.MaxInt64)
	}
	return memory.New(memory.Options{Limit: limit, Logger: logger})
}

// describeMemory publishes how much memory there is, and what is refused for lack of it.
func (s *Server) describeMemory() {
	m := s.metrics
	m.gauge(
		"tilth_memory_limit_bytes",
		"Memory that the server may use; 0: no limit.",
		func() float64 { return float64(s.memory.Limit()) },
	)
	m.gauge(
		"tilth_memory_in_use_bytes",
		"Memory in use, without free memory that the process keeps; near the limit without garbage.",
		func() float64 { return float64(s.memory.InUse()) },
	)
	m.labelled(
		"tilth_memory_refused_total",
		"Work that was refused for lack of memory, or made to wait if it is of devices, by its kind.",
		"work",
		s.memory.Refused,
	)
}
