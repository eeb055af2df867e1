package app

import (
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"tilth/internal/tools/testkit"
)

func TestMemorySetting(t *testing.T) {
	for text, want := range map[string]Memory{
		"75%": {Share: 75}, "100%": {Share: 100}, "off": {}, "2GiB": {Bytes: 2 << 30}, "1TiB": {Bytes: 1 << 40},
		"131072KiB": {Bytes: 128 << 20}, "128MiB": {Bytes: 128 << 20}, "268435456": {Bytes: 256 << 20},
	} {
		if got, err := parseMemory(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0%", "101%", "75 %", "x%", "1.5GiB", "2GB", "-1", "127MiB", "0", "99999999999TiB", "none"} {
		if got, err := parseMemory(text); err == nil || !strings.HasPrefix(err.Error(), "--memory: ") {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestMemoryIsExplicit(t *testing.T) {
	if s, err := parseArgs(t); err != nil || s.Memory != (Memory{Share: 75}) {
		t.Errorf("%+v, %v", s.Memory, err)
	}
	if s, err := parseArgs(t, "--memory", "75%"); err != nil || s.Memory != (Memory{Share: 75, Explicit: true}) {
		t.Errorf("%+v, %v", s.Memory, err)
	}
	t.Setenv("TILTH_MEMORY", "512MiB")
	if s, err := parseArgs(t); err != nil || s.Memory != (Memory{Bytes: 512 << 20, Explicit: true}) {
		t.Errorf("%+v, %v", s.Memory, err)
	}
}

func TestMemoryLimit(t *testing.T) {
	machine := fstest.MapFS{
		"proc/meminfo": {Data: []byte("MemTotal: 8388608 kB\n")}, "proc/self/cgroup": {Data: []byte("0::/\n")},
		"sys/fs/cgroup/memory.max": {Data: []byte("1073741824\n")},
	}
	none := int64(math.MaxInt64)
	for _, c := range []struct {
		name  string
		own   string // GOMEMLIMIT
		goes  int64
		set   Memory
		files fstest.MapFS
		want  uint64
		log   string
	}{
		{"three quarters of the container", "", none, Memory{Share: 75}, machine, 1073741824 / 100 * 75, ""},
		{"a share", "", none, Memory{Share: 50, Explicit: true}, machine, 1073741824 / 100 * 50, ""},
		{"an amount", "", none, Memory{Bytes: 2 << 30, Explicit: true}, machine, 2 << 30, ""},
		{"off", "", none, Memory{Explicit: true}, machine, 0, ""},
		{"nobody knows", "", none, Memory{Share: 75}, fstest.MapFS{}, 0, "is not known"},
		{"Go's own", "300MiB", 300 << 20, Memory{Share: 75}, machine, 300 << 20, "is that of GOMEMLIMIT"},
		{"Go's own is off", "off", none, Memory{Share: 75}, machine, 0, ""},
		{"both", "300MiB", 300 << 20, Memory{Bytes: 2 << 30, Explicit: true}, machine, 2 << 30, "--memory counts, and not GOMEMLIMIT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(goMemLimitEnv, c.own)
			var log testkit.Log
			if got := c.set.limit(c.files, c.goes, slog.New(slog.NewTextHandler(&log, nil))); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
			if said := log.Text(); !strings.Contains(said, c.log) || c.log == "" && said != "" {
				t.Errorf("%s", said)
			}
		})
	}
}
