package acme

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// locksDir is certmagic's folder of locks; they mean nothing in another process.
const locksDir = "locks"

// Table stores the account, keys and certificates in the database of a cluster, encrypted, so that
// whichever node leads serves the same certificates. It implements certmagic.Storage.
//
// Only the node that leads writes: each write is a transaction of its writer, which fails once another
// node leads. That is what fences a former leader, so a lock need not outlive its process.
type Table struct {
	db   *db.DB
	aead cipher.AEAD
	now  func() time.Time

	mu    sync.Mutex
	locks map[string]chan struct{} // closed when the lock is released
}

var _ certmagic.Storage = (*Table)(nil)

// file is a row of the table.
type file struct {
	bun.BaseModel `bun:"table:acme_files"`

	Name       string `bun:",pk"`
	Sealed     []byte
	ModifiedAt int64
}

// NewTable makes a Table whose contents are encrypted with a key of 32 bytes.
func NewTable(d *db.DB, key []byte, now func() time.Time) (*Table, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Table{db: d, aead: aead, now: now, locks: map[string]chan struct{}{}}, nil
}

// Import stores what a folder holds if nothing is stored yet, and returns how many files that were. The
// folder stays as it is; it may be missing.
func (t *Table) Import(ctx context.Context, dir string) (imported int, err error) {
	known, err := t.db.Read(ctx).NewSelect().Model((*file)(nil)).Exists(ctx)
	if err != nil || known {
		return 0, err
	}
	var files []file
	err = filepath.WalkDir(dir, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && at == dir:
			return filepath.SkipAll
		case err != nil:
			return err
		case entry.IsDir():
			if at == filepath.Join(dir, locksDir) {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		files = append(files, t.file(filepath.ToSlash(name), content, info.ModTime()))
		return nil
	})
	if err != nil || len(files) == 0 {
		return 0, err
	}
	err = t.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&files).Exec(ctx)
		return err
	})
	return len(files), err
}

func (t *Table) file(name string, content []byte, modified time.Time) file {
	// A sealed content belongs to its name: in another row it cannot be opened.
	return file{Name: name, Sealed: t.aead.Seal(nil, nil, content, []byte(name)), ModifiedAt: modified.UnixMilli()}
}

// Store implements certmagic.Storage.
func (t *Table) Store(ctx context.Context, key string, value []byte) error {
	f := t.file(key, value, t.now())
	return failed("store", key, t.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&f).On("CONFLICT (name) DO UPDATE").
			Set("sealed = EXCLUDED.sealed").Set("modified_at = EXCLUDED.modified_at").Exec(ctx)
		return err
	}))
}

// Load implements certmagic.Storage.
func (t *Table) Load(ctx context.Context, key string) ([]byte, error) {
	f, err := t.read(ctx, "load", key)
	if err != nil {
		return nil, err
	}
	content, err := t.aead.Open(nil, nil, f.Sealed, []byte(key))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be decrypted with the key of this platform: %w", key, err)
	}
	return content, nil
}

// Delete implements certmagic.Storage.
func (t *Table) Delete(ctx context.Context, key string) error {
	return failed("delete", key, t.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*file)(nil)).
			Where("name = ? OR starts_with(name, ?)", key, key+"/").Exec(ctx)
		return err
	}))
}

// Exists implements certmagic.Storage.
func (t *Table) Exists(ctx context.Context, key string) bool {
	found, err := t.db.Read(ctx).NewSelect().Model((*file)(nil)).
		Where("name = ? OR starts_with(name, ?)", key, key+"/").Exists(ctx)
	// It cannot tell of an error. What is taken to exist is then loaded, which tells of it.
	return found || err != nil
}

// List implements certmagic.Storage.
func (t *Table) List(ctx context.Context, prefix string, recursive bool) ([]string, error) {
	within := ""
	if prefix != "" {
		within = prefix + "/"
	}
	var names []string
	err := t.db.Read(ctx).NewSelect().Model((*file)(nil)).Column("name").
		Where("starts_with(name, ?)", within).Order("name").Scan(ctx, &names)
	if err != nil {
		return nil, failed("list", prefix, err)
	}
	if len(names) == 0 {
		return nil, failed("list", prefix, fs.ErrNotExist)
	}
	var keys []string
	for _, name := range names {
		parts := strings.Split(name[len(within):], "/")
		for n := range parts {
			if n > 0 && !recursive {
				break
			}
			// Names with the same folder may have others between them: "a-b" is before "a/b".
			if key := path.Join(prefix, path.Join(parts[:n+1]...)); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys, nil
}

// Stat implements certmagic.Storage.
func (t *Table) Stat(ctx context.Context, key string) (certmagic.KeyInfo, error) {
	f, err := t.read(ctx, "stat", key)
	if errors.Is(err, fs.ErrNotExist) {
		within, listErr := t.List(ctx, key, false)
		if listErr != nil {
			return certmagic.KeyInfo{}, listErr
		}
		return certmagic.KeyInfo{Key: key, IsTerminal: len(within) == 0}, nil
	}
	if err != nil {
		return certmagic.KeyInfo{}, err
	}
	size := int64(len(f.Sealed)) - int64(t.aead.Overhead())
	return certmagic.KeyInfo{Key: key, Modified: time.UnixMilli(f.ModifiedAt), Size: size, IsTerminal: true}, nil
}

// read reads a row. Its errors are those of a file that cannot be read.
func (t *Table) read(ctx context.Context, op, key string) (f file, err error) {
	err = t.db.Read(ctx).NewSelect().Model(&f).Where("name = ?", key).Scan(ctx)
	if db.IsMissing(err) {
		err = fs.ErrNotExist
	}
	return f, failed(op, key, err)
}

// failed makes an error of the database one of a file.
func failed(op, key string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: "acme_files/" + key, Err: err}
}

// Lock implements certmagic.Locker. It excludes the goroutines of this process; see Table for other nodes.
func (t *Table) Lock(ctx context.Context, name string) error {
	for {
		t.mu.Lock()
		held, ok := t.locks[name]
		if !ok {
			t.locks[name] = make(chan struct{})
		}
		t.mu.Unlock()
		if !ok {
			return nil
		}
		select {
		case <-held:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Unlock implements certmagic.Locker.
func (t *Table) Unlock(_ context.Context, name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	held, ok := t.locks[name]
	if !ok {
		return fmt.Errorf("acme: nobody holds the lock %s", name)
	}
	delete(t.locks, name)
	close(held)
	return nil
}
