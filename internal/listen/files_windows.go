package listen

// MostConnections is 0, any number: Windows limits a process's connections by its
// memory alone.
func MostConnections() (int, error) { return 0, nil }
