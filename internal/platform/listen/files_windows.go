package listen

// ConnectionLimit is 0, any number: Windows limits a process's connections by its
// memory alone.
func ConnectionLimit() (int, error) { return 0, nil }
