package archive_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tilth/internal/platform/archive"
	"tilth/internal/tools/testkit/folder"
)

var day = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// writeFolder creates a folder with the given files.
func writeFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var sample = map[string]string{
	"tilth.db":            strings.Repeat("rows ", 3000),
	"readings/000001.sst": "\x00\x01",
	"readings/CURRENT":    "",
	"manifest.txt":        "x",
}

func packFiles(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	m := archive.Manifest{Version: "1.2", Time: day}
	if err := archive.Write(t.Context(), &b, writeFolder(t, files), m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	whole := packFiles(t, sample)
	dir := t.TempDir()
	m, err := archive.Read(t.Context(), bytes.NewReader(whole), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample, folder.Contents(t, dir)); diff != "" {
		t.Errorf("unpacked (-want +got):\n%s", diff)
	}
	if m.Version != "1.2" || !m.Time.Equal(day) || len(m.Files) != 4 || m.Size() != 15003 {
		t.Errorf("%+v", m)
	}
	if _, err := archive.Read(t.Context(), bytes.NewReader(whole), "", nil); err != nil {
		t.Errorf("checked only: %v", err)
	}
	if _, err := archive.Read(t.Context(), bytes.NewReader(whole), dir, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("over existing files: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := archive.Read(cancelled, bytes.NewReader(whole), "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := archive.Write(cancelled, &bytes.Buffer{}, dir, archive.Manifest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	err = archive.Write(t.Context(), &bytes.Buffer{}, filepath.Join(dir, "none"), archive.Manifest{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// PackedSize knows the size of an archive without reading its files.
func TestPackedSizeEqualsWritten(t *testing.T) {
	long := strings.Repeat("long/", 40) + "name" // longer than fits into a header
	for name, files := range map[string]map[string]string{
		"nothing": {}, "some": sample, "full blocks": {"a": strings.Repeat("x", 1024)},
		"long names": {long: "x", "Приозёрное.sst": "y"},
	} {
		m := archive.Manifest{Version: "1.2", Time: day}
		n, err := archive.PackedSize(t.Context(), writeFolder(t, files), m)
		if written := len(packFiles(t, files)); err != nil || n != int64(written) {
			t.Errorf("%s: %d, %v, want %d", name, n, err, written)
		}
	}
	dir := t.TempDir() // for a sparse file whose size does not fit into a plain header
	f, err := os.Create(filepath.Join(dir, "big"))
	if err != nil {
		t.Fatal(err)
	}
	const size = 8 << 30
	if err := errors.Join(f.Truncate(size), f.Close()); err != nil {
		t.Fatal(err)
	}
	m := archive.Manifest{Version: "1.2", Time: day.Add(time.Nanosecond)}
	small, err := archive.PackedSize(t.Context(), dir, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "big"), size-512); err != nil {
		t.Fatal(err)
	}
	if n, err := archive.PackedSize(t.Context(), dir, m); err != nil || small-n < 512+2*512 {
		t.Errorf("%d, %v; one block more, whose size needs a longer header: %d", n, err, small)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := archive.PackedSize(cancelled, dir, m); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := archive.PackedSize(t.Context(), filepath.Join(dir, "none"), m); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// Read detects every truncation and every change.
func TestReadDetectsDamage(t *testing.T) {
	whole := packFiles(t, sample)
	last := bytes.LastIndex(whole, []byte("}\n ]\n}")) + 6
	for cut := 0; cut < last; cut += 97 {
		_, err := archive.Read(t.Context(), bytes.NewReader(whole[:cut]), "", nil)
		if !errors.Is(err, archive.ErrDamaged) {
			t.Fatalf("cut off at %d of %d: %v", cut, len(whole), err)
		}
	}
	for at := 0; at < last; at += 61 {
		changed := slices.Clone(whole)
		changed[at] ^= 0x40
		m, err := archive.Read(t.Context(), bytes.NewReader(changed), "", nil)
		if err == nil && !isUnverifiedByte(whole, at) {
			t.Fatalf("changed at %d: %+v", at, m)
		}
	}
}

// isUnverifiedByte reports whether a byte does not concern the files: it is in the program's
// version, in the time, or in the padding of a tar block.
func isUnverifiedByte(whole []byte, at int) bool {
	text := bytes.Index(whole, []byte(`"version"`))
	files := bytes.Index(whole, []byte(`"files"`))
	return whole[at] == 0 || at >= text && at < files
}

// A foreign archive cannot write outside of the folder.
func TestReadRefusesUnsafeNames(t *testing.T) {
	for _, h := range []tar.Header{
		{Name: "../x", Typeflag: tar.TypeReg}, {Name: "/etc/x", Typeflag: tar.TypeReg},
		{Name: "a/../../x", Typeflag: tar.TypeReg}, {Name: "link", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}, {Name: "dir/", Typeflag: tar.TypeDir},
	} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := errors.Join(w.WriteHeader(&h), w.Close()); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if _, err := archive.Read(t.Context(), &b, dir, nil); !errors.Is(err, archive.ErrDamaged) {
			t.Errorf("%s: %v", h.Name, err)
		}
		if left := folder.Contents(t, dir); len(left) != 0 {
			t.Errorf("%s: %v", h.Name, left)
		}
	}
}

// tarEntry returns the bytes of one file in a tar, with another type of entry.
func tarEntry(t *testing.T, name, body string, kind byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(body)), Typeflag: tar.TypeReg})
	_, e := w.Write([]byte(body))
	if err := errors.Join(err, e, w.Flush()); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	const kindAt, sumAt, sumLong = 156, 148, 8
	whole[kindAt] = kind
	copy(whole[sumAt:], strings.Repeat(" ", sumLong))
	sum := 0
	for _, c := range whole[:512] {
		sum += int(c)
	}
	copy(whole[sumAt:], fmt.Sprintf("%06o\x00 ", sum))
	return whole
}

// Read refuses a file with holes, which would be longer than the archive itself, a file that no
// backup contains, and a name that is not clean.
func TestReadRefusesSparseAndForeignFiles(t *testing.T) {
	record := func(key, value string) string {
		line := " " + key + "=" + value + "\n"
		n := len(line) + 2
		return fmt.Sprint(n) + line
	}
	holes := record("GNU.sparse.major", "1") + record("GNU.sparse.minor", "0") +
		record("GNU.sparse.name", "a") + record("GNU.sparse.realsize", "4096")
	sparse := tarEntry(t, "a", "1\n0\n0\n"+strings.Repeat("\x00", 506), tar.TypeReg)
	for name, b := range map[string][]byte{
		"holes, PAX":  append(tarEntry(t, "pax", holes, tar.TypeXHeader), sparse...),
		"holes, GNU":  tarEntry(t, "a", "", tar.TypeGNUSparse),
		"not allowed": tarEntry(t, "b", "x", tar.TypeReg),
		"leading dot": tarEntry(t, "./a", "x", tar.TypeReg),
		"parent":      tarEntry(t, "b/../a", "x", tar.TypeReg),
		"a device":    tarEntry(t, "a", "", tar.TypeChar),
	} {
		dir := t.TempDir()
		b = append(b, make([]byte, 1024)...)
		_, err := archive.Read(t.Context(), bytes.NewReader(b), dir, func(name string) bool { return name == "a" })
		if !errors.Is(err, archive.ErrDamaged) || strings.Contains(err.Error(), "list of files") {
			t.Errorf("%s: %v", name, err)
		}
		if left := folder.Contents(t, dir); len(left) != 0 {
			t.Errorf("%s: %v", name, left)
		}
	}
}

// The manifest must match the files in their order.
func TestReadComparesManifest(t *testing.T) {
	file := func(name, text string, size int) string {
		return fmt.Sprintf(`{"name":%q,"size":%d,"sha256":"%x"}`, name, size, sha256.Sum256([]byte(text)))
	}
	a, b := file("tilth.db", "rows", 4), file("readings/CURRENT", "", 0)
	for name, test := range map[string]struct {
		list string
		ok   bool
	}{
		"unchanged":     {a + "," + b, true},
		"longer":        {file("tilth.db", "rows", 5) + "," + b, false},
		"shorter":       {file("tilth.db", "rows", 3) + "," + b, false},
		"zero size":     {file("tilth.db", "rows", 0) + "," + b, false},
		"negative size": {file("tilth.db", "rows", -4) + "," + b, false},
		"another sum":   {file("tilth.db", "row", 4) + "," + b, false},
		"another name":  {file("tilth.dB", "rows", 4) + "," + b, false},
		"reversed":      {b + "," + a, false},
		"one missing":   {a, false},
		"one too many":  {a + "," + b + "," + file("device-key", "", 0), false},
		"one twice":     {a + "," + a, false},
	} {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		manifest := `{"format":1,"version":"1.2","files":[` + test.list + `]}`
		for _, f := range [][2]string{{"tilth.db", "rows"}, {"readings/CURRENT", ""}, {"manifest.json", manifest}} {
			err := w.WriteHeader(&tar.Header{Name: f[0], Size: int64(len(f[1])), Typeflag: tar.TypeReg})
			if _, e := w.Write([]byte(f[1])); errors.Join(err, e) != nil {
				t.Fatal(err, e)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		m, err := archive.Read(t.Context(), &out, t.TempDir(), nil)
		if test.ok && err != nil || !test.ok && (m != nil || !errors.Is(err, archive.ErrDamaged)) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// Read distinguishes a later format from damage, and returns the version that wrote it.
func TestReadTellsNewerFormatFromDamage(t *testing.T) {
	for text, want := range map[string]error{
		`{"format":2,"version":"9.9","files":[]}`:      archive.ErrNewer,
		`{"format":2,"version":"9.9","files":{"a":1}}`: archive.ErrNewer,
		`{"format":1,"files":{}}`:                      archive.ErrDamaged,
		`{}`:                                           archive.ErrDamaged,
	} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		h := tar.Header{Name: "manifest.json", Size: int64(len(text)), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		m, err := archive.Read(t.Context(), &b, "", nil)
		if !errors.Is(err, want) || (m != nil) != errors.Is(want, archive.ErrNewer) {
			t.Errorf("%s: %+v %v", text, m, err)
		}
		if m != nil && (m.Version != "9.9" || !strings.Contains(err.Error(), "format 2, this program reads 1")) {
			t.Errorf("%s: %+v %v", text, m, err)
		}
	}
}
