package listen

// ConnectionLimit is 0, any number: on Windows only the memory of a process limits its connections.
func ConnectionLimit() (int, error) { return 0, nil }
