package command

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/tools/testkit"
)

const swapFarm = `products:
  - name: mast
    properties:
      - {identifier: airTemperature, dataType: number, precision: 2}
      - {identifier: rainfall, dataType: number, precision: 2}
tenants:
  - name: farm
    timeZone: Europe/Istanbul
    language: en-us
    users:
      - {userName: ada, password: correct horse}
      - {userName: vera, password: correct horse, role: viewer}
    devices:
      - {deviceName: WS-1, serial: S-1, product: mast, secret: secret-of-the-first-box}
`

// publishes tells whether the device WS-1 can publish a temperature with a secret over MQTT.
func (p *process) publishes(secret, temperature string) bool {
	p.t.Helper()
	c := mqtt.NewClient(mqtt.NewClientOptions().AddBroker("tcp://" + p.mqtt).SetUsername("WS-1").SetPassword(secret).
		SetAutoReconnect(false).SetConnectTimeout(testkit.WaitTimeout))
	if token := c.Connect(); !token.WaitTimeout(testkit.WaitTimeout) || token.Error() != nil {
		return false
	}
	defer c.Disconnect(0)
	sent := c.Publish("v1/devices/me/telemetry", 1, false, `{"airTemperature": `+temperature+`}`)
	if !sent.WaitTimeout(testkit.WaitTimeout) || sent.Error() != nil {
		p.t.Fatalf("publish: %v", sent.Error())
	}
	return true
}

// 21: after a swap the old secret is refused over HTTP and MQTT, the new one is good, the history is whole and
// the new station's first count gives no rain; also after a restart.
func TestSwapOfARunningDevice(t *testing.T) {
	t.Parallel()
	const old = "secret-of-the-first-box"
	p := newProcess(t)
	p.start()
	p.apply(swapFarm)
	began := time.Now()
	post := func(secret, path, kind, body string) int {
		t.Helper()
		res, err := http.Post("http://"+p.http+"/api/v1/"+secret+path, kind, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode
	}
	telemetry := func(secret, temperature string) int {
		t.Helper()
		return post(secret, "/telemetry", "application/json", `{"airTemperature": `+temperature+`}`)
	}
	rain := func(secret, inches string) {
		t.Helper()
		time.Sleep(5 * time.Millisecond) // counts of the same millisecond are one
		form := url.Values{"totalrainin": {inches}}.Encode()
		if status := post(secret, "/ecowitt", "application/x-www-form-urlencoded", form); status != http.StatusOK {
			t.Fatalf("rain: %d", status)
		}
	}
	history := func(token, property string) (values []float64) {
		t.Helper()
		var series map[string][]struct{ Value float64 }
		p.call(http.MethodGet, fmt.Sprint(
			"/admin-api/client/pc/device/get/format-map/time-interval-data?deviceName=WS-1&yeuSignList=", property,
			"&startTime=", began.UnixMilli(), "&endTime=", time.Now().UnixMilli()), token, "", &series)
		for _, x := range series[property] {
			values = append(values, x.Value)
		}
		return values
	}
	if telemetry(old, "1.5") != 200 || !p.publishes(old, "2.5") {
		t.Fatal("the first box cannot report")
	}
	rain(old, "1.00")
	rain(old, "1.04")
	ended := make(chan struct{})
	open := mqtt.NewClient(mqtt.NewClientOptions().AddBroker("tcp://" + p.mqtt).SetUsername("WS-1").SetPassword(old).
		SetAutoReconnect(false).SetConnectionLostHandler(func(mqtt.Client, error) { close(ended) }))
	t.Cleanup(func() { open.Disconnect(0) })
	if token := open.Connect(); !token.WaitTimeout(testkit.WaitTimeout) || token.Error() != nil {
		t.Fatal(token.Error())
	}
	ada := p.signIn("farm", "ada", "correct horse")
	var made struct{ Secret string }
	p.call(http.MethodPost, "/admin-api/client/pc/device/swap", ada,
		`{"deviceName":"WS-1","serial":"S-2","note":"hit by a tractor"}`, &made)
	select {
	case <-ended:
	case <-time.After(testkit.WaitTimeout):
		t.Error("the old box's connection is still there")
	}
	check := func(when, first, second string) {
		t.Helper()
		if status := telemetry(old, first); status != http.StatusUnauthorized || p.publishes(old, first) {
			t.Errorf("%s: the old box reports (%d)", when, status)
		}
		if status := telemetry(made.Secret, first); status != http.StatusOK || !p.publishes(made.Secret, second) {
			t.Errorf("%s: the new box cannot report (%d)", when, status)
		}
	}
	check("at once", "3.5", "4.5")
	rain(made.Secret, "9.00")
	p.stop()
	p.start()
	ada = p.signIn("farm", "ada", "correct horse")
	check("after a restart", "5.5", "6.5")
	rain(made.Secret, "9.04")
	if got := fmt.Sprint(history(ada, "airTemperature")); got != "[1.5 2.5 3.5 4.5 5.5 6.5]" {
		t.Errorf("the history: %s", got)
	}
	if got := fmt.Sprint(history(ada, "rainfall")); got != "[1.02 1.02]" {
		t.Errorf("the rain: %s", got)
	}
	var events []struct{ Kind, By, Note, Serial, FormerSerial string }
	p.call(http.MethodGet, "/admin-api/client/pc/device/get/events?deviceName=WS-1",
		p.signIn("farm", "vera", "correct horse"), "", &events)
	if got := fmt.Sprint(events); got != "[{swap ada hit by a tractor S-2 S-1}]" {
		t.Errorf("events: %s", got)
	}
	file := filepath.Join(t.TempDir(), "farm.yaml")
	if err := os.WriteFile(file, []byte(swapFarm), 0o600); err != nil {
		t.Fatal(err)
	}
	apply := func(more ...string) string {
		t.Helper()
		out, err := p.tilth(append([]string{"apply", "-f", file, "--server", "http://" + p.admin}, more...)...)
		if err != nil {
			t.Fatalf("apply: %v\n%s", err, out)
		}
		return out
	}
	// The file still has the old box's serial and secret.
	const line = "kept device farm/WS-1: serial, secrets (the file has those of the box that was swapped out; " +
		"--overwrite applies them)\n"
	if out := apply(); !strings.HasPrefix(out, line) || !strings.Contains(out, "changed 0") {
		t.Errorf("apply: %s", out)
	}
	if telemetry(old, "7.5") != http.StatusUnauthorized {
		t.Error("the file lets the old box in")
	}
	if out := apply("--overwrite"); !strings.Contains(out, "changed device farm/WS-1: serial, secrets") ||
		strings.Contains(out, "kept") {
		t.Errorf("apply --overwrite: %s", out)
	}
	if telemetry(old, "7.5") != http.StatusOK || telemetry(made.Secret, "7.5") != http.StatusUnauthorized {
		t.Error("--overwrite does not bring the old box back")
	}
}
