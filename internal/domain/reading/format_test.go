package reading

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit/folder"
)

// A folder of a later version is refused by an error that names it, and stays unchanged, if its
// format number or Pebble's own format is newer.
func TestNewerFolderIsRefusedUnchanged(t *testing.T) {
	newer := closedStore(t, func(s *Store) error { return s.db.Set(keyFormat, []byte{formatNumber + 1}, pebble.Sync) })
	later := closedStore(t, func(*Store) error { return nil })
	marks, err := filepath.Glob(filepath.Join(later.Dir, "marker.format-version.*"))
	if err != nil || len(marks) != 1 {
		t.Fatal(marks, err)
	}
	head, _, _ := strings.Cut(filepath.Base(marks[0]), ".0")
	if err := os.Rename(marks[0], filepath.Join(later.Dir, head+".000999.999")); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{"format": newer, "engine": later} {
		before := folder.Contents(t, o.Dir)
		if err := RefuseNewer(o.Dir); !errors.Is(err, db.ErrNewer) || !strings.Contains(err.Error(), o.Dir) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Examine(t.Context(), o.Dir, 0, anyDevice); !errors.Is(err, db.ErrNewer) {
			t.Errorf("%s: examined: %v", name, err)
		}
		if !reflect.DeepEqual(before, folder.Contents(t, o.Dir)) {
			t.Errorf("%s: a file has changed", name)
		}
		if _, err := Open(t.Context(), o); !errors.Is(err, db.ErrNewer) {
			t.Errorf("%s: opened: %v", name, err)
		}
	}
}

// RefuseNewer accepts a folder that does not exist, an intact one and one whose process was killed;
// for a folder that another process has open it returns an error that says so.
func TestRefuseNewerAcceptsThisVersion(t *testing.T) {
	if err := RefuseNewer(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Error(err)
	}
	if err := RefuseNewer(t.TempDir()); err != nil {
		t.Error(err)
	}
	o := closedStore(t, func(*Store) error { return nil })
	before := folder.Contents(t, o.Dir)
	if err := RefuseNewer(o.Dir); err != nil || !reflect.DeepEqual(before, folder.Contents(t, o.Dir)) {
		t.Error(err)
	}
	disk := vfs.NewCrashableMem()
	s := openStore(t, Options{Dir: "data", fs: disk})
	for m := range int64(300) {
		mustAppend(t, s, arrival(1, 7, start+m*minute, num(1, float64(m)), text(2, "ok")))
		if m%50 == 0 {
			cut := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rand.New(rand.NewPCG(uint64(m), 1))})
			if err := refuseNewer(Options{Dir: "data", fs: cut}); err != nil {
				t.Errorf("killed at %d: %v", m, err)
			}
		}
	}
	inUse := openStore(t, Options{})
	if err := RefuseNewer(inUse.opts.Dir); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Error(err)
	}
}
