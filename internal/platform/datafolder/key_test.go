package datafolder

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"tilth/internal/tools/testkit"
)

func TestDeviceKeyIsCreatedOnceAndDamageIsReported(t *testing.T) {
	dir := t.TempDir()
	d := testkit.DB(t)
	deviceKey := func(dir string) ([]byte, error) { return DeviceKey(t.Context(), d, dir) }
	first, err := deviceKey(dir)
	if err != nil || len(first) != 32 {
		t.Fatalf("first key: %d bytes, %v", len(first), err)
	}
	again, err := deviceKey(dir)
	if err != nil || string(again) != string(first) {
		t.Errorf("the key changed: %v", err)
	}
	path := filepath.Join(dir, "device-key")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the key: %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(path, []byte("zz"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := deviceKey(dir); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("damaged key: %v", err)
	}
}

// Another installation's key is refused, by a start and by an examination; the one that was here
// before is taken again. A database that knew no key remembers the first.
func TestForeignKeyIsRefused(t *testing.T) {
	d, dir, other := testkit.DB(t), t.TempDir(), t.TempDir()
	own, err := DeviceKey(t.Context(), d, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DeviceKey(t.Context(), testkit.DB(t), other); err != nil {
		t.Fatal(err)
	}
	if err := CopyKey(filepath.Join(other, KeyFile), dir); err != nil {
		t.Fatal(err)
	}
	_, err = DeviceKey(t.Context(), d, dir)
	wrong, examined := ExamineKey(t.Context(), d, dir)
	if err == nil || !strings.Contains(err.Error(), "another installation") || wrong != err.Error() || examined != nil {
		t.Errorf("%v; examined: %q, %v", err, wrong, examined)
	}
	if err := TextFile(filepath.Join(dir, KeyFile)).Write(hex.EncodeToString(own)); err != nil {
		t.Fatal(err)
	}
	if key, err := DeviceKey(t.Context(), d, dir); err != nil || string(key) != string(own) {
		t.Errorf("its own key: %v", err)
	}
	if wrong, err := ExamineKey(t.Context(), d, dir); wrong != "" || err != nil {
		t.Errorf("its own key: %q, %v", wrong, err)
	}
	if wrong, err := ExamineKey(t.Context(), testkit.DB(t), dir); wrong != "" || err != nil {
		t.Errorf("of a database that knows no key: %q, %v", wrong, err)
	}
}

// No second key is made once something in the database depends on the first.
func TestDeviceKeyIsNotReplaced(t *testing.T) {
	s := testkit.NewStores(t)
	farm := s.Tenant(t, "farm")
	if _, err := DeviceKey(t.Context(), s.DB, t.TempDir()); err != nil {
		t.Fatalf("nothing depends on it: %v", err)
	}
	s.SecondFactor(t, farm.Ada)
	dir := t.TempDir()
	if _, err := DeviceKey(t.Context(), s.DB, dir); err == nil || !strings.Contains(err.Error(), "has second factors") {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}

// A reader that looks while a key is created finds no key or a whole one; so does the start after a
// kill.
func TestDeviceKeyIsCreatedAtomically(t *testing.T) {
	dir := t.TempDir()
	const keys = 200
	err := os.WriteFile(filepath.Join(dir, "0.new"), []byte("half"), 0o600)
	if err != nil { // left by a start that was killed
		t.Fatal(err)
	}
	var made sync.WaitGroup
	var failed atomic.Bool
	made.Go(func() {
		for n := range keys {
			if _, err := createDeviceKey(filepath.Join(dir, strconv.Itoa(n))); err != nil {
				t.Error(err)
				failed.Store(true)
			}
		}
	})
	for n := 0; n < keys && !failed.Load(); {
		switch raw, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(n))); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil || len(raw) != 65:
			t.Errorf("key %d: %q, %v", n, raw, err)
			n++
		default:
			n++
		}
	}
	made.Wait()
	if left, err := os.ReadDir(dir); err != nil || len(left) != keys {
		t.Errorf("%d files for %d keys, %v", len(left), keys, err)
	}
}
