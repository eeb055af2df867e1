// Package datafolder keeps what a data folder has beside its database and its readings:
// the lock of the server that runs on it, the platform's key, how far time has come, and
// what a restore unpacks there.
package datafolder

import (
	"fmt"
	"os"
	"path/filepath"
)

// Require refuses a folder in which no server has kept anything.
func Require(dir string) error {
	if _, err := os.ReadDir(dir); err != nil {
		return fmt.Errorf("--data-dir: %w: give the folder that a server keeps its data in", err)
	}
	for _, name := range []string{"tilth.db", "readings", "database-mark"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return nil
		}
	}
	return fmt.Errorf("--data-dir: %s is no data folder: it has neither tilth.db nor readings", dir)
}
