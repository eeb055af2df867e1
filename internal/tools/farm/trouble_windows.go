package farm

import "golang.org/x/sys/windows"

// connectionRefused is what the system says where nobody listens.
const connectionRefused = windows.WSAECONNREFUSED
