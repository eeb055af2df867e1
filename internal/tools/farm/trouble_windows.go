package farm

import "golang.org/x/sys/windows"

// connectionRefused is the system's error for an address on which no program listens.
const connectionRefused = windows.WSAECONNREFUSED
