package command

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

var (
	keepAs      = flag.String("keep", "", "keep a data folder of this version for later ones to open, under this name")
	keepProgram = flag.String("keep-program", "", "the tilth that makes it; empty: of this tree")
	keepKilled  = flag.Bool("keep-killed", false, "end it by kill -9: what it wrote last lies in its logs")
)

// foldersDir is where data folders of earlier versions are kept.
const foldersDir = "testdata/folders"

// At each release the test keeps a small data folder of it, which all later versions must open:
//
//	go test ./internal/command -run TestKeepFolder -keep 0.2.0
//
// For an earlier version, build it elsewhere and name it with -keep-program; with -keep-killed the
// latest writes stay in its logs. The test makes no folder if one of that name exists already.
func TestKeepFolder(t *testing.T) {
	if *keepAs == "" {
		t.Skip("asked for by -keep at each release")
	}
	target := filepath.Join(foldersDir, *keepAs+".tar.gz")
	if _, err := os.Stat(target); err == nil {
		t.Fatalf("%s is there already; a kept folder is never made anew", target)
	}
	p := newProcess(t)
	p.program = *keepProgram
	known := folderRecord{Version: *keepAs}
	p.start()
	if p.supportsProperty(dewPoint) {
		p.apply(fmt.Sprintf(oldFarm, dewPoint))
	} else {
		p.apply(fmt.Sprintf(oldFarm, ""))
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for _, d := range []struct{ name, secret string }{{"U-1", "upgrade-test-secret-number-1"}, {"U-2", "upgrade-test-secret-number-3"}} {
		frames := map[int64]map[string]any{}
		for n := range oldDays * 48 {
			frames[today.Add(time.Duration(n-oldDays*48)*30*time.Minute).UnixMilli()] = oldReading(d.name, n)
		}
		p.publish(d.secret, frames)
	}
	p.waitSealed(oldDays)
	// These readings are late, for a day that is sealed by now: one is new, one replaces another.
	p.publish("upgrade-test-secret-number-1", map[int64]map[string]any{
		today.Add(-30*time.Hour + time.Second).UnixMilli(): {"airTemperature": 9.9, "airHumidity": 55.0},
		today.Add(-36 * time.Hour).UnixMilli():             {"airTemperature": 8.8, "airHumidity": 44.0},
	})
	token := p.signIn("farm", "ada", "correct horse")
	p.createAlarms(token)
	if p.hasCall("/admin-api/client/pc/apicredentials/page?pageNo=1&pageSize=10", token) {
		p.call(
			http.MethodPost,
			"/admin-api/client/pc/apicredentials/create",
			token,
			`{"name":"Old program"}`,
			&known.Key,
		)
	}
	known.Made = time.Now().UnixMilli()
	known.Readings = p.history(token, []string{"U-1", "U-2", "U-3"}, known.Made)
	known.Devices = p.deviceLabels(token)
	if p.hasCall("/admin-api/client/pc/alarm-rules/page?pageNo=1&pageSize=10", token) {
		known.Notices, known.Rules = p.notices(), p.rules(token)
	}
	if *keepKilled {
		p.kill()
	} else {
		p.stop()
	}
	if err := pack(p.dir, known, target); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(target)
	if err != nil || info.Size() > 200<<10 {
		t.Errorf("%s is %d bytes, 200 KiB are enough (%v)", target, info.Size(), err)
	}
	t.Logf("%s: %d bytes, %d notices, %d rules", target, info.Size(), len(known.Notices), len(known.Rules))
}

// supportsProperty reports whether the program knows a property.
func (p *process) supportsProperty(property string) bool {
	file := filepath.Join(p.t.TempDir(), "try.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, "products:\n  - name: try\n    properties:\n"+
		"      - {identifier: airTemperature, elementUnit: \"°C\", dataType: number}\n      - {identifier: airHumidity, elementUnit: \"%%\", dataType: number}\n%s\n", property), 0o600); err != nil {
		p.t.Fatal(err)
	}
	_, err := p.tilth("apply", "-f", file, "--server", "http://"+p.admin)
	return err == nil
}

// hasCall reports whether the program has a call.
func (p *process) hasCall(path, token string) bool {
	p.t.Helper()
	var answer struct{ Code int }
	if err := json.Unmarshal(
		[]byte(p.send(http.MethodGet, "http://"+p.http+path, "Bearer "+token, "")),
		&answer,
	); err != nil {
		p.t.Fatal(err)
	}
	return answer.Code == 200
}

// waitSealed restarts the program until so many days are sealed, if that version seals days.
func (p *process) waitSealed(days int) {
	p.t.Helper()
	for i := range 20 {
		time.Sleep(time.Duration(i) * 200 * time.Millisecond) // another process: there is no event to wait for
		p.stop()
		f, err := reading.Examine(
			p.t.Context(),
			filepath.Join(p.dir, "readings"),
			0,
			func(device.Ref) bool { return true },
		)
		if err != nil {
			p.t.Fatal(err)
		}
		p.start()
		if f.Segments >= uint64(days) && f.Frames == 0 || !strings.Contains(p.help(), "doctor") {
			return
		}
	}
	p.t.Fatalf("the days are not sealed\n%s", p.stderr)
}

func (p *process) help() string {
	out, err := p.tilth("--help")
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// frostRule is a rule for U-1 that triggers at once below zero.
const frostRule = `{"alarmName":"Don %d","dataSource":1,"executionId":"U-1","triggerType":0,"durations":60000,"hitCounts":1,"alarmLevel":%d,"manualRelease":0,` +
	`"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":"<","value":0}]}`

// createAlarms makes rules, one of which does not run, and readings that open and end a notice, and
// open another that stays open.
func (p *process) createAlarms(token string) {
	p.t.Helper()
	if !p.hasCall("/admin-api/client/pc/alarm-rules/page?pageNo=1&pageSize=10", token) {
		return
	}
	told := ""
	if p.hasCall("/admin-api/client/pc/notice-channel/page?pageNo=1&pageSize=10", token) {
		var channel int64
		p.call(
			http.MethodPost,
			"/admin-api/client/pc/notice-channel/create",
			token,
			`{"noticeName":"Bekçi","noticeMode":["email"],"email":{"emails":["guard@example.com"]}}`,
			&channel,
		)
		told = fmt.Sprintf(`"passageway":[%d],`, channel)
	}
	for level := range 2 {
		var id int64
		body := strings.Replace(fmt.Sprintf(frostRule, level, level), "{", "{"+told, 1)
		p.call(http.MethodPost, "/admin-api/client/pc/alarm-rules/create", token, body, &id)
		if level == 0 {
			var done bool
			p.call(
				http.MethodGet,
				fmt.Sprint("/admin-api/client/pc/alarm-rules/publish?alarmRulesId=", id),
				token,
				"",
				&done,
			)
		}
	}
	at := time.Now().Add(time.Second).UnixMilli() // after the rule was started
	for i, celsius := range []float64{4, -3.5, 5, -4.5} {
		p.publish(
			"upgrade-test-secret-number-1",
			map[int64]map[string]any{at + int64(i)*1000: {"airTemperature": celsius, "airHumidity": 90.0}},
		)
	}
	p.waitEvaluated()
}

// rules are the names of a farm's rules, and whether they run.
func (p *process) rules(token string) (list []string) {
	p.t.Helper()
	var page struct {
		List []struct {
			AlarmName   string
			DeployState int
		}
	}
	p.call(http.MethodGet, "/admin-api/client/pc/alarm-rules/page?pageNo=1&pageSize=100", token, "", &page)
	for _, r := range page.List {
		list = append(list, fmt.Sprintf("%s %d", r.AlarmName, r.DeployState))
	}
	slices.Sort(list)
	return list
}

// pack writes a data folder and its record as one archive.
func pack(dir string, known folderRecord, target string) (err error) {
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // test data, for everybody
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	text, err := json.Marshal(known)
	if err != nil {
		return err
	}
	err = errors.Join(w.WriteHeader(&tar.Header{Name: "known.json", Mode: 0o600, Size: int64(len(text))}))
	if _, e := w.Write(text); e != nil {
		return errors.Join(err, e)
	}
	return errors.Join(err, w.AddFS(os.DirFS(dir)), w.Close(), z.Close())
}

// unpack unpacks the data folder of an archive and returns its record.
func unpack(t *testing.T, archive, dir string) (known folderRecord) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return known
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "known.json" {
			if err := json.NewDecoder(r).Decode(&known); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(filepath.Join(dir, h.Name), 0o700)
		} else {
			var content []byte
			if content, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(filepath.Join(dir, h.Name), content, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
