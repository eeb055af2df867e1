package db

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// diskErrors are what the system says of a disk that takes nothing. Those of
// the same names in syscall are made up: Windows never answers them.
var diskErrors = []syscall.Errno{
	windows.ERROR_DISK_FULL,
	windows.ERROR_HANDLE_DISK_FULL,
	windows.ERROR_DISK_QUOTA_EXCEEDED,
	windows.ERROR_WRITE_PROTECT,
	windows.ERROR_IO_DEVICE,
	windows.ERROR_WRITE_FAULT,
}
