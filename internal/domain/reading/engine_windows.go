package reading

import "golang.org/x/sys/windows"

// errLocked is the system's error for a lock that another process holds: Pebble opens its lock file
// without sharing.
const errLocked = windows.ERROR_SHARING_VIOLATION
