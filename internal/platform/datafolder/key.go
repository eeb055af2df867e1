package datafolder

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tilth/internal/platform/db"
)

// KeyFile keeps the platform's key in a data folder.
const KeyFile = "device-key"

// DeviceKey gives the platform's key, under which device secrets are hashed.
// It is made at the first start and kept in DATA/device-key; without that file
// no device gets in, so a backup must hold it, and another is not made once the
// database has what hangs on it.
func DeviceKey(ctx context.Context, d *db.DB, dir string) ([]byte, error) {
	key, err := readDeviceKey(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	for _, table := range []string{"devices", "webhooks"} {
		there, err := d.Read(ctx).NewSelect().TableExpr(table).Exists(ctx)
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", table, err)
		}
		if there {
			return nil, fmt.Errorf(
				"%s: the database has %s whose secrets hang on it. %s",
				missingKey(dir),
				table,
				keyFromBackup,
			)
		}
	}
	return createDeviceKey(filepath.Join(dir, KeyFile))
}

// keyFromBackup is what to do where the key is lost.
const keyFromBackup = "It is in every backup: tar -xf BACKUP " + KeyFile + ", or restore the whole (docs/backup.md)"

func missingKey(dir string) string { return filepath.Join(dir, KeyFile) + " is missing" }

// readDeviceKey is the key that a folder has; fs.ErrNotExist where it has none.
func readDeviceKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, KeyFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(raw)))
	if err != nil || len(key) != 32 {
		return nil, fmt.Errorf("%s is damaged: 64 hex digits are expected. %s", path, keyFromBackup)
	}
	return key, nil
}

// ExamineKey says what is wrong with a folder's key; empty when nothing is.
func ExamineKey(dir string) string {
	switch _, err := readDeviceKey(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return missingKey(dir) + ": no device gets in without it. " + keyFromBackup
	case err != nil:
		return err.Error()
	}
	return ""
}

// createDeviceKey makes a key and keeps it, whole or not at all: a server that is killed
// meanwhile would find half a key at its next start, and never begin.
func createDeviceKey(path string) ([]byte, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return key, TextFile(path).Write(hex.EncodeToString(key))
}
