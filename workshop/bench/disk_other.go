//go:build !linux

package bench

import "os"

func makeDurable(f *os.File) error { return f.Sync() }
