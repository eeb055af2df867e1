package db

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Copy writes the database as it is at one instant to DIR/tilth.db, which must not exist, while
// others read and write. The copy is on disk when Copy returns. It is an SQLite file, even if the
// database is on a server.
func (d *DB) Copy(ctx context.Context, dir string) error {
	path := filepath.Join(dir, "tilth.db")
	if d.server != nil {
		if _, err := os.Stat(path); err == nil {
			return fmt.Errorf("copy the database: %s already exists", path)
		}
		if err := d.copyToFile(ctx, dir); err != nil {
			return fmt.Errorf("copy the database: %w", err)
		}
		return nil
	}
	if _, err := d.read.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return os.Chmod(path, 0o600)
}
