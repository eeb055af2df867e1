package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/testkit/program"
	"tilth/workshop/bench"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := program.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func shortOptions(t *testing.T) *Options {
	t.Helper()
	if testing.Short() {
		t.Skip("starts whole servers")
	}
	path, err := program.Tilth()
	if err != nil {
		t.Fatal(err)
	}
	return &Options{Binary: path, Dir: t.TempDir(), Rounds: 1, IdleConnections: 16, Out: io.Discard, ReleaseHung: true}
}

// runOnce runs a fault once and fails unless its row keeps the promises.
func runOnce(t *testing.T, make func(o *Options, r *Row) error) *Row {
	t.Helper()
	t.Parallel() // most of the time it waits
	r := &Row{Fault: t.Name()}
	err := make(shortOptions(t), r)
	if errors.Is(err, errNotRun) {
		t.Skip(err)
	}
	if err := errors.Join(err, r.Err()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", *r)
	return r
}

func TestFullDisk(t *testing.T) {
	r := runOnce(t, func(o *Options, r *Row) error { return fullDisk(t.Context(), o, r) })
	if !strings.Contains(r.Remark, "devices are answered 503, /readyz 503") {
		t.Error(r.Remark)
	}
	if mounts, err := os.ReadFile("/proc/mounts"); err == nil && strings.Contains(string(mounts), t.Name()) {
		t.Error("the disk is still mounted")
	}
}

func TestBrokenDisk(t *testing.T) {
	r := runOnce(t, func(o *Options, r *Row) error { return brokenDisk(t.Context(), o, r) })
	if !strings.Contains(r.Remark, "devices are answered 503, /readyz 503") {
		t.Error(r.Remark)
	}
}

// If the mail server hangs, sending pauses, and then each recipient gets each mail once.
func TestMailServerHangs(t *testing.T) {
	r := runOnce(t, func(o *Options, r *Row) error {
		return endpointFails(t.Context(), o, r, "mail", []faultMode{modeHangs})
	})
	if r.Recovered < time.Second || r.Checked < stormAlarms*5 {
		t.Errorf("the server did not notice the fault: %+v", r)
	}
}

// The slow client's CONNECT is well-formed: it has the length in its header, and a keep-alive of
// two seconds.
func TestConnectPacket(t *testing.T) {
	packet := connectPacket(bench.Device{Name: "K-1", Secret: "sesame"}, 12)
	if packet[0] != 0x10 || int(packet[1]) != len(packet)-2 || packet[10:12] != "\x00\x02" ||
		!strings.HasSuffix(packet, "\x00\x07slow-12\x00\x03K-1\x00\x06sesame") {
		t.Errorf("%q", packet)
	}
}

// waitFor ends when done returns true or an error, and when the context ends.
func TestWaitFor(t *testing.T) {
	calls := 0
	third := func() (bool, error) { calls++; return calls == 3, nil }
	if err := waitFor(t.Context(), "three", third); err != nil || calls != 3 {
		t.Error(calls, err)
	}
	failed := errors.New("no")
	if err := waitFor(t.Context(), "no", func() (bool, error) { return false, failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	never := func() (bool, error) { return false, nil }
	err := waitFor(cancelled, "rain", never)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "rain") {
		t.Error(err)
	}
}

// If mounting is not permitted or fails, the fault is not run. After an error of f, withMount
// unmounts the disk.
func TestWithMount(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "disk")
	nothing := func() error { return nil }
	if err := withMount(t.Context(), dir, nothing, "-t", "nosuchkind", "x"); !errors.Is(err, errNotRun) {
		t.Error(err)
	}
	failed := errors.New("within")
	err := withMount(t.Context(), dir, func() error {
		return errors.Join(failed, os.WriteFile(filepath.Join(dir, "there"), nil, 0o600))
	}, "-t", "tmpfs", "tmpfs")
	if errors.Is(err, errNotRun) {
		t.Skip(err)
	}
	if !errors.Is(err, failed) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "there")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("still mounted: %v", err)
	}
}

func TestRowErr(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{Checked: 5}, ""},
		{Row{Checked: 5, Repeated: 4, InFlight: 4}, ""},
		{Row{NotRun: "no"}, ""},
		{Row{}, "nothing was checked"},
		{Row{Checked: 5, Lost: 1}, "1 lost"},
		{Row{Checked: 5, Repeated: 5, InFlight: 4}, "5 arrived again, at most 4"},
	} {
		err := c.row.Err()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.row, err, c.want)
		}
	}
}

func TestRun(t *testing.T) {
	var out strings.Builder
	err := Run(t.Context(), Options{Only: []string{"flood"}, Out: &out})
	if err == nil || !strings.Contains(err.Error(), `"flood"`) {
		t.Error(err)
	}
	dir := t.TempDir()
	if err := Run(t.Context(), Options{Dir: dir, Only: []string{"clock steps"}, Out: &out}); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "| not run: it needs a tilth of its own") {
		t.Error(out.String())
	}
	err = Run(t.Context(), Options{Dir: dir, Only: []string{"kill -9"}, Binary: "/nowhere", Out: &out})
	if err == nil || !strings.Contains(err.Error(), "kill -9: ") {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestPrint(t *testing.T) {
	var out strings.Builder
	if err := Print(&out, []Row{
		{
			Fault:     "flood",
			Rounds:    2,
			Checked:   30,
			Lost:      1,
			Repeated:  3,
			Recovered: 1234 * time.Millisecond,
			Remark:    "wet",
		},
		{Fault: "fire", NotRun: "no matches"},
	}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	got := strings.Join(strings.Fields(lines[2]), " ")
	if want := "| flood | 2 | 30 | 1 | 3 | 1.23s | wet |"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if len(lines) != 4 || !strings.Contains(lines[3], "not run: no matches") {
		t.Error(out.String())
	}
}
