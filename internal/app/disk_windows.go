package app

import (
	"errors"

	"golang.org/x/sys/windows"
)

// freeBytes is how much room there is for whoever asks, on the disk of a folder.
func freeBytes(dir string) (free uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	return free, err
}

// replaceProcess always fails: Windows puts no program in the place of a
// process, and one that is started beside it is not what a service manager
// watches over.
func replaceProcess(string) error {
	return errors.New("Windows cannot do that: start the program again")
}
