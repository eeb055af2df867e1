package reading

import "golang.org/x/sys/windows"

// lockedElsewhere is what the system says of a lock that another process holds:
// Pebble opens its file for itself alone.
const lockedElsewhere = windows.ERROR_SHARING_VIOLATION
