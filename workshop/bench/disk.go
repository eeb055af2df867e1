package bench

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// measureDisk appends blocks of size bytes to a file in dir, one after the other, each made
// durable, and returns how many it wrote in a second. This is the most that the disk gives a writer
// that does nothing else.
func measureDisk(dir string, size int, d time.Duration) (perSecond float64, err error) {
	f, err := os.Create(filepath.Join(dir, "disk-limit"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	block := make([]byte, size)
	if _, err := rand.Read(block); err != nil {
		return 0, err
	}
	began, blocks := time.Now(), 0
	for time.Since(began) < d {
		if _, err := f.Write(block); err != nil {
			return 0, err
		}
		if err := makeDurable(f); err != nil {
			return 0, err
		}
		blocks++
	}
	return float64(blocks) / time.Since(began).Seconds(), nil
}
