package command

import (
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/tools/testkit/folder"
	"tilth/internal/tools/testkit/program"
)

// longRetention keeps the readings of folders of any age.
var longRetention = []string{"--retention", "876000h"}

// oldFolders are the archives of all earlier versions.
func oldFolders(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(foldersDir, "*.tar.gz"))
	if err != nil || len(list) < 6 {
		t.Fatalf("kept folders: %v (%v)", list, err)
	}
	return list
}

// This version opens every kept folder with all that it held, and is a whole server afterwards.
func TestOldFoldersAreUpgraded(t *testing.T) {
	t.Parallel()
	for _, archive := range oldFolders(t) {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			known := unpack(t, archive, p.dir)
			began := time.Now()
			p.start(longRetention...)
			first := time.Since(began)
			p.checkFolder(known)
			p.checkServerWorks(known)
			notices, rules := p.notices(), p.rules(p.adaToken())
			p.stop()
			out, err := p.tilth("doctor", "--data-dir", p.dir)
			if err != nil || !strings.Contains(out, "nothing contradicts itself") {
				t.Errorf("doctor: %v\n%s", err, out)
			}
			began = time.Now()
			p.start(longRetention...)
			t.Logf(
				"first start %s, second %s",
				first.Round(time.Millisecond),
				time.Since(began).Round(time.Millisecond),
			)
			// On a busy machine any start takes long, the first one even longer.
			if took := time.Since(began); took > max(10*time.Second, first) {
				t.Errorf("the second start took %s, the first one %s", took, first)
			}
			p.checkReadings(known)
			if got := p.notices(); !slices.Equal(got, notices) {
				t.Errorf("after the second start %v, before %v", got, notices)
			}
			if got := p.rules(p.adaToken()); !slices.Equal(got, rules) {
				t.Errorf("after the second start %v, before %v", got, rules)
			}
			p.stop()
		})
	}
}

// checkReadings compares all readings with those of the record.
func (p *process) checkReadings(known folderRecord) {
	p.t.Helper()
	token := p.adaToken()
	got := p.history(token, slices.Sorted(maps.Keys(known.Readings)), known.Made)
	count := 0
	for device, signs := range known.Readings {
		for sign, want := range signs {
			count += len(want)
			if !reflect.DeepEqual(got[device][sign], want) {
				p.t.Errorf(
					"%s %s: %d readings, want %d: %v",
					device,
					sign,
					len(got[device][sign]),
					len(want),
					firstDifference(got[device][sign], want),
				)
			}
		}
	}
	if count < 600 {
		p.t.Errorf("only %d readings are known", count)
	}
}

// firstDifference is the first reading that differs.
func firstDifference(got, want []point) string {
	for i, w := range want {
		if i >= len(got) || got[i] != w {
			return fmt.Sprintf("number %d should be %v", i, w)
		}
	}
	return fmt.Sprintf("too many from %d on", len(want))
}

// checkFolder makes sure that everything of a kept folder is there.
func (p *process) checkFolder(known folderRecord) {
	p.t.Helper()
	p.checkReadings(known)
	// The readings that were sent are known without the old program, too.
	for _, d := range []string{"U-1", "U-2"} {
		sent := known.Readings[d]["airTemperature"]
		if want := oldReading(d, 1)["airTemperature"]; len(sent) < oldDays*48 || sent[1].Value != want {
			p.t.Errorf("%s: %d readings were kept, the second %v, want %v", d, len(sent), sent[1:2], want)
		}
	}
	token := p.adaToken()
	if got := p.deviceLabels(token); !maps.Equal(got, known.Devices) {
		p.t.Errorf("devices %v, want %v", got, known.Devices)
	}
	if got := p.rules(token); !slices.Equal(got, known.Rules) {
		p.t.Errorf("rules %v, want %v", got, known.Rules)
	}
	want := known.Notices
	if time.Since(time.UnixMilli(known.Made)) > 2*365*24*time.Hour { // ended notices are not kept for ever
		want = slices.DeleteFunc(slices.Clone(want), func(line string) bool { return !strings.HasSuffix(line, " 0") })
	}
	if got := p.notices(); !slices.Equal(got, want) {
		p.t.Errorf("notices %v, want %v", got, want)
	}
	if known.Key.AppKey != "" {
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(known.Key.AppKey+":"+known.Key.AppSecret))
		if said := p.send(
			http.MethodGet,
			"http://"+p.http+"/open-api/v1/devices",
			basic,
			"",
		); !strings.Contains(
			said,
			`"deviceName":"U-1"`,
		) {
			p.t.Errorf("the old key is answered %s", said)
		}
	}
	if p.cachedToken("other", "ada", "other horse") == "" {
		p.t.Error("nobody signs in to the other tenant")
	}
}

// checkServerWorks makes sure that the old devices can connect, and that the old rules evaluate
// what they send, or new rules if there were none.
func (p *process) checkServerWorks(known folderRecord) {
	p.t.Helper()
	token := p.adaToken()
	if len(known.Rules) == 0 {
		p.createAlarms(token)
	}
	c := mqtt.NewClient(
		mqtt.NewClientOptions().AddBroker(
			"tcp://" + p.mqtt,
		).SetClientID(
			"u-2",
		).SetUsername(
			"U-2",
		).SetPassword(
			"upgrade-test-secret-number-2",
		),
	)
	if token := c.Connect(); !token.WaitTimeout(20*time.Second) || token.Error() != nil {
		p.t.Fatalf("U-2 does not get in: %v\n%s", token.Error(), p.stderr)
	}
	if token := c.Publish(
		"v1/devices/me/telemetry",
		1,
		false,
		`{"airTemperature":1.5,"airHumidity":70}`,
	); !token.WaitTimeout(20*time.Second) ||
		token.Error() != nil {
		p.t.Fatalf("U-2 is not answered: %v\n%s", token.Error(), p.stderr)
	}
	c.Disconnect(0)
	before := p.notices()
	at := time.Now().Add(time.Minute).UnixMilli()
	p.publish("upgrade-test-secret-number-1", map[int64]map[string]any{
		at: {"airTemperature": 12.0}, at + 1000: {"airTemperature": -8.0}, // ends the open notice, and opens another
	})
	after := p.notices()
	open := func(lines []string) (n int) {
		for _, l := range lines {
			if strings.HasSuffix(l, " 0") {
				n++
			}
		}
		return n
	}
	if len(after) != len(before)+1 || open(before) != 1 || open(after) != 1 ||
		!strings.Contains(strings.Join(after, "\n"), fmt.Sprintf(" %d-0 0", at+1000)) {
		p.t.Errorf("notices before %v, after %v", before, after)
	}
}

// An upgrade may be killed at any point. The next start continues it, and leaves nothing behind.
// The same holds for a folder whose server was killed before, so that the latest writes are in its
// logs. The tables change one migration at a time, so the test times the kill by the migration that
// the folder says it has reached.
func TestKilledUpgradeIsResumed(t *testing.T) {
	t.Parallel()
	archives := []string{"0.1.0-dev.1.tar.gz", "0.1.0-dev.4-killed.tar.gz"}
	path, err := program.Tilth()
	if err != nil {
		t.Fatal(err)
	}
	stopped := make([]map[int64]bool, len(archives))
	for round := int64(0); round < 20 && (len(stopped[0]) < 2 || len(stopped[1]) < 2); round++ {
		which := round % int64(len(archives))
		p := newProcess(t)
		known := unpack(t, filepath.Join(foldersDir, archives[which]), p.dir)
		from := migrationOf(p.dir)
		wanted := from + 1 + round/2%4 // by the time the test sees it, the upgrade is usually a little further
		cmd := exec.Command(path, p.serverArgs(longRetention...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		// The test pauses the process while it looks, so that the upgrade does not get past the
		// middle meanwhile.
		for deadline := time.Now().Add(20 * time.Second); migrationOf(p.dir) < wanted && time.Now().Before(deadline); {
			resumeProcess(t, cmd.Process)
			time.Sleep(time.Millisecond)
			pauseProcess(t, cmd.Process)
		}
		_ = cmd.Process.Kill()
		<-ended
		at := migrationOf(p.dir)
		p.start(longRetention...)
		if at > from && at < migrationOf(p.dir) {
			if stopped[which] == nil {
				stopped[which] = map[int64]bool{}
			}
			stopped[which][at] = true
		}
		p.checkFolder(known)
		p.stop()
		for _, left := range []string{"*.new", ".*", "*-wal", "*-shm", "backup-*"} {
			if found, err := filepath.Glob(filepath.Join(p.dir, left)); err != nil || len(found) > 0 {
				t.Errorf("left: %v (%v)", found, err)
			}
		}
		out, err := p.tilth("doctor", "--data-dir", p.dir)
		if err != nil || !strings.Contains(out, "nothing contradicts itself") {
			t.Errorf("doctor: %v\n%s", err, out)
		}
	}
	for which, steps := range stopped {
		t.Logf("%s: killed at steps %v", archives[which], slices.Sorted(maps.Keys(steps)))
		if len(steps) == 0 {
			t.Errorf("%s: none was killed in the middle", archives[which])
		}
	}
}

// migrationOf is the latest committed migration of a folder's database; 0 if the database cannot be
// read at the moment.
func migrationOf(dir string) (step int64) {
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "tilth.db")+"?mode=ro")
	if err != nil {
		return 0
	}
	defer pool.Close()
	if pool.QueryRow(`SELECT MAX(version_id) FROM goose_db_version WHERE is_applied`).Scan(&step) != nil {
		return 0
	}
	return step
}

// A server and doctor refuse a folder that a newer version wrote, whether its tables or its
// readings are newer. The error says what to do, and no byte of the folder changes.
func TestNewerFolderIsNotChanged(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start()
	p.apply(simulatedFarm)
	p.stop()
	for name, age := range newerFolders {
		t.Run(name, func(t *testing.T) {
			newer := newProcess(t)
			if err := os.CopyFS(newer.dir, os.DirFS(p.dir)); err != nil {
				t.Fatal(err)
			}
			age(t, newer.dir)
			err := os.Remove(filepath.Join(newer.dir, "device-key"))
			if err != nil { // no key may be created where nothing may be changed
				t.Fatal(err)
			}
			before := folder.Contents(t, newer.dir)
			for _, args := range [][]string{
				newer.serverArgs(),
				{"doctor", "--data-dir", newer.dir},
			} {
				out, err := newer.tilth(args...)
				if err == nil || !strings.Contains(out, newer.dir) ||
					!strings.Contains(
						out,
						"written by a newer version of Tilth; nothing was changed. Start that version again",
					) {
					t.Errorf("%s: %v\n%s", args[0], err, out)
				}
			}
			if !maps.Equal(before, folder.Contents(t, newer.dir)) {
				t.Error("something was changed")
			}
		})
	}
}

// newerFolders make a data folder look as if a newer version wrote it.
var newerFolders = map[string]func(t *testing.T, dir string){
	"tables": func(t *testing.T, dir string) {
		t.Helper()
		pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "tilth.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		if _, err := pool.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`); err != nil {
			t.Fatal(err)
		}
	},
	"readings": func(t *testing.T, dir string) {
		t.Helper()
		d, err := pebble.Open(filepath.Join(dir, "readings"), &pebble.Options{
			FormatMajorVersion: pebble.FormatTableFormatV6,
			Merger:             &pebble.Merger{Name: mergerName(t, dir)},
			Logger:             quietLogger{},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(d.Set([]byte("mf"), []byte{99}, pebble.Sync), d.Close()); err != nil {
			t.Fatal(err)
		}
	},
}

type quietLogger struct{}

func (quietLogger) Infof(string, ...any)              {}
func (quietLogger) Errorf(string, ...any)             {}
func (quietLogger) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// mergerName is the name of the merger that the readings were written with, which Pebble requires.
func mergerName(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "readings", "OPTIONS-*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "merger=")
	name, _, _ := strings.Cut(rest, "\n")
	return name
}
