package command

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/datafolder"
	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit"
)

// makeFolderWithReadings is a data folder with a tenant, a device and readings of it, which are on
// disk in a file of their own.
func makeFolderWithReadings(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	makeDataFolder(t, dir)
	d, err := db.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		"INSERT INTO tenants (id, name, time_zone, language, create_time) VALUES (1, 'north', 'UTC', 'en-us', 0)",
		"INSERT INTO products (id, name, offline_after) VALUES (1, 'station', 600000)",
		"INSERT INTO devices (id, tenant_id, product_id, name, folded_text, create_time) VALUES (1, 1, 1, 'N-1', 'n-1', 0)",
	} {
		if _, err := d.Read(t.Context()).NewRaw(row).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r, err := reading.Open(t.Context(), reading.Options{Dir: filepath.Join(dir, "readings")})
	if err != nil {
		t.Fatal(err)
	}
	at := testkit.Start.UnixMilli()
	frame := reading.Frame{
		Tenant: 1,
		Device: device.ID(1),
		Time:   at,
		Fields: []reading.Field{{Property: 1, Value: reading.Number(1)}},
	}
	err = r.Append(t.Context(), []reading.Arrival{{Frame: frame, At: at}})
	if err := errors.Join(err, r.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := reading.Open(
		t.Context(),
		reading.Options{Dir: filepath.Join(dir, "readings")},
	) // the store writes its log into a table when it opens
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// corrupt damages a part of a file.
func corrupt(t *testing.T, path string, from, to float64) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := int(float64(len(raw)) * from); i < int(float64(len(raw))*to); i++ {
		raw[i] ^= 0x5a
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A server and doctor say of a damaged folder what is damaged and what to do, in words that need no
// knowledge of the storage engine.
func TestDamagedFolders(t *testing.T) {
	t.Parallel()
	whole := makeFolderWithReadings(t)
	if out, err := command(t, "doctor", "--data-dir", whole); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		damage        func(t *testing.T, dir string)
		doctor, serve string // what each says; empty serve: it is not tried
	}{
		"database's head": {
			func(t *testing.T, dir string) { t.Helper(); corrupt(t, filepath.Join(dir, "tilth.db"), 0, 0.1) },
			"DIR/tilth.db: the database is damaged: keep the folder as it is, and restore a backup", "DIR/tilth.db: the database is damaged: ",
		},
		"database's middle": {
			func(t *testing.T, dir string) { t.Helper(); corrupt(t, filepath.Join(dir, "tilth.db"), 0.2, 1) },
			"restore a backup into another", "",
		},
		"readings": {
			func(t *testing.T, dir string) {
				t.Helper()
				tables, err := filepath.Glob(filepath.Join(dir, "readings", "*.sst"))
				if err != nil || len(tables) == 0 {
					t.Fatalf("%v %v", tables, err)
				}
				for _, f := range tables {
					corrupt(t, f, 0, 0.5)
				}
			},
			"DIR/readings: readings are damaged or missing: keep the folder as it is, and restore a backup", "",
		},
		"no database": {remove("tilth.db"), "the folder DIR has readings, and their database (tilth.db) is missing: restore a backup", "move DIR/readings away"},
		"no readings": {remove("readings"), "DIR/readings: readings are damaged or missing: ", ""},
		"no key":      {remove(datafolder.KeyFile), "WRONG     key: DIR/device-key is missing", "DIR/device-key is missing: the database has devices whose secrets hang on it. It is in every backup"},
		"half a key":  {func(t *testing.T, dir string) { t.Helper(); truncate(t, filepath.Join(dir, datafolder.KeyFile)) }, "WRONG     key: DIR/device-key is damaged", "DIR/device-key is damaged"},
		"no folder":   {remove("."), "--data-dir: open DIR: no such file", ""},
		"empty folder": {func(t *testing.T, dir string) {
			t.Helper()
			remove(".")(t, dir)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "--data-dir: DIR is no data folder: it has neither tilth.db nor readings", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			c.damage(t, dir)
			out, err := command(t, "doctor", "--data-dir", dir)
			said := out
			if err != nil {
				said += err.Error()
			}
			want := strings.ReplaceAll(c.doctor, "DIR", dir)
			if err == nil || !strings.Contains(said, want) || strings.Contains(said, "corruption detail carrier") {
				t.Errorf("doctor does not say %q, but:\n%s", want, said)
			}
			if c.serve == "" {
				return
			}
			_, err = command(
				t,
				"serve",
				"--data-dir", dir,
				"--http-addr", testkit.AnyPort,
				"--mqtt-addr", testkit.AnyPort,
				"--admin-addr", testkit.AnyPort,
			)
			if want := strings.ReplaceAll(c.serve, "DIR", dir); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("serve says %v, not %s", err, want)
			}
			if _, err := os.Stat(filepath.Join(dir, "tilth.db")); name == "no database" && err == nil {
				t.Error("an empty database was made")
			}
		})
	}
}

// A flipped byte in the newest log of a killed server: doctor names what is lost before and after a start,
// until the list is removed. The start says so too.
func TestDoctorNamesLostReadings(t *testing.T) {
	t.Parallel()
	killed := makeKilledFolder(t)
	readings := filepath.Join(killed, "readings")
	logs, err := filepath.Glob(filepath.Join(readings, "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("%v %v", logs, err)
	}
	newest := logs[len(logs)-1]
	raw, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2] ^= 1
	if err := os.WriteFile(newest, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	mustName := func() string {
		t.Helper()
		out, err := command(t, "doctor", "--data-dir", killed)
		for _, want := range []string{
			"LOST      batches ", "LOST      readings of tenant 1 device 1 from ", "Readings are lost; ", reading.LossFile,
		} {
			if !errors.Is(err, errSilent) || !strings.Contains(out, want) {
				t.Fatalf("doctor does not say %q, but %v\n%s", want, err, out)
			}
		}
		if strings.Contains(out, "Everything can be read back") {
			t.Errorf("doctor contradicts itself:\n%s", out)
		}
		return out
	}
	mustName()
	var said bytes.Buffer
	open := func() {
		t.Helper()
		said.Reset()
		o := reading.Options{Dir: readings, Logger: slog.New(slog.NewTextHandler(&said, nil))}
		r, err := reading.Open(t.Context(), o)
		if err == nil {
			err = r.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	open()
	if !strings.Contains(said.String(), "level=ERROR") || !strings.Contains(said.String(), "tenant 1 device 1 from") {
		t.Errorf("the start says\n%s", &said)
	}
	mustName()
	open()
	if !strings.Contains(said.String(), "some were lost before") {
		t.Errorf("the next start says\n%s", &said)
	}
	mustName()
	if err := os.Remove(filepath.Join(readings, reading.LossFile)); err != nil {
		t.Fatal(err)
	}
	if out, _ := command(t, "doctor", "--data-dir", killed); strings.Contains(out, "LOST") {
		t.Errorf("without the list:\n%s", out)
	}
}

// What was evaluated and is not in the readings is lost, or they are older than the database.
func TestDoctorComparesWithTheEvaluatedPosition(t *testing.T) {
	t.Parallel()
	dir := makeFolderWithReadings(t)
	d, err := db.Open(t.Context(), dir)
	if err == nil {
		err = errors.Join(alarm.NewPositionStore(d).Save(t.Context(), 4), d.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := command(t, "doctor", "--data-dir", dir)
	if !errors.Is(err, errSilent) || !strings.Contains(out, "LOST      batches 2 to 4 of the journal") ||
		!strings.Contains(out, "they were evaluated") {
		t.Errorf("%v\n%s", err, out)
	}
}

// makeKilledFolder is the folder of a server that was killed after many readings.
func makeKilledFolder(t *testing.T) string {
	t.Helper()
	dir := makeFolderWithReadings(t)
	readings := filepath.Join(dir, "readings")
	r, err := reading.Open(t.Context(), reading.Options{Dir: readings})
	if err != nil {
		t.Fatal(err)
	}
	for n := range int64(100) {
		frame := reading.Frame{
			Tenant: 1,
			Device: device.ID(1),
			Time:   testkit.Start.UnixMilli() + n,
			Fields: []reading.Field{{Property: 1, Value: reading.Number(1)}},
		}
		if err := r.Append(t.Context(), []reading.Arrival{{Frame: frame, At: frame.Time}}); err != nil {
			t.Fatal(err)
		}
	}
	killed := filepath.Join(t.TempDir(), "killed")
	if err := errors.Join(os.CopyFS(killed, os.DirFS(dir)), r.Close()); err != nil {
		t.Fatal(err)
	}
	return killed
}

func truncate(t *testing.T, path string) {
	t.Helper()
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
}

// doctor and restore find the folder where serve does.
func TestDataFolderFromEnvironment(t *testing.T) {
	dir := makeFolderWithReadings(t)
	t.Setenv("TILTH_DATA_DIR", dir)
	if out, err := command(t, "doctor"); err != nil || !strings.Contains(out, "1 devices") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	if _, err := command(t, "doctor", "--data-dir", dir+"x"); err == nil || !strings.Contains(err.Error(), dir+"x") {
		t.Errorf("the flag does not come first: %v", err)
	}
	file := filepath.Join(t.TempDir(), "farm.tar")
	packBackup(t, file, dir)
	to := filepath.Join(t.TempDir(), "restored")
	t.Setenv("TILTH_DATA_DIR", to)
	if out, err := command(t, "restore", file); err != nil || !strings.Contains(out, to) {
		t.Errorf("restore: %v\n%s", err, out)
	}
	t.Setenv("TILTH_DATA_DIR", "")
	_, err := command(t, "restore", file)
	if err == nil || !strings.HasPrefix(err.Error(), "--data-dir: a folder is needed, by the flag or TILTH_DATA_DIR") {
		t.Errorf("no folder: %v", err)
	}
}
