package server

import (
	"fmt"
	"path/filepath"

	"tilth/internal/domain/reading"
	"tilth/internal/platform/db"
)

// DamageAdvice says what to do about a damaged folder.
const DamageAdvice = "keep the folder as it is, and restore a backup into another (docs/backup.md)"

// ExplainDamage explains an error that reports damage in a data folder: what is damaged, what to
// do, and then the engine's own words. It returns other errors as they are.
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
