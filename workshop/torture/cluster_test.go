package torture

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/pgpair"
	"tilth/internal/tools/testkit/program"
	"tilth/workshop/bench"
	"tilth/workshop/haproxy"
)

func TestClusterRowErr(t *testing.T) {
	row := func(change func(r *ClusterRow)) ClusterRow {
		r := ClusterRow{Row: Row{Checked: 5}, Limit: time.Second}
		change(&r)
		return r
	}
	for _, c := range []struct {
		row  ClusterRow
		want string
	}{
		{row(func(r *ClusterRow) { r.Again, r.Quiet = time.Second, time.Second }), ""},
		{row(func(r *ClusterRow) { r.Silence, r.Page = time.Second+deviceMargin, time.Second+deviceMargin }), ""},
		{row(func(r *ClusterRow) { r.NotRun, r.Again = "no", time.Hour }), ""},
		{row(func(r *ClusterRow) { r.Again = 1001 * time.Millisecond }), "again after 1.001s, more than 1s"},
		{row(func(r *ClusterRow) { r.Quiet = 2 * time.Second }), "nothing was acknowledged for 2s"},
		{row(func(r *ClusterRow) { r.Silence = 20 * time.Second }), "one device got no acknowledgement for 20s"},
		{row(func(r *ClusterRow) { r.Page = 20 * time.Second }), "a page showed no readings for 20s"},
		{row(func(r *ClusterRow) { r.Lost = 1 }), "1 lost"},
		{row(func(r *ClusterRow) { r.Repeated, r.InFlight = 17, 16 }), "17 arrived again, at most 16"},
		{row(func(r *ClusterRow) { r.Checked = 0 }), "nothing was checked"},
	} {
		err := c.row.Err()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.row, err, c.want)
		}
	}
}

// Two devices are answered every tenth of a second. A fault lasts from 1.0 to 3.0; device 1 is answered
// again only at 4.5.
func TestAckWatch(t *testing.T) {
	w := newAckWatch(2)
	w.start()
	began := w.newest
	at := func(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }
	w.acked(0, at(0.8), at(0.9))
	w.acked(1, at(0.8), at(0.95))
	w.begin()
	w.fault.began = at(1)
	w.acked(0, at(0.9), at(1.01)) // it was under way
	w.fault.ended = at(2)
	w.acked(0, at(1.5), at(3)) // sent after the fault began, before it was made
	if w.allAfter() {
		t.Error("a message from before the fault was made counts")
	}
	w.acked(0, at(3.1), at(3.2))
	if w.allAfter() {
		t.Error("device 1 has no answer")
	}
	w.acked(1, at(4.4), at(4.5))
	if !w.allAfter() || w.total() != 6 || !w.over().Equal(at(3)) {
		t.Error(w.allAfter(), w.total(), w.over().Sub(began))
	}
	w.devices[0], w.newest = time.Now(), time.Now() // end looks at the clock
	w.devices[1] = w.newest
	f := w.end()
	near := func(got time.Duration, want float64) bool {
		return (got - time.Duration(want*float64(time.Second))).Abs() < time.Millisecond
	}
	if !near(f.again(), 2) || !near(f.quiet, 1.99) || !near(f.silence, 3.55) {
		t.Errorf("again %s, quiet %s, silence %s", f.again(), f.quiet, f.silence)
	}
}

// What is silent at the end counts, too.
func TestAckWatchSilentToTheEnd(t *testing.T) {
	w := newAckWatch(1)
	w.start()
	w.begin()
	w.fault.began = w.fault.began.Add(-2 * time.Second)
	w.newest = w.fault.began
	w.devices[0] = w.fault.began.Add(-time.Second)
	f := w.end()
	if f.again() != 0 || f.quiet < 2*time.Second || f.silence < 3*time.Second {
		t.Errorf("again %s, quiet %s, silence %s", f.again(), f.quiet, f.silence)
	}
}

func TestBeganAnew(t *testing.T) {
	const (
		anew    = `level=WARN msg="the server begins anew" reason="fenced"` + "\n"
		standby = `level=INFO msg="tilth is a standby" node=n1` + "\n"
	)
	for log, want := range map[string]bool{
		"": false, anew: false, standby: false, standby + anew: false, anew + standby: true,
	} {
		if beganAnew(log) != want {
			t.Errorf("%q: want %v", log, want)
		}
	}
}

func TestNodeLog(t *testing.T) {
	var l nodeLog
	write := func(text string) {
		t.Helper()
		if n, err := io.WriteString(&l, text); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	write("first\n")
	place := l.end()
	write("second\n")
	if got := l.since(place); got != "second\n" {
		t.Errorf("%q", got)
	}
	write(strings.Repeat("x", 2*nodeLogBytes) + "\nlast\n")
	if l.end() != len("first\nsecond\n\nlast\n")+2*nodeLogBytes {
		t.Error(l.end())
	}
	if got := l.since(place); len(got) != nodeLogBytes || !strings.HasSuffix(got, "\nlast\n") {
		t.Errorf("%d bytes are kept", len(got))
	}
	if got := l.since(l.end() + 5); got != "" {
		t.Errorf("%q was not logged", got)
	}
}

// A node's ports are different, and free.
func TestNodePorts(t *testing.T) {
	seen := map[string]bool{}
	for range 50 {
		address, err := nodePorts.next()
		if err != nil || seen[address] || netip.MustParseAddrPort(address).Port() >= 32768 {
			t.Fatal(address, seen[address], err)
		}
		seen[address] = true
	}
}

// The late device tells an acknowledgement from a connection that ends.
func TestLateDevice(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   string
	}{
		"the connection ends":   {"", ""},
		"acknowledged":          {"\x40\x02\x00\x01", "was acknowledged"},
		"disconnected in words": {"\xe0\x00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- serveLate(l, c.answer) }()
			d, err := connectLate(t.Context(), l.Addr().String(), bench.Device{Name: "K-1", Secret: "sesame"})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.publish(); err != nil {
				t.Fatal(err)
			}
			err = d.expectNoAnswer()
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if err := errors.Join(<-served, l.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// serveLate admits one client, reads its CONNECT and its PUBLISH, answers, and hangs up.
func serveLate(l net.Listener, answer string) error {
	nc, err := l.Accept()
	if err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, nc, int64(len(localHeader))); err != nil {
		return err
	}
	for i, reply := range []string{"\x20\x02\x00\x00", answer} {
		head := make([]byte, 2)
		if _, err := io.ReadFull(nc, head); err != nil {
			return err
		}
		if want := []byte{0x10, 0x32}[i]; head[0] != want {
			return errors.New("another packet was expected")
		}
		if _, err := io.CopyN(io.Discard, nc, int64(head[1])); err != nil {
			return err
		}
		if _, err := io.WriteString(nc, reply); err != nil {
			return err
		}
	}
	return nc.Close()
}

func TestClusterPageTakes(t *testing.T) {
	var p clusterPage
	for _, line := range []string{"event: notice\n", "id: 7-1\n", "event: reset\n", "data: event: reading\n"} {
		p.take([]byte(line))
	}
	if first, resets := p.shownAfter(time.Time{}); !first.IsZero() || resets != 1 || p.last != "7-1" {
		t.Error(first, resets, p.last)
	}
	for range 2 {
		p.take([]byte("event: reading\n"))
		time.Sleep(2 * pageGrain)
	}
	first, _ := p.shownAfter(time.Time{})
	second, _ := p.shownAfter(first)
	if none, _ := p.shownAfter(second); first.IsZero() || !second.After(first) || !none.IsZero() {
		t.Error(first, second, none)
	}
	if resets := p.watch(); resets != 1 || p.shown != nil {
		t.Error(resets, p.shown)
	}
}

func TestRunCluster(t *testing.T) {
	err := RunCluster(t.Context(), ClusterOptions{Only: []string{"flood"}, Out: io.Discard})
	if err == nil || !strings.Contains(err.Error(), `"flood"`) {
		t.Error(err)
	}
}

func TestPrintCluster(t *testing.T) {
	var out strings.Builder
	if err := PrintCluster(&out, []ClusterRow{
		{
			Row: Row{Fault: "flood", Rounds: 2, Checked: 30, Lost: 1, Repeated: 3, Remark: "wet"}, Before: 3200.4,
			Again: 1234 * time.Millisecond, Quiet: time.Second, Silence: 2 * time.Second, Limit: 10 * time.Second,
		},
		{Row: Row{Fault: "fire", NotRun: "no matches"}},
	}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	got := strings.Join(strings.Fields(lines[2]), " ")
	if want := "| flood | 2 | 3200 | 1.23 s | 1.00 s | 2.00 s | – | 10.00 s | 30 | 1 | 3 | wet |"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	columns := strings.Count(lines[0], "|")
	for _, line := range lines {
		if strings.Count(line, "|") != columns {
			t.Errorf("%q has other columns than %q", line, lines[0])
		}
	}
	if len(lines) != 4 || !strings.Contains(lines[3], "not run: no matches") {
		t.Error(out.String())
	}
}

// The checks find what a cluster has lost: an entry that is gone from its log, and a reading that nobody
// ever sent.
func TestClusterChecksFindLosses(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a cluster")
	}
	path, err := program.Tilth()
	if err != nil {
		t.Fatal(err)
	}
	// Sockets need a short path, and PostgreSQL, which may run as another user, a folder that all may enter.
	dir, err := os.MkdirTemp("", "cluster") //nolint:usetesting // as above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // what is left is in the system's temporary folder
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	o := &ClusterOptions{Binary: path, Dir: dir, Rounds: 1, Out: io.Discard}
	b, err := openClusterBed(t.Context(), o)
	if errors.Is(err, pgpair.ErrMissing) || errors.Is(err, haproxy.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}()
	r := &ClusterRow{Limit: time.Minute}
	if err := standbyKilled(t.Context(), b, r); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.awaitWhole(t.Context()), b.verify(t.Context(), r), r.Err()); err != nil {
		t.Fatal(err)
	}
	b.world.alarms.alarms++ // one that nobody was told of
	if err := b.world.alarms.checkNotices(t.Context(), &r.Row); err != nil || r.Lost == 0 {
		t.Errorf("%d lost, %v, without a notice", r.Lost, err)
	}
	if err := b.pgExec(t.Context(), `DO $$ BEGIN
		EXECUTE (SELECT 'DELETE FROM ' || name || ' WHERE position = ' || first_position + 3 FROM log_tables
			ORDER BY first_position LIMIT 1);
	END $$`); err != nil {
		t.Fatal(err)
	}
	if err := b.verifyLog(t.Context()); err == nil || !strings.Contains(err.Error(), "the log has gaps") {
		t.Errorf("a missing entry: %v", err)
	}
}
