package reading

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit/race"
)

const (
	killTestDevices   = 100_000
	killTestFolderEnv = "TILTH_READING_KILLED_FOLDER"
)

// TestKilledWriter is the process that TestStartAfterKill kills. It writes a frame of every device,
// a checkpoint, and then more frames without a checkpoint, and prints after each round how many
// frames a device has. By itself it is skipped.
func TestKilledWriter(t *testing.T) {
	dir := os.Getenv(killTestFolderEnv)
	if dir == "" {
		t.Skip("runs as a child of TestStartAfterKill")
	}
	ctx := context.Background()
	s, err := Open(ctx, Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range int64(1000) {
		for first := 0; first < killTestDevices; first += 500 {
			batch := make([]Arrival, 500)
			for i := range batch {
				batch[i] = stationFrame(1, device.ID(first+i+1), start+round*minute, rng)
			}
			if err := s.Append(ctx, batch); err != nil {
				t.Fatal(err)
			}
		}
		if round == 0 {
			if err := s.checkpoint(ctx); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Printf("round %d\n", round)
	}
}

// TestStartAfterKill kills a writing process (kill -9) and opens its folder: the store opens within
// 10 s, or on a slow machine within three times as long as the process had written, with every
// acknowledged reading of 100,000 devices.
func TestStartAfterKill(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("writes a million readings")
	}
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$", "-test.v")
	child.Env = append(os.Environ(), killTestFolderEnv+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	written := time.Now()
	acknowledged := int64(-1)
	lines := bufio.NewScanner(out)
	for acknowledged < 3 && lines.Scan() {
		if n, ok := strings.CutPrefix(lines.Text(), "round "); ok {
			if acknowledged, err = strconv.ParseInt(n, 10, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	wrote := time.Since(written)
	_, err = Open(t.Context(), Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("opening the folder of a running process: %v, want an error that says so", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil || acknowledged < 3 {
		t.Fatalf("the child ended by itself after round %d: %v", acknowledged, err)
	}
	began := time.Now()
	s := openStore(t, Options{Dir: dir})
	took := time.Since(began)
	t.Logf(
		"start with %d devices of 8 values and %d journal entries, written in %v: %v",
		s.Stats().Devices, s.Stats().Position, wrote, took,
	)
	if took > max(10*time.Second, 3*wrote) {
		t.Errorf("the start took %v, want at most 10 s or three times %v", took, wrote)
	}
	for d := device.ID(1); d <= killTestDevices; d++ {
		got := s.Latest(t.Context(), 1, d)
		if len(got) != 8 || got[0].Time < start+acknowledged*minute {
			t.Fatalf("device %d: latest %v, want 8 values of round %d or later", d, got, acknowledged)
		}
		if d%977 == 0 {
			rows := readRange(t, s, 1, d, start, got[0].Time, 1)
			if len(rows) != int((got[0].Time-start)/minute)+1 || rows[len(rows)-1].Fields[0].Value != got[0].Value {
				t.Fatalf("device %d: %d frames up to %v", d, len(rows), got[0])
			}
		}
	}
}
