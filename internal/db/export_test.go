package db

// Impatient runs f while opening a database does not wait for another process.
func Impatient(f func()) {
	usual := lockWithin
	lockWithin = "10ms"
	defer func() { lockWithin = usual }()
	f()
}
