package db

// WithShortLockTimeout runs f while opening a database does not wait for another process.
func WithShortLockTimeout(f func()) {
	usual := lockTimeout
	lockTimeout = "10ms"
	defer func() { lockTimeout = usual }()
	f()
}
