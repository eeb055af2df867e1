package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// tick is the unit of processor time in /proc: on Linux a hundredth of a second on every processor.
const tick = 10 * time.Millisecond

// processorTime returns the processor time that a process has used so far, in user and in system
// mode.
func processorTime(pid int) (time.Duration, error) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, err
	}
	// The command's name, in parentheses, may hold anything.
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
	const user, system = 14 - 3, 15 - 3 // proc(5)'s field numbers, less those up to the name
	if len(fields) <= system {
		return 0, fmt.Errorf("/proc/%d/stat is cut short", pid)
	}
	var ticks int64
	for _, field := range [][]byte{fields[user], fields[system]} {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}

// residentMemory returns how many bytes of a process are in memory.
func residentMemory(pid int) (int64, error) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(raw)
	if len(fields) < 2 {
		return 0, fmt.Errorf("/proc/%d/statm is cut short", pid)
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// meter measures the processor time of the server and of this process between
// two moments.
type meter struct {
	pid           int
	began         time.Time
	server, own   time.Duration
	cores, ownCPU float64 // used on average between begin and end
	err           error
}

func (m *meter) begin() {
	m.began = time.Now()
	m.server, m.own = m.read()
}

func (m *meter) end() {
	server, own := m.read()
	elapsed := time.Since(m.began).Seconds()
	m.cores = (server - m.server).Seconds() / elapsed
	m.ownCPU = (own - m.own).Seconds() / elapsed
}

func (m *meter) read() (server, own time.Duration) {
	var err error
	if m.pid > 0 {
		if server, err = processorTime(m.pid); err != nil {
			m.err = err
		}
	}
	if own, err = processorTime(os.Getpid()); err != nil {
		m.err = err
	}
	return server, own
}
