package server

import (
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"tilth/internal/settings"
	"tilth/internal/tools/testkit"
)

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
		set   settings.Memory
		files fstest.MapFS
		want  uint64
		log   string
	}{
		{"three quarters of the container", "", none, settings.Memory{Share: 75}, machine, 1073741824 / 100 * 75, ""},
		{"a share", "", none, settings.Memory{Share: 50, Explicit: true}, machine, 1073741824 / 100 * 50, ""},
		{"an amount", "", none, settings.Memory{Bytes: 2 << 30, Explicit: true}, machine, 2 << 30, ""},
		{"off", "", none, settings.Memory{Explicit: true}, machine, 0, ""},
		{"the size is not known", "", none, settings.Memory{Share: 75}, fstest.MapFS{}, 0, "is not known"},
		{"Go's own", "300MiB", 300 << 20, settings.Memory{Share: 75}, machine, 300 << 20, "is that of GOMEMLIMIT"},
		{"Go's own is off", "off", none, settings.Memory{Share: 75}, machine, 0, ""},
		{"both limits", "300MiB", 300 << 20, settings.Memory{Bytes: 2 << 30, Explicit: true}, machine, 2 << 30, "--memory counts, and not GOMEMLIMIT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(goMemLimitEnv, c.own)
			var log testkit.Log
			if got := memoryLimit(c.set, c.files, c.goes, slog.New(slog.NewTextHandler(&log, nil))); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
			if said := log.Text(); !strings.Contains(said, c.log) || c.log == "" && said != "" {
				t.Errorf("%s", said)
			}
		})
	}
}
