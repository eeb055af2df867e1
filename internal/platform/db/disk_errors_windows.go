package db

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// diskErrors are the system's errors for a disk that accepts no writes. The constants with Unix
// names in syscall are invented: Windows never returns them.
var diskErrors = []syscall.Errno{
	windows.ERROR_DISK_FULL,
	windows.ERROR_HANDLE_DISK_FULL,
	windows.ERROR_DISK_QUOTA_EXCEEDED,
	windows.ERROR_WRITE_PROTECT,
	windows.ERROR_IO_DEVICE,
	windows.ERROR_WRITE_FAULT,
}
