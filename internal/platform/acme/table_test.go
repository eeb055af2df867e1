package acme

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/caddyserver/certmagic"

	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/authority"
)

var (
	tableKey   = bytes.Repeat([]byte{1}, 32)
	storedTime = time.UnixMilli(1_790_000_000_000)
)

// newTable makes a Table in a database of its own.
func newTable(t *testing.T) (*Table, *db.DB) {
	t.Helper()
	d, err := db.OpenPostgres(t.Context(), t.TempDir(), testkit.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return openTable(t, d, tableKey), d
}

func openTable(t *testing.T, d *db.DB, key []byte) *Table {
	t.Helper()
	table, err := NewTable(d, key, func() time.Time { return storedTime })
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// A table answers as certmagic's own storage does.
func TestTableIsLikeFiles(t *testing.T) {
	table, _ := newTable(t)
	for name, s := range map[string]certmagic.Storage{
		"files": &certmagic.FileStorage{Path: t.TempDir()},
		"table": table,
	} {
		t.Run(name, func(t *testing.T) { checkStorage(t, s) })
	}
}

func checkStorage(t *testing.T, s certmagic.Storage) {
	t.Helper()
	ctx := t.Context()
	for _, err := range []error{
		func() error { _, err := s.Load(ctx, "a/b"); return err }(),
		func() error { _, err := s.Stat(ctx, "a/b"); return err }(),
		func() error { _, err := s.List(ctx, "a", true); return err }(),
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("of what is not stored: %v", err)
		}
	}
	if err := s.Delete(ctx, "a"); err != nil {
		t.Errorf("delete what is not stored: %v", err)
	}
	content := map[string]string{
		"a/b/c.crt": "one",
		"a/b/c.key": "",
		"a/d":       "x",
		"a/b-e":     "y",
		"a%b/c":     "z",
		"ab/c":      "w",
	}
	for key, value := range content {
		for _, v := range []string{"before", value} {
			if err := s.Store(ctx, key, []byte(v)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for key, value := range content {
		got, err := s.Load(ctx, key)
		if err != nil || string(got) != value {
			t.Errorf("%s: %q, %v", key, got, err)
		}
		info, err := s.Stat(ctx, key)
		if err != nil || info.Key != key || info.Size != int64(len(value)) || !info.IsTerminal ||
			info.Modified.IsZero() {
			t.Errorf("%s: %+v, %v", key, info, err)
		}
	}
	if info, err := s.Stat(ctx, "a/b"); err != nil || info.IsTerminal || info.Key != "a/b" {
		t.Errorf("a folder: %+v, %v", info, err)
	}
	for key, want := range map[string]bool{"a": true, "a/b": true, "a/b/c.key": true, "a/b/c": false, "b": false} {
		if got := s.Exists(ctx, key); got != want {
			t.Errorf("%s exists: %v", key, got)
		}
	}
	for _, c := range []struct {
		prefix    string
		recursive bool
		want      []string
	}{
		{"a", false, []string{"a/b", "a/b-e", "a/d"}},
		{"a", true, []string{"a/b", "a/b-e", "a/b/c.crt", "a/b/c.key", "a/d"}},
		{"a/b", false, []string{"a/b/c.crt", "a/b/c.key"}},
		{"", false, []string{"a", "a%b", "ab"}},
	} {
		got, err := s.List(ctx, c.prefix, c.recursive)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("list %q %v: %v, %v", c.prefix, c.recursive, got, err)
		}
	}
	if err := s.Delete(ctx, "a/b"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.List(ctx, "a", true); err != nil || !slices.Equal(got, []string{"a/b-e", "a/d"}) {
		t.Errorf("after a folder is deleted: %v, %v", got, err)
	}
	checkLock(t, s)
}

// checkLock checks that a lock has one holder, and that whoever waits can give up.
func checkLock(t *testing.T, s certmagic.Storage) {
	t.Helper()
	ctx := t.Context()
	if err := s.Lock(ctx, "one"); err != nil {
		t.Fatal(err)
	}
	if err := s.Lock(ctx, "another"); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Lock(ended, "one"); !errors.Is(err, context.Canceled) {
		t.Errorf("a second holder: %v", err)
	}
	got := make(chan error, 1)
	go func() { got <- s.Lock(ctx, "one") }()
	if err := s.Unlock(ctx, "one"); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("after it is released: %v", err)
	}
	for _, name := range []string{"one", "another"} {
		if err := s.Unlock(ctx, name); err != nil {
			t.Error(err)
		}
	}
}

// Whoever reads the database reads no key, and a content in another row, or of another platform, counts as
// damaged, not as missing or unreadable.
func TestTableIsEncrypted(t *testing.T) {
	table, d := newTable(t)
	ctx, secret := t.Context(), "-----BEGIN PRIVATE KEY-----"
	if err := table.Store(ctx, "k/one.key", []byte(secret)); err != nil {
		t.Fatal(err)
	}
	if err := table.Store(ctx, "k/two.key", []byte("other")); err != nil {
		t.Fatal(err)
	}
	var one, two file
	for name, into := range map[string]*file{"k/one.key": &one, "k/two.key": &two} {
		if err := d.Read(ctx).NewSelect().Model(into).Where("name = ?", name).Scan(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Contains(one.Sealed, []byte("PRIVATE")) || one.ModifiedAt != storedTime.UnixMilli() {
		t.Errorf("%q, %d", one.Sealed, one.ModifiedAt)
	}
	damaged := func(what string, from *Table, key string) {
		t.Helper()
		var unread *fs.PathError
		if _, err := from.Load(ctx, key); err == nil || errors.As(err, &unread) {
			t.Errorf("%s: %v", what, err)
		}
	}
	damaged("another platform", openTable(t, d, bytes.Repeat([]byte{2}, 32)), "k/one.key")
	if _, err := table.aead.Open(nil, nil, one.Sealed, []byte("k/two.key")); err == nil {
		t.Error("a content can be moved to another row")
	}
}

// What a server alone had is imported once, without its locks; a later folder changes nothing.
func TestImport(t *testing.T) {
	table, _ := newTable(t)
	ctx, dir := t.Context(), t.TempDir()
	if n, err := table.Import(ctx, filepath.Join(dir, "missing")); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	files := &certmagic.FileStorage{Path: dir}
	for _, key := range []string{"certificates/ca/a.example/a.example.key", "acme/ca/users/default/default.json"} {
		if err := files.Store(ctx, key, []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Lock(ctx, "held"); err != nil {
		t.Fatal(err)
	}
	if n, err := table.Import(ctx, dir); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	got, err := table.Load(ctx, "certificates/ca/a.example/a.example.key")
	if err != nil || string(got) != "certificates/ca/a.example/a.example.key" {
		t.Errorf("%q, %v", got, err)
	}
	if keys, err := table.List(ctx, "", false); err != nil || !slices.Equal(keys, []string{"acme", "certificates"}) {
		t.Error(keys, err)
	}
	if err := files.Store(ctx, "certificates/ca/b.example/b.example.key", nil); err != nil {
		t.Fatal(err)
	}
	if n, err := table.Import(ctx, dir); n != 0 || err != nil {
		t.Error(n, err)
	}
	if err := files.Unlock(ctx, "held"); err != nil {
		t.Error(err)
	}
}

// Another node serves what the first one obtained from the ACME server or imported; it asks for none itself.
func TestAnotherNodeServesTheCertificate(t *testing.T) {
	table, d := newTable(t)
	w := newACMEFixture(t, authority.Options{})
	c, stop := w.start(func(o *Options) { o.Table = table })
	w.serve(c)
	waitFor(t, "a certificate", func() bool { return !c.Statuses()[0].Expires.IsZero() })
	stop()
	if _, err := os.Stat(w.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder for keys: %v", err)
	}
	another, _ := w.start(func(o *Options) { o.Table = openTable(t, d, tableKey) })
	if got, want := another.Statuses()[0], c.Statuses()[0]; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
