package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"tilth/internal/tools/testkit"
)

func TestBackupAgeSurvivesRestart(t *testing.T) {
	dir, log := t.TempDir(), testkit.NewLog()
	read := func() *backupAge { return readBackupAge(dir, slog.New(slog.NewTextHandler(log, nil))) }
	if at := read().unix(); at != 0 {
		t.Errorf("before any backup its time is %d, want 0", at)
	}
	read().setLast(testkit.Start)
	if at := read().unix(); at != testkit.Start.Unix() {
		t.Errorf("taken at %d, want %d", at, testkit.Start.Unix())
	}
	if log.Text() != "" {
		t.Errorf("logged: %s", log.Text())
	}
	file := filepath.Join(dir, "last-backup")
	if err := os.WriteFile(file, []byte("soon\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if at := read().unix(); at != 0 || log.Text() == "" {
		t.Errorf("a file without a time is read as %d; logged: %s", at, log.Text())
	}
}

// A time that cannot be saved is known until the restart, and the server logs that.
func TestBackupAgeThatCannotBeWritten(t *testing.T) {
	log := testkit.NewLog()
	b := readBackupAge(filepath.Join(t.TempDir(), "gone"), slog.New(slog.NewTextHandler(log, nil)))
	b.setLast(testkit.Start)
	if b.unix() != testkit.Start.Unix() || log.Text() == "" {
		t.Errorf("%d; logged: %s", b.unix(), log.Text())
	}
}
