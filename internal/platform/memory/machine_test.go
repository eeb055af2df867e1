package memory

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

const mib = 1 << 20

// machine is the file system of a machine with 8 GiB and the given additional files.
func machine(files map[string]string) fs.FS {
	m := fstest.MapFS{
		"proc/meminfo": {Data: []byte("MemFree: 1 kB\nMemTotal:        8388608 kB\nHugepagesize: 2048 kB\n")},
	}
	for name, content := range files {
		m[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return m
}

func TestAvailable(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  uint64
	}{
		"a machine without control groups": {nil, 8192 * mib},
		"version 2, a service": {map[string]string{
			"proc/self/cgroup": "0::/system.slice/tilth.service\n",
			"sys/fs/cgroup/system.slice/tilth.service/memory.max": "1073741824\n", "sys/fs/cgroup/system.slice/memory.max": "max\n",
		}, 1024 * mib},
		"version 2, a group above it has less": {map[string]string{
			"proc/self/cgroup":                       "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max":           "max\n",
			"sys/fs/cgroup/a/memory.max":             "536870912\n",
			"sys/fs/cgroup/somebody-else/memory.max": "1048576\n",
		}, 512 * mib},
		"version 2, within a container": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 256 * mib},
		"version 2, with a lower memory.high": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n", "sys/fs/cgroup/memory.high": "134217728\n",
		}, 128 * mib},
		"version 1": {map[string]string{
			"proc/self/cgroup": "11:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n1:name=systemd:/docker/1\n",
			"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "402653184\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 384 * mib},
		"version 1, within a container whose own path is not visible": {map[string]string{
			"proc/self/cgroup": "4:memory:/docker/1\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "402653184\n",
		}, 384 * mib},
		"more than the machine has": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "99999999999999\n"}, 8192 * mib},
		"unreadable lines":          {map[string]string{"proc/self/cgroup": "nonsense\n\n"}, 8192 * mib},
	} {
		if got, err := Available(machine(c.files)); err != nil || got != c.want {
			t.Errorf("%s: %d MiB, %v; want %d", name, got/mib, err, c.want/mib)
		}
	}
}

func TestAvailableFailsWhenUnreadable(t *testing.T) {
	if _, err := Available(fstest.MapFS{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("on a system other than Linux: %v", err)
	}
	for name, files := range map[string]map[string]string{
		"no number": {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "much\n"},
		"no total":  {"proc/meminfo": "MemFree: 1 kB\n"},
		"no size":   {"proc/meminfo": "MemTotal: lots\n"},
	} {
		if n, err := Available(machine(files)); err == nil {
			t.Errorf("%s: Available returned %d without an error", name, n)
		}
	}
}
