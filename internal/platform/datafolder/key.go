package datafolder

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

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// KeyFile is the file of a data folder that holds the platform's key.
const KeyFile = "device-key"

// DeviceKey returns the platform's key, under which the server hashes device secrets. It creates
// the key at the first start and keeps it in DATA/device-key. Without that file no device can
// connect, so every backup holds it. DeviceKey creates no second key once the database holds
// secrets that depend on the first.
func DeviceKey(ctx context.Context, d *db.DB, dir string) ([]byte, error) {
	key, err := readDeviceKey(dir)
	if err == nil {
		err = CheckKey(ctx, d, key, dir)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	for _, of := range []struct{ table, what string }{
		{"devices", "devices"}, {"webhooks", "webhooks"}, {"second_factors", "second factors"},
	} {
		there, err := d.Read(ctx).NewSelect().TableExpr(of.table).Exists(ctx)
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", of.what, err)
		}
		if there {
			return nil, fmt.Errorf(
				"%s: the database has %s whose secrets hang on it. %s",
				missingKey(dir),
				of.what,
				keyFromBackup,
			)
		}
	}
	if key, err = createDeviceKey(filepath.Join(dir, KeyFile)); err != nil {
		return nil, err
	}
	return key, CheckKey(ctx, d, key, dir)
}

// CheckKey refuses a key other than the one that the database's secrets hang on. A database that
// knows no key yet remembers this one.
func CheckKey(ctx context.Context, d *db.DB, key []byte, dir string) error {
	own, err := fingerprint(key)
	if err != nil {
		return err
	}
	known, err := knownFingerprint(ctx, d)
	switch {
	case err != nil:
		return err
	case known == own:
		return nil
	case known != "":
		return errors.New(foreignKey(dir))
	}
	return d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw("INSERT INTO key_fingerprints (id, fingerprint) VALUES (1, ?)", own).Exec(ctx)
		return err
	})
}

// fingerprint identifies a key and reveals nothing of it.
func fingerprint(key []byte) (string, error) {
	of, err := hkdf.Key(sha256.New, key, nil, "fingerprint", 16)
	return hex.EncodeToString(of), err
}

// knownFingerprint is that of the key that the database's secrets hang on; empty if it knows none.
func knownFingerprint(ctx context.Context, d *db.DB) (known string, err error) {
	err = d.Read(ctx).NewRaw("SELECT fingerprint FROM key_fingerprints").Scan(ctx, &known)
	if db.IsMissing(err) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("read the key's fingerprint: %w", err)
	}
	return known, err
}

func foreignKey(dir string) string {
	return filepath.Join(dir, KeyFile) + " is the key of another installation: the secrets in this database hang on " +
		"the one that was here before. " + keyFromBackup
}

// JoinedKey returns the platform's key of a node of a cluster. isNew says that the database is new: then
// the node is the first, and the key is created if it is missing.
func JoinedKey(dir string, isNew bool) ([]byte, error) {
	key, err := readDeviceKey(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if !isNew {
		return nil, fmt.Errorf("%s: tilth join brings it from another node", missingKey(dir))
	}
	return createDeviceKey(filepath.Join(dir, KeyFile))
}

// CopyKey copies a platform's key from a file into a folder.
func CopyKey(path, dir string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if key, err := hex.DecodeString(strings.TrimSpace(string(raw))); err != nil || len(key) != 32 {
		return fmt.Errorf("%s is no key of a platform: 64 hex digits are expected", path)
	}
	return TextFile(filepath.Join(dir, KeyFile)).Write(strings.TrimSpace(string(raw)))
}

// keyFromBackup says what to do if the key is lost.
const keyFromBackup = "It is in every backup: tar -xf BACKUP " + KeyFile + ", or restore the whole (docs/backup.md)"

func missingKey(dir string) string { return filepath.Join(dir, KeyFile) + " is missing" }

// readDeviceKey reads the key of a folder. It returns fs.ErrNotExist if the folder has none.
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

// whyUnreadable says why a folder's key cannot be read; empty if it can.
func whyUnreadable(dir string) string {
	switch _, err := readDeviceKey(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return missingKey(dir) + ": no device gets in without it. " + keyFromBackup
	case err != nil:
		return err.Error()
	}
	return ""
}

// ExamineKey says what is wrong with the key of a folder, whose database may be of an earlier
// version. It is empty if nothing is.
func ExamineKey(ctx context.Context, d *db.DB, dir string) (wrong string, err error) {
	if wrong = whyUnreadable(dir); wrong != "" {
		return wrong, nil
	}
	key, err := readDeviceKey(dir)
	if err != nil {
		return "", err
	}
	if there, err := d.HasTable(ctx, "key_fingerprints"); err != nil || !there {
		return "", err
	}
	own, err := fingerprint(key)
	if err != nil {
		return "", err
	}
	known, err := knownFingerprint(ctx, d)
	if known != "" && known != own {
		wrong = foreignKey(dir)
	}
	return wrong, err
}

// createDeviceKey creates a key and writes it whole or not at all: half a key, as of a server that
// was killed, would prevent every later start.
func createDeviceKey(path string) ([]byte, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return key, TextFile(path).Write(hex.EncodeToString(key))
}
