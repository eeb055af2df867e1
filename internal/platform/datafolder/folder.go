// Package datafolder handles the files of a data folder beside its database and its readings: the
// lock of the running server, the platform's key, the retention clock, and what a restore unpacks
// there.
package datafolder

import (
	"fmt"
	"os"
	"path/filepath"
)

// Require refuses a folder that holds no server's data.
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
