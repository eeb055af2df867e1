package db

// WithShortLockTimeout runs f with a short lock timeout, so that opening a database does not wait
// for another process.
func WithShortLockTimeout(f func()) {
	usual := lockTimeout
	lockTimeout = "10ms"
	defer func() { lockTimeout = usual }()
	f()
}
