package reading

import "golang.org/x/sys/windows"

// errLocked is what the system says of a lock that another process holds:
// Pebble opens its file for itself alone.
const errLocked = windows.ERROR_SHARING_VIOLATION
