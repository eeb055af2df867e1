package app

import (
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
)

// deviceKey gives the platform's key, under which device secrets are hashed.
// It is made at the first start and kept in DATA/device-key; without that file
// no device gets in, so a backup must hold it.
func deviceKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, "device-key")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newDeviceKey(path)
	}
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(raw)))
	if err != nil || len(key) != 32 {
		return nil, fmt.Errorf("%s is damaged: 64 hex digits are expected; restore it from a backup", path)
	}
	return key, nil
}

// embedKey is the key under which the addresses of cameras' snippets are
// signed. It comes from the platform's, so that they outlive a restart.
func embedKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "embedded video", 32)
}

// webhookKey is the key under which the secrets of webhooks are encrypted. It
// comes from the platform's, so that the database alone tells none.
func webhookKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "webhook secrets", 32)
}

func newDeviceKey(path string) ([]byte, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(hex.EncodeToString(key) + "\n")
	return key, errors.Join(err, f.Sync(), f.Close())
}
