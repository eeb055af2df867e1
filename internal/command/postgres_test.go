package command

import (
	"database/sql"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// newPostgresProcess is a server on PostgreSQL, with devices whose rules run.
func newPostgresProcess(t *testing.T) *process {
	t.Helper()
	if !testkit.UsePostgres() {
		t.Skip("no PostgreSQL for tests: scripts/postgres-test.sh")
	}
	return newAlarmProcess(t)
}

func (p *process) readiness() (status int, says string) {
	p.t.Helper()
	resp, err := http.Get("http://" + p.http + "/readyz")
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

// While the database is down, the server still acknowledges readings. Once it is back, the server
// evaluates everything, as one that was never without it.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	cut, steady := newPostgresProcess(t), newPostgresProcess(t)
	first := time.Now().Add(time.Second).UnixMilli() // after the rules were started
	const most = 400
	loads, undisturbed := make([]*resendingDevice, alarmDevices), make([]*resendingDevice, alarmDevices)
	for i := range loads {
		loads[i], undisturbed[i] = &resendingDevice{number: i, first: first}, &resendingDevice{number: i, first: first}
	}
	var acks atomic.Int64
	before, during := make(chan struct{}), make(chan struct{})
	all := cut.publishAll(loads, most, func() {
		switch acks.Add(1) {
		case most / 4:
			close(before)
		case most:
			close(during)
		}
	})
	<-before
	back := testkit.TakeOffline(t, cut.database)
	<-during
	if status, says := cut.readiness(); status != http.StatusServiceUnavailable ||
		says != "the database cannot be reached; see the log\n" {
		t.Errorf("ready: %d %s", status, says)
	}
	back()
	all.Wait()
	steady.publishAll(undisturbed, most, func() {}).Wait()
	got, want := cut.notices(), steady.notices()
	if len(want) < 20 || !slices.Equal(got, want) {
		missing, extra := differences(got, want)
		t.Errorf("%d notices, want %d; missing %v; too many %v", len(got), len(want), missing, extra)
	}
	if status, says := cut.readiness(); status != http.StatusOK {
		t.Errorf("ready: %d %s", status, says)
	}
	if size, err := strconv.ParseFloat(cut.metricText("tilth_database_bytes"), 64); err != nil || size < 1<<20 {
		t.Errorf("the database has %f bytes (%v)", size, err)
	}
	for _, l := range loads {
		if l.acked != most {
			t.Errorf("device %d: %d of %d acknowledged", l.number, l.acked, most)
		}
	}
	cut.stop()
	steady.stop()
}

// A database belongs to one server and one folder. doctor examines it while no server has it, and a
// backup moves it between a folder and PostgreSQL.
func TestFolderToPostgresAndBack(t *testing.T) {
	t.Parallel()
	p := newPostgresProcess(t)
	refused := func(says string, args ...string) {
		t.Helper()
		out, err := p.tilth(args...)
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	refused("another Tilth has this database open", append([]string{"doctor"}, p.storageArgs()...)...)
	refused("say which with --database-url", "doctor", "--data-dir", p.dir)
	refused("keeps all of it in its folder", "demo", "--data-dir", t.TempDir(), "--database-url", p.database)
	first := time.Now().Add(time.Second).UnixMilli()
	p.publishAll([]*resendingDevice{{number: 0, first: first}}, 200, func() {}).Wait()
	want := p.notices()
	if len(want) == 0 {
		t.Error("no notices")
	}
	for i := range 2 { // to a folder, and from there back to PostgreSQL
		file := filepath.Join(t.TempDir(), "farm.tar")
		if out, err := p.tilth(
			"backup",
			"-o",
			file,
			"--server", "http://"+p.admin,
		); err != nil ||
			!strings.Contains(out, "read back and whole") {
			t.Fatalf("backup: %v\n%s", err, out)
		}
		p.stop()
		out, err := p.tilth(append([]string{"doctor"}, p.storageArgs()...)...)
		if err != nil || !strings.Contains(out, "nothing contradicts itself") {
			t.Errorf("doctor: %v\n%s", err, out)
		}
		if p.database != "" {
			refused(
				"is not empty, and stays as it is",
				"restore",
				file,
				"--data-dir", filepath.Join(t.TempDir(), "second"),
				"--database-url", p.database,
			)
		}
		next := newProcess(t)
		if i == 0 {
			next.database = ""
		}
		if out, err := p.tilth(append([]string{"restore", file}, next.storageArgs()...)...); err != nil {
			t.Fatalf("restore: %v\n%s", err, out)
		}
		next.start(unlimitedArgs...)
		if got := next.notices(); !slices.Equal(got, want) {
			t.Errorf("%d notices, want %d", len(got), len(want))
		}
		p = next
	}
	p.stop()
	newer, err := sql.Open("pgx", p.database)
	if err != nil {
		t.Fatal(err)
	}
	defer newer.Close()
	if _, err := newer.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)`); err != nil {
		t.Fatal(err)
	}
	refused(
		"written by a newer version of Tilth; nothing was changed. Start that version again",
		append([]string{"doctor"}, p.storageArgs()...)...)
}
