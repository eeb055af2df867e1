package command

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/settings"
	"tilth/internal/tools/testkit/program"
)

// The test does what a first user of the demo does: the demo starts, the user signs in, and sees
// readings that have just arrived over MQTT.
func TestDemoShowsFreshReadings(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.startDemo(t, "--history", "2d")
	token := p.signIn(demoTenant, demoUser, demoPassword)

	var overview struct{ DeviceCount, OnlineCount, SceneCount int }
	p.call(http.MethodGet, "/admin-api/client/pc/home/overview-statistics", token, "", &overview)
	if overview.DeviceCount < 6 || overview.OnlineCount == 0 || overview.SceneCount == 0 {
		t.Errorf("overview: %+v", overview)
	}
	// A mast reports every ten seconds. On a busy machine reports are late; only a failure takes a minute.
	started := time.Now().UnixMilli()
	deadline := time.Now().Add(time.Minute)
	for {
		var last map[string]struct {
			Value any
			Time  int64
		}
		p.call(http.MethodGet, "/admin-api/device/data/all/data-last?deviceName=WS-0417", token, "", &last)
		if r := last["airTemperature"]; r.Time > started {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no reading came within a minute: %+v", last)
		}
		time.Sleep(100 * time.Millisecond) // another process: there is no event to wait for
	}

	for _, told := range []string{"Tilth is ready:  http://" + p.http + "\n", "MQTT on " + p.mqtt + ", HTTP on " + p.http + ". Provider API on " + p.admin + ","} {
		if !strings.Contains(p.stdout.String(), told) {
			t.Errorf("it does not say %q:\n%s", told, p.stdout)
		}
	}

	products := map[string]bool{}
	var page struct {
		List []struct {
			ProductName string
			LastData    []map[string]any
		}
		Total int
	}
	p.call(http.MethodGet, "/admin-api/client/pc/device/page?pageSize=400", token, "", &page)
	for _, d := range page.List {
		if len(d.LastData) == 1 {
			products[d.ProductName] = true
		}
	}
	if len(products) < 6 {
		t.Errorf("devices of %d products have readings, want all six: %v", len(products), products)
	}
	for camera, kind := range map[string]string{"CAM-0094": "hls", "CAM-0095": "embed", "CAM-0093": "file"} {
		var video struct{ Kind string }
		p.call(http.MethodGet, "/admin-api/client/pc/device/get/video?deviceName="+camera, token, "", &video)
		if video.Kind != kind {
			t.Errorf("%s shows %q", camera, video.Kind)
		}
	}
	checkDemoRules(t, p, token)
	p.stop()
}

// checkDemoRules checks that the rules of the demo's farm notify people: all of them run, each has
// a channel, and SMS are only written to the log.
func checkDemoRules(t *testing.T, p *process, token string) {
	t.Helper()
	want := demoFarms[0]
	var rules struct {
		List []struct {
			AlarmName, DeployUser   string
			DeployState             int
			Passageway, TimePeriods []int64
		}
		Total, Running int
	}
	p.call(http.MethodGet, "/admin-api/client/pc/alarm-rules/page?pageSize=400", token, "", &rules)
	if rules.Total != len(want.rules) || rules.Running != rules.Total {
		t.Fatalf("rules: %+v", rules)
	}
	// Rules with an open notice come first, and the longer the demo runs, the more rules have one.
	names := map[string]bool{}
	for _, r := range rules.List {
		names[r.AlarmName] = true
		if r.DeployState != 1 || r.DeployUser != want.user || len(r.Passageway) == 0 {
			t.Errorf("%+v", r)
		}
	}
	for _, r := range want.rules {
		if !names[r.name] {
			t.Errorf("no rule is called %q: %v", r.name, names)
		}
	}
	var channels struct {
		List []struct {
			NoticeMode []string
			RuleCount  int
		}
		Total int
	}
	p.call(http.MethodGet, "/admin-api/client/pc/notice-channel/page", token, "", &channels)
	if channels.Total != len(want.channels) {
		t.Errorf("channels: %+v", channels)
	}
	for i, c := range channels.List {
		if len(c.NoticeMode) != len(want.channels[len(want.channels)-1-i].Kinds) || c.RuleCount == 0 {
			t.Errorf("%+v", c)
		}
	}
	var ways struct{ Email, PhoneMessage, Logged bool }
	p.call(http.MethodGet, "/admin-api/client/pc/notice-channel/get/ways", token, "", &ways)
	if ways.Email || !ways.PhoneMessage || !ways.Logged {
		t.Errorf("ways: %+v", ways)
	}
}

// docs/devices.md promises five lines from nothing to a reading. The test runs them as they stand,
// with its own ports and folders.
func TestDeviceGuideCommandsWork(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/devices.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) < 2 {
		t.Fatalf("%d shell blocks in the device guide", len(blocks))
	}
	for _, tool := range []string{"mosquitto_pub", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is needed; make test installs it", tool)
			}
			t.Skipf("%s is not installed", tool)
		}
	}
	p := newProcess(t)
	p.startDemo(t, "--history", "0")
	path, err := program.Tilth()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, mqttPort, _ := net.SplitHostPort(p.mqtt)
	adapt := strings.NewReplacer(
		"demo-data/", p.dir+"/", "./bin/tilth apply", path+" apply --server http://"+p.admin,
		"-p 1883", "-p "+mqttPort, "127.0.0.1:8080", p.http,
	)
	token := p.signIn(demoTenant, demoUser, demoPassword)
	for i, block := range blocks[:2] {
		cmd := exec.Command("bash", "-euo", "pipefail", "-c", adapt.Replace(block[1]))
		cmd.Dir = dir
		sent := time.Now().UnixMilli()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("block %d: %v\n%s", i+1, err, out)
		}
		var last map[string]struct {
			Value any
			Time  int64
		}
		p.call(http.MethodGet, "/admin-api/device/data/all/data-last?deviceName=MY-0001", token, "", &last)
		if r := last["airTemperature"]; r.Value != 3.4 || r.Time < sent {
			t.Errorf("block %d: the reading is not there: %+v\n%s", i+1, last, out)
		}
	}
	simulation := slices.IndexFunc(
		blocks,
		func(block []string) bool { return strings.Contains(block[1], "tilth simulate") },
	)
	if simulation < 0 {
		t.Fatal("the device guide simulates nothing")
	}
	brief := strings.NewReplacer(
		"./bin/tilth simulate",
		path+" simulate --broker tcp://"+p.mqtt,
		"--every 5s",
		"--every 100ms --count 2",
	)
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", brief.Replace(adapt.Replace(blocks[simulation][1])))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TILTH_PROVIDER_TOKEN="+p.providerToken())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var last map[string]struct{ Value any }
	p.call(http.MethodGet, "/admin-api/device/data/all/data-last?deviceName=SIM-0001", token, "", &last)
	if v, ok := last["airTemperature"].Value.(float64); !ok || v < 5 || v > 35 {
		t.Errorf("the simulated device has no reading: %+v\n%s", last, out)
	}
}

// providerToken is the token that the server made.
func (p *process) providerToken() string {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, "provider-token"))
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// startDemo starts `tilth demo` and waits until it is ready.
func (p *process) startDemo(t *testing.T, args ...string) {
	t.Helper()
	p.dir = filepath.Join(t.TempDir(), "demo-data")
	p.token = ""
	p.command = "demo"
	p.start(args...)
}

func TestDemoRefusesForeignFolder(t *testing.T) {
	dir := t.TempDir()
	keep := filepath.Join(dir, "tilth.db")
	if err := os.WriteFile(keep, []byte("somebody's farm"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := freshFolder(dir); err == nil || !strings.Contains(err.Error(), "the demo did not make") {
		t.Errorf("freshFolder of a foreign folder: %v", err)
	}
	if b, err := os.ReadFile(keep); err != nil || string(b) != "somebody's farm" {
		t.Errorf("the foreign folder was touched: %q, %v", b, err)
	}
}

func TestDemoRefusesLongPasswordMinimum(t *testing.T) {
	c := demoCommand()
	c.SilenceUsage, c.SilenceErrors = true, true
	c.SetArgs([]string{"--password-min", "10", "--data-dir", filepath.Join(t.TempDir(), "demo")})
	err := c.ExecuteContext(t.Context())
	if err == nil || err.Error() != "--password-min: 10: the demo's password has 9 characters" {
		t.Errorf("answered %v", err)
	}
}

func TestDemoEmptiesItsOwnFolderUnlessInUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	release, err := freshFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "tilth.db")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := freshFolder(dir); err == nil || !strings.Contains(err.Error(), "a demo is running") {
		t.Errorf("freshFolder while in use: %v", err)
	}
	if _, err := os.Stat(old); err != nil {
		t.Errorf("a running demo's data was removed: %v", err)
	}
	release()
	release, err = freshFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the former demo's data is still there: %v", err)
	}
}

// The documented password is for the demo that only its own machine reaches, over HTTPS too.
func TestDemoServesOthers(t *testing.T) {
	for _, c := range []struct {
		http, https string
		want        bool
	}{
		{"127.0.0.1:8080", "", false},
		{"127.0.0.1:8080", "localhost:8443", false},
		{"127.0.0.1:8080", ":443", true},
		{":8080", "", true},
	} {
		if got := servesOthers(&settings.Server{HTTPAddr: c.http, HTTPSAddr: c.https}); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

func TestIsLoopbackAddr(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:8080": true, "localhost:80": true, "[::1]:80": true, "127.8.9.1:1": true,
		":8080": false, "0.0.0.0:8080": false, "192.0.2.1:80": false, "[::]:80": false, "nonsense": false,
	} {
		if got := isLoopbackAddr(addr); got != want {
			t.Errorf("isLoopbackAddr(%q) = %v", addr, got)
		}
	}
}
