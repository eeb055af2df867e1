package memory

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Available is how much memory this process may use, in bytes: the smallest of the machine's memory
// and the limits of its control group (version 2 or 1) and the groups above it. root is the
// machine's file system: os.DirFS("/"). The error says what could not be read; on systems other
// than Linux there always is one.
func Available(root fs.FS) (uint64, error) {
	most, err := ofMachine(root)
	if err != nil {
		return 0, err
	}
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if errors.Is(err, fs.ErrNotExist) {
		return most, nil // a kernel without control groups
	}
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(groups)) {
		// hierarchy:controllers:path; version 2 has hierarchy 0 and names no controllers.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch {
		case parts[0] == "0" && parts[1] == "":
			err = applyGroupLimits(root, &most, "sys/fs/cgroup", parts[2], "memory.max", "memory.high")
		case hasController(parts[1]):
			err = applyGroupLimits(root, &most, "sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes")
		}
		if err != nil {
			return 0, err
		}
	}
	return most, nil
}

// ofMachine is how much memory the machine has.
func ofMachine(root fs.FS) (uint64, error) {
	f, err := root.Open("proc/meminfo")
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		if name != "MemTotal" {
			continue
		}
		kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 53)
		if err != nil {
			return 0, fmt.Errorf("proc/meminfo: %q: %w", lines.Text(), err)
		}
		return kib << 10, nil
	}
	if err := lines.Err(); err != nil {
		return 0, err
	}
	return 0, errors.New("proc/meminfo does not say MemTotal")
}

func hasController(list string) bool {
	for name := range strings.SplitSeq(list, ",") {
		if name == "memory" {
			return true
		}
	}
	return false
}

// applyGroupLimits lowers most to the limits in the files of a group's folder and of the folders
// above it. Inside a container the group's own path may not be visible; the uppermost folder is
// then the container's.
func applyGroupLimits(root fs.FS, most *uint64, top, group string, files ...string) error {
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		for _, file := range files {
			raw, err := fs.ReadFile(root, path.Join(top, group, file))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			text := strings.TrimSpace(string(raw))
			if text == "max" {
				continue
			}
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				return fmt.Errorf("%s: %q is no number of bytes", path.Join(top, group, file), text)
			}
			if n > 0 {
				*most = min(*most, n)
			}
		}
		if group == "/" {
			return nil
		}
	}
}
