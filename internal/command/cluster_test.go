package command

import (
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/settings"
	"tilth/internal/tools/announced"
	"tilth/internal/tools/pgpair"
	"tilth/internal/tools/testkit"
)

// takeover is how long a test waits for another node to lead, or to be done with what that needs. The
// cluster's torture measures how long that takes; on a busy machine the servers alone need a while to
// start, and only a failure takes a minute.
const takeover = time.Minute

// clusterArgs make a server a node. A node is known by its name and its admin address, which it keeps when
// it starts again, so the port is chosen here, from those that the system gives to no connection by itself.
func clusterArgs(t *testing.T, name string) []string {
	t.Helper()
	for range 100 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(12000+rand.IntN(8000)))
		if ln, err := net.Listen("tcp", address); err == nil {
			if err := ln.Close(); err != nil {
				t.Fatal(err)
			}
			return append([]string{"--cluster", "--node-name", name, "--admin-addr", address}, unlimitedArgs...)
		}
	}
	t.Fatal("there is no free port")
	return nil
}

// adminStatus is what a node's own admin port answers.
func (p *process) adminStatus(path string) (status int, says string) {
	p.t.Helper()
	resp, err := http.Get("http://" + p.admin + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// awaitLeading waits until a node leads, and has opened its ports.
func (p *process) awaitLeading() {
	p.t.Helper()
	for p.http == announced.Off {
		p.awaitAddresses(takeover)
	}
	if status, says := p.adminStatus("/readyz?leader"); status != http.StatusOK {
		p.t.Fatalf("it does not lead: %d %s\n%s", status, says, p.stderr)
	}
}

// awaitReadyToStandBy waits until a node follows one that leads.
func (p *process) awaitReadyToStandBy() {
	p.t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		status, says := p.adminStatus("/readyz")
		if status == http.StatusOK {
			return
		}
		if time.Since(began) > takeover {
			p.t.Fatalf("it follows nobody: %d %s\n%s", status, says, p.stderr)
		}
	}
}

// joinCluster makes a second node's folder, and starts it.
func (p *process) joinCluster(from *process, name string) {
	p.t.Helper()
	p.database = from.database
	p.dir = filepath.Join(p.dir, name)
	if out, err := p.tilth("join", "--from", "http://"+from.admin, "--data-dir", p.dir); err != nil {
		p.t.Fatalf("join: %v\n%s", err, out)
	}
	p.start(clusterArgs(p.t, name)...)
}

// All nodes lose their disks. A node that begins with PostgreSQL and the key has everything that was
// acknowledged, and tells nothing twice.
func TestAllDisksAreLost(t *testing.T) {
	t.Parallel()
	one, two := newProcess(t), newProcess(t)
	one.database = pgpair.Single(t).URL()
	one.start(unlimitedArgs...)
	one.applyAlarms()
	first := time.Now().Add(time.Second).UnixMilli()
	device := &resendingDevice{number: 0, first: first}
	one.publishAll([]*resendingDevice{device}, 300, func() {}).Wait()
	one.stop()
	one.start(clusterArgs(t, "one")...) // what it holds now is in no log
	one.awaitLeading()
	status := func() string {
		t.Helper()
		out, err := one.tilth("cluster", "status", "--"+settings.DatabaseFlag, one.database)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return out
	}
	for began := time.Now(); !strings.Contains(status(), "a node can begin with it"); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("nothing is archived: %s\n%s", status(), one.stderr)
		}
	}
	one.publishAll([]*resendingDevice{device}, 600, func() {}).Wait()
	want := one.notices()
	one.kill()

	join := func(dir string, more ...string) (string, error) {
		return one.tilth(append([]string{
			"join", "--from-archive", "--data-dir", dir, "--" + settings.DatabaseFlag, one.database,
		}, more...)...)
	}
	two.database, two.dir = one.database, filepath.Join(two.dir, "two")
	if out, err := join(two.dir); err == nil || !strings.Contains(out, "--device-key") {
		t.Errorf("without a key: %v\n%s", err, out)
	}
	out, err := join(two.dir, "--device-key", filepath.Join(one.dir, "device-key"))
	if err != nil || !strings.Contains(out, "the latest values of 1 device") {
		t.Fatalf("join: %v\n%s", err, out)
	}
	if err := os.RemoveAll(filepath.Join(one.dir, "readings")); err != nil {
		t.Fatal(err)
	}
	two.start(clusterArgs(t, "two")...)
	two.awaitLeading()
	if got := two.notices(); len(want) < 5 || !slices.Equal(got, want) {
		missing, extra := differences(got, want)
		t.Errorf("%d notices, want %d; missing %v; too many %v", len(got), len(want), missing, extra)
	}
	two.publishAll([]*resendingDevice{device}, 700, func() {}).Wait()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if _, metrics := two.adminStatus(
			"/metrics",
		); strings.Contains(
			metrics,
			"\ntilth_cluster_archive_missing_days 0\n",
		) {
			break
		}
		if time.Since(began) > takeover {
			t.Fatalf("days are missing\n%s", two.stderr)
		}
	}
	two.stop()
	if out, err := two.tilth("doctor", "--archive", "--"+settings.DatabaseFlag, two.database); err != nil ||
		!strings.Contains(out, "Everything can be read back.") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	if out, err := two.tilth("doctor", "--data-dir", two.dir, "--"+settings.DatabaseFlag, two.database); err != nil ||
		!strings.Contains(
			out,
			"Everything can be read back",
		) || !strings.Contains(out, ": 300 frames sealed in 1 parts, 400 frames not sealed") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
}

// A server on PostgreSQL becomes a cluster, whose nodes serve the same whichever leads; a backup of the
// cluster becomes one server alone again.
func TestFromOneServerToAClusterAndBack(t *testing.T) {
	t.Parallel()
	steady, one, two := newAlarmProcess(t), newProcess(t), newProcess(t)
	one.database = pgpair.Single(t).URL()
	one.start(unlimitedArgs...)
	one.applyAlarms()
	first := time.Now().Add(time.Second).UnixMilli()
	device := &resendingDevice{number: 0, first: first}
	const published = 600
	one.publishAll([]*resendingDevice{device}, 100, func() {}).Wait()
	one.stop()
	nodeOne := clusterArgs(t, "one")
	one.start(nodeOne...)
	one.awaitLeading()
	two.joinCluster(one, "two")
	two.awaitReadyToStandBy()
	another := "another node leads: one at " + one.admin
	if status, says := two.adminStatus("/readyz?leader"); status != http.StatusServiceUnavailable ||
		says != another+"\n" {
		t.Errorf("a standby leads: %d %s", status, says)
	}
	if two.http != announced.Off {
		t.Errorf("a standby takes people at %s", two.http)
	}
	file := filepath.Join(t.TempDir(), "backup.tar")
	if out, err := two.tilth("backup", "-o", file, "--server", "http://"+two.admin); err == nil ||
		!strings.Contains(out, another+"; call the node that leads, or the balancer") {
		t.Errorf("a backup of a standby: %v\n%s", err, out)
	}

	// A device whose node ends in the middle goes on at the next one.
	var acks atomic.Int64
	half := make(chan struct{})
	publishing := one.publishAll([]*resendingDevice{device}, published, func() {
		if acks.Add(1) == 50 {
			close(half)
		}
	})
	<-half
	one.kill()
	two.awaitLeading()
	publishing.Wait()
	two.publishAll([]*resendingDevice{device}, published, func() {}).Wait()
	if device.acked != published {
		t.Errorf("%d of %d readings are acknowledged", device.acked, published)
	}
	steady.publishAll([]*resendingDevice{{number: 0, first: first}}, published, func() {}).Wait()
	want := steady.notices()
	if got := two.notices(); len(want) < 5 || !slices.Equal(got, want) {
		missing, extra := differences(got, want)
		t.Errorf("%d notices, want %d; missing %v; too many %v", len(got), len(want), missing, extra)
	}

	// The former leader comes back as a standby, and leads again when it is asked to.
	one.start(nodeOne...)
	status := func() string {
		t.Helper()
		out, err := one.tilth("cluster", "status", "--"+settings.DatabaseFlag, one.database)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return out
	}
	behind := regexp.MustCompile(`(?m)^one +\S+ +\S+ +\d+ +0 `)
	for began := time.Now(); !behind.MatchString(status()); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > takeover {
			t.Fatal(status())
		}
	}
	out, err := two.tilth("cluster", "yield", "--"+settings.DatabaseFlag, one.database)
	if err != nil || !strings.Contains(out, "two has handed over to one") {
		t.Errorf("%v\n%s", err, out)
	}
	one.awaitLeading()
	if log := two.stderr.String() + one.stderr.String(); strings.Contains(log, "presence is not") {
		t.Errorf("presence is not handed over\n%s", log)
	}
	if got := one.notices(); !slices.Equal(got, want) {
		t.Errorf("%d notices at the node that leads again, want %d", len(got), len(want))
	}

	for two.http != announced.Off { // until it has begun anew
		two.awaitAddresses(takeover)
	}
	if out, err := one.tilth("backup", "-o", file, "--server", "http://"+one.admin); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	one.stop()
	two.stop()
	alone := newProcess(t)
	alone.database, alone.dir = "", filepath.Join(alone.dir, "alone")
	if out, err := alone.tilth("restore", file, "--data-dir", alone.dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	alone.start(unlimitedArgs...)
	if got := alone.notices(); !slices.Equal(got, want) {
		t.Errorf("%d notices at one server alone, want %d", len(got), len(want))
	}
	alone.stop()
}

// A node that leads takes no clients once its database is silent for as long as others wait, since it cannot
// know whether another leads; and again when it answers.
func TestLeaderWithoutDatabaseTakesNoClients(t *testing.T) {
	t.Parallel()
	server := pgpair.Single(t)
	one := newProcess(t)
	one.database = server.URL()
	one.start(append(clusterArgs(t, "one"), "--takeover-after", "1s")...)
	one.awaitLeading()
	await := func(want int, words string) {
		t.Helper()
		for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			status, says := one.adminStatus("/readyz?leader")
			if status == want && strings.Contains(says, words) {
				return
			}
			if time.Since(began) > takeover {
				t.Fatalf("%d %s\n%s", status, says, one.stderr)
			}
		}
	}
	if err := server.Freeze(); err != nil {
		t.Fatal(err)
	}
	await(http.StatusServiceUnavailable, "another node may lead")
	if err := server.Thaw(); err != nil {
		t.Fatal(err)
	}
	await(http.StatusOK, "ok")
}

// What an operator may get wrong gets one sentence, and changes nothing.
func TestWrongNodesAreRefusedInWords(t *testing.T) {
	t.Parallel()
	server := pgpair.Single(t)
	one := newProcess(t)
	one.database = server.URL()
	one.start(clusterArgs(t, "one")...)
	one.awaitLeading()
	ends := func(what, says string, p *process, args ...string) {
		t.Helper()
		p.launch(args...)
		testkit.Receive(t, "the end of "+what, p.ended)
		lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
		if last := lines[len(lines)-1]; p.err == nil || !strings.Contains(last, says) {
			t.Errorf("%s: %v\n%s", what, p.err, p.stderr)
		}
	}
	fresh := func() *process {
		p := newProcess(t)
		p.database = one.database
		return p
	}
	ends("a node that has not joined", "tilth join --from", fresh(), clusterArgs(t, "two")...)
	joined := fresh()
	joined.dir = filepath.Join(joined.dir, "two")
	if out, err := joined.tilth("join", "--from", "http://"+one.admin, "--data-dir", joined.dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ends("a namesake", "is called one, too", joined, clusterArgs(t, "one")...)
	ends("a server alone", "belongs to a cluster", joined, unlimitedArgs...)
	if err := os.Remove(filepath.Join(joined.dir, "device-key")); err != nil {
		t.Fatal(err)
	}
	ends("a node without the key", "tilth join brings it", joined, clusterArgs(t, "two")...)
	if out, err := joined.tilth("join", "--from", "http://"+one.admin, "--data-dir", joined.dir); err == nil ||
		!strings.Contains(out, "is not empty") {
		t.Errorf("join into a folder that is not empty: %v\n%s", err, out)
	}
	former := append([]string{"--cluster-addr", "one.example:7400"}, clusterArgs(t, "two")...)
	ends("a node with an earlier setting", "start the node with --cluster, and put a balancer", joined, former...)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	taken := append([]string{"--http-addr", busy.Addr().String()}, clusterArgs(t, "two")...)
	ends("a node whose port is taken", "--http-addr", joined, taken...)
	without := fresh()
	without.database = ""
	ends("a node without a database", "--database-url", without, clusterArgs(t, "two")...)
	one.stop()
	out, err := one.tilth("cluster", "status", "--"+settings.DatabaseFlag, one.database)
	if err == nil || !strings.Contains(out, "No node leads") {
		t.Errorf("the status without a leader: %v\n%s", err, out)
	}
	out, err = one.tilth("cluster", "yield", "--"+settings.DatabaseFlag, one.database)
	if err == nil || !strings.Contains(out, "no node leads") {
		t.Errorf("a hand-over without a leader: %v\n%s", err, out)
	}
}
