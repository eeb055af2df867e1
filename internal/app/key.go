package app

import (
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tilth/internal/platform/db"
)

// keyFile keeps the platform's key in a data folder.
const keyFile = "device-key"

// deviceKey gives the platform's key, under which device secrets are hashed.
// It is made at the first start and kept in DATA/device-key; without that file
// no device gets in, so a backup must hold it, and another is not made once the
// database has what hangs on it.
func deviceKey(ctx context.Context, d *db.DB, dir string) ([]byte, error) {
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
	return createDeviceKey(filepath.Join(dir, keyFile))
}

// keyFromBackup is what to do where the key is lost.
const keyFromBackup = "It is in every backup: tar -xf BACKUP " + keyFile + ", or restore the whole (docs/operating.md, Backup and restore)"

func missingKey(dir string) string { return filepath.Join(dir, keyFile) + " is missing" }

// readDeviceKey is the key that a folder has; fs.ErrNotExist where it has none.
func readDeviceKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, keyFile)
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

// examineKey says what is wrong with a folder's key; empty when nothing is.
func examineKey(dir string) string {
	switch _, err := readDeviceKey(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return missingKey(dir) + ": no device gets in without it. " + keyFromBackup
	case err != nil:
		return err.Error()
	}
	return ""
}

// embedKey is the key under which the addresses of cameras' snippets are
// signed. It comes from the platform's, so that they outlive a restart.
func embedKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "embedded video", 32)
}

// decoyKey is the key that picks what accounts that do not exist cost. It comes from the
// platform's, so that a restart picks no others.
func decoyKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "decoys", 32)
}

// webhookKey is the key under which the secrets of webhooks are encrypted. It
// comes from the platform's, so that the database alone tells none.
func webhookKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "webhook secrets", 32)
}

// createDeviceKey makes a key and keeps it, whole or not at all: a server that is killed
// meanwhile would find half a key at its next start, and never begin.
func createDeviceKey(path string) ([]byte, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return key, textFile(path).write(hex.EncodeToString(key))
}
