package app

import (
	"fmt"
	"os"
	"path/filepath"

	"tilth/internal/domain/reading"
	"tilth/internal/platform/db"
)

// damageAdvice is what to do about it.
const damageAdvice = "keep the folder as it is, and restore a backup into another (docs/operating.md, Backup and restore)"

// explainDamage says of an error that tells of damage in a data folder where it is,
// what to do, and then the engine's own words. Other errors it gives back.
func explainDamage(dir string, err error) error {
	if detail := db.Corruption(err); detail != nil {
		return fmt.Errorf("%s: the database is damaged: %s: %w", filepath.Join(dir, "tilth.db"), damageAdvice, detail)
	}
	if detail := reading.Corruption(err); detail != "" {
		return fmt.Errorf(
			"%s: readings are damaged or missing: %s: %s",
			filepath.Join(dir, "readings"),
			damageAdvice,
			detail,
		)
	}
	return err
}

// requireDataFolder refuses a folder in which no server has kept anything.
func requireDataFolder(dir string) error {
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
