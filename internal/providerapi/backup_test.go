package providerapi

import (
	"io"
	"os"
	"testing"
	"time"

	"tilth/internal/archive"
	"tilth/internal/testkit"
)

type counted int64

func (c *counted) Write(b []byte) (int, error) {
	*c += counted(len(b))
	return len(b), nil
}

// Only a backup that was read to its end has been taken; whatever becomes of
// it, the copies that it was made from are gone when it is closed.
func TestBackupIsTakenOnceItIsRead(t *testing.T) {
	p := newPlatform(t)
	dir := t.TempDir()
	var taken []time.Time
	p.service.Copies = Copies{
		Readings: p.readings, DataDir: dir, Version: "1.2.3", Now: func() time.Time { return testkit.Start },
		Taken: func(at time.Time) { taken = append(taken, at) },
	}

	cut, _, err := p.service.Backup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(cut, make([]byte, 1024)); err != nil {
		t.Fatal(err)
	}
	if err := cut.Close(); err != nil {
		t.Fatal(err)
	}
	if len(taken) != 0 {
		t.Errorf("cut off, and yet taken at %v", taken)
	}

	whole, length, err := p.service.Backup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var read counted
	m, err := archive.Read(t.Context(), io.TeeReader(whole, &read), "", nil)
	if err != nil || m.Version != "1.2.3" {
		t.Fatalf("%+v, %v", m, err)
	}
	if _, err := io.Copy(&read, whole); err != nil { // the archive's end has bytes that say nothing
		t.Fatal(err)
	}
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	if int64(read) != length {
		t.Errorf("%d bytes, %d were told of", read, length)
	}
	if len(taken) != 1 || !taken[0].Equal(testkit.Start) || !m.Time.Equal(testkit.Start) {
		t.Errorf("taken at %v, says %v", taken, m.Time)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
