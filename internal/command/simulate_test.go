package command

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const simulatedFarm = `products:
  - name: silo
    properties:
      - {identifier: level, dataType: number, precision: 2, min: 0, max: 12}
      - {identifier: full, dataType: boolean}
tenants:
  - name: farm
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: ada, password: correct horse}]
    devices:
      - {deviceName: SILO-1, serial: s, product: silo, secret: silo-secret-number-0001}
      - {deviceName: SILO-2, serial: s, product: silo, secrets: [silo-secret-number-0002, silo-secret-number-0003]}
`

// The file that sets devices up makes them publish, too.
func TestSimulatePublishesForAFilesDevices(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start()
	p.apply(simulatedFarm)
	file := filepath.Join(t.TempDir(), "farm.yaml")
	if err := os.WriteFile(file, []byte(simulatedFarm), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := p.tilth(
		"simulate",
		"-f",
		file,
		"--broker", "tcp://"+unusedAddr+",tcp://"+p.mqtt,
		"--every", "100ms",
		"--count", "5",
	); err != nil {
		t.Fatalf("simulate: %v\n%s", err, out)
	}
	token := p.signIn("farm", "ada", "correct horse")
	for _, name := range []string{"SILO-1", "SILO-2"} {
		var d struct{ Received, Values, Refused int }
		p.call(http.MethodGet, "/admin-api/client/pc/device/get/diagnostics?deviceName="+name, token, "", &d)
		if d.Received != 5 || d.Values != 10 || d.Refused != 0 {
			t.Errorf("%s: %+v, want 5 messages with 10 values and nothing refused", name, d)
		}
	}
}

// Without --count the devices go on trying, and the trouble is reported once. The test uses
// synctest's time, so that nobody waits for the attempts.
func TestSimulateReportsUnreachableServer(t *testing.T) { synctest.Test(t, simulateWithoutServer) }

func simulateWithoutServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "farm.yaml")
	one := strings.Replace(simulatedFarm, "      - {deviceName: SILO-2,", "      # {deviceName: SILO-2,", 1)
	if err := os.WriteFile(file, []byte(one), 0o600); err != nil {
		t.Fatal(err)
	}
	broker := "tcp://" + unusedAddr
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // time for three attempts
	defer cancel()
	var out, told strings.Builder
	c := simulateCommand()
	c.SetArgs([]string{"-f", file, "--broker", broker, "--every", "100ms"})
	c.SetOut(&out)
	c.SetErr(&told)
	if err := c.ExecuteContext(ctx); err != nil {
		t.Error(err)
	}
	if want := "Publishing for 1 device to " + broker + ". Stop with Ctrl-C.\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if want := "Nobody listens at " + broker + "; trying again.\n"; told.String() != want {
		t.Errorf("%q, want %q", told.String(), want)
	}
}

func TestSimulateReportsIncompleteFile(t *testing.T) {
	for want, yaml := range map[string]string{
		"no device has a secret":        "tenants: [{name: farm, devices: [{deviceName: A, product: silo}]}]",
		`product "silo" of A is not in`: "tenants: [{name: farm, devices: [{deviceName: A, product: silo, secret: silo-secret-number-0001}]}]",
		"sequence is expected":          "tenants: 7",
	} {
		file := filepath.Join(t.TempDir(), "farm.yaml")
		if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readSimulatedDevices(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", yaml, err, want)
		}
	}
}
