package command

import (
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
)

// metricValue is a number of /metrics, by its name with its labels.
func (p *process) metricValue(name string) float64 {
	p.t.Helper()
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(p.metricsPage())
	if found == nil {
		p.t.Fatalf("there is no %s", name)
	}
	n, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func (p *process) metricsPage() string {
	p.t.Helper()
	resp, err := http.Get("http://" + p.admin + "/metrics")
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		p.t.Fatalf("%s, %v", resp.Status, err)
	}
	return string(body)
}

// The metrics show an operator the life of a server: devices come online, a backup is noted, and
// its time survives a restart.
func TestOperationMetrics(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start()
	p.apply(simulatedFarm)
	const backup = "tilth_backup_last_timestamp_seconds"
	if at := p.metricValue(backup); at != 0 {
		t.Fatalf("the last backup was at %v before any backup", at)
	}
	before := float64(time.Now().Unix())
	if out, err := p.tilth(
		"backup",
		"-o",
		filepath.Join(t.TempDir(), "farm.tar"),
		"--server", "http://"+p.admin,
	); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	taken := p.metricValue(backup)
	if taken < before || taken > float64(time.Now().Unix()) {
		t.Errorf("taken at %v, not between %v and now", taken, before)
	}
	if out, err := p.tilth("healthcheck", "--http-addr", p.http); err != nil || out != "ready\n" {
		t.Errorf("healthcheck: %q, %v", out, err)
	}
	publishOnce(t, "tcp://"+p.mqtt, func(*mqtt.ClientOptions) {})
	p.apply(
		`tenants: [{name: other, timeZone: UTC, language: en-us, devices: [{deviceName: OTHER-1, serial: o, product: silo}]}]`,
	)
	if p.metricValue("tilth_devices") != 3 || p.metricValue("tilth_devices_online") != 1 ||
		p.metricValue("tilth_ready") != 1 ||
		p.metricValue("tilth_database_bytes") < 4096 {
		t.Errorf("figures:\n%s", p.metricsPage())
	}
	p.stop()
	p.start()
	if again := p.metricValue(backup); again != taken {
		t.Errorf("after a restart taken at %v, want %v", again, taken)
	}
}
