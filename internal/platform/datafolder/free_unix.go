//go:build unix

package datafolder

import "syscall"

// FreeBytes is how many bytes this process may still write on the disk of a folder.
func FreeBytes(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
