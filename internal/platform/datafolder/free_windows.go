package datafolder

import "golang.org/x/sys/windows"

// FreeBytes is how many bytes this process may still write on the disk of a folder.
func FreeBytes(dir string) (free uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	return free, err
}
