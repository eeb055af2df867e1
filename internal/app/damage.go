package app

import (
	"fmt"
	"path/filepath"

	"tilth/internal/domain/reading"
	"tilth/internal/platform/db"
)

// DamageAdvice is what to do about it.
const DamageAdvice = "keep the folder as it is, and restore a backup into another (docs/backup.md)"

// ExplainDamage says of an error that tells of damage in a data folder where it is,
// what to do, and then the engine's own words. Other errors it gives back.
func ExplainDamage(dir string, err error) error {
	if detail := db.Corruption(err); detail != nil {
		return fmt.Errorf("%s: the database is damaged: %s: %w", filepath.Join(dir, "tilth.db"), DamageAdvice, detail)
	}
	if detail := reading.Corruption(err); detail != "" {
		return fmt.Errorf(
			"%s: readings are damaged or missing: %s: %s",
			filepath.Join(dir, "readings"),
			DamageAdvice,
			detail,
		)
	}
	return err
}
