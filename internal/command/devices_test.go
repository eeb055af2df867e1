package command

import (
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/tools/testkit"
)

// publishOnce connects a device of the simulated farm, publishes one message and waits for its
// acknowledgement.
func publishOnce(t *testing.T, broker string, with func(*mqtt.ClientOptions)) {
	t.Helper()
	o := mqtt.NewClientOptions().AddBroker(broker).SetUsername("SILO-1").SetPassword("silo-secret-number-0001").
		SetAutoReconnect(false).SetConnectTimeout(testkit.WaitTimeout)
	with(o)
	c := mqtt.NewClient(o)
	defer c.Disconnect(0)
	if token := c.Connect(); !token.WaitTimeout(testkit.WaitTimeout) || token.Error() != nil {
		t.Fatalf("%s: connect: %v", broker, token.Error())
	}
	if token := c.Publish(
		"v1/devices/me/telemetry",
		1,
		false,
		`{"level":3,"full":false}`,
	); !token.WaitTimeout(testkit.WaitTimeout) ||
		token.Error() != nil {
		t.Fatalf("%s: publish: %v", broker, token.Error())
	}
}

// receivedCount is how many messages of SILO-1 the console shows.
func (p *process) receivedCount() int {
	p.t.Helper()
	var d struct{ Received int }
	p.call(http.MethodGet, "/admin-api/client/pc/device/get/diagnostics?deviceName=SILO-1", p.adaToken(), "", &d)
	return d.Received
}

// metricText is a metric of the admin address, by its name with its labels.
func (p *process) metricText(name string) string {
	p.t.Helper()
	for line := range strings.Lines(testkit.GetText(p.t, "http://"+p.admin+"/metrics")) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	p.t.Errorf("there is no metric %s", name)
	return ""
}

func TestMQTTOverTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile, roots := testkit.Certificate(t, dir, time.Now())
	p := newProcess(t)
	p.start("--mqtt-tls-addr", testkit.AnyPort, "--tls-cert", certFile, "--tls-key", keyFile)
	secure := p.mqttTLS
	p.apply(simulatedFarm)
	trusting := func(o *mqtt.ClientOptions) { o.SetTLSConfig(&tls.Config{RootCAs: roots}) }
	publishOnce(t, "ssl://"+secure, trusting)
	_, _, roots = testkit.Certificate(t, dir, time.Now()) // renewed, without a restart
	publishOnce(t, "ssl://"+secure, trusting)
	plain := mqtt.NewClient(
		mqtt.NewClientOptions().AddBroker(
			"tcp://" + secure,
		).SetProtocolVersion(
			4,
		).SetAutoReconnect(
			false,
		).SetConnectTimeout(
			5 * time.Second,
		),
	)
	if token := plain.Connect(); !token.WaitTimeout(10*time.Second) || token.Error() == nil {
		t.Error("a device without TLS connected")
	}
	if n := p.receivedCount(); n != 2 {
		t.Errorf("%d messages received", n)
	}
	if n := p.metricText(`tilth_mqtt_turned_away_total{reason="tls"}`); n != "1" {
		t.Errorf("refused connections: %s", n)
	}
	p.stop()
}

func TestWrongCertificatePreventsStart(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	certFile, _, _ := testkit.Certificate(t, dir, time.Now())
	_, keyFile, _ := testkit.Certificate(t, other, time.Now())
	data := filepath.Join(dir, "data")
	out, err := (&process{}).tilth(
		"serve",
		"--data-dir", data,
		"--http-addr", testkit.AnyPort,
		"--mqtt-addr", testkit.AnyPort,
		"--admin-addr", testkit.AnyPort,
		"--mqtt-tls-addr", testkit.AnyPort,
		"--tls-cert", certFile,
		"--tls-key", keyFile,
	)
	if err == nil || !strings.Contains(out, "--tls-cert and --tls-key: ") || strings.Count(out, "\n") != 1 {
		t.Errorf("%v, said %q, want one line", err, out)
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("a data folder was made")
	}
}

// Behind a trusted proxy each client has its own count of connections; without one, a forwarded
// address is ignored. Connections over TCP count together with those over WebSockets.
func TestMQTTOverWebSocketBehindAProxy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		next bool // another forwarded address is accepted where the first has its share
	}{"trusted": {[]string{"--trusted-proxies", "127.0.0.0/8"}, true}, "unknown": {nil, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			p.start(append(test.args, "--mqtt-per-address", "1")...)
			p.apply(simulatedFarm)
			connect := func(broker, forwarded string) error {
				c := mqtt.NewClient(
					mqtt.NewClientOptions().AddBroker(broker).SetProtocolVersion(4).SetAutoReconnect(false).
						SetUsername("SILO-1").SetPassword("silo-secret-number-0001").SetConnectTimeout(5 * time.Second).
						SetHTTPHeaders(http.Header{"X-Forwarded-For": {forwarded}}),
				)
				token := c.Connect()
				if !token.WaitTimeout(10 * time.Second) {
					t.Fatal("no answer")
				}
				t.Cleanup(func() { c.Disconnect(0) })
				return token.Error()
			}
			ws := "ws://" + p.http + "/mqtt"
			if err := connect(ws, "192.0.2.1"); err != nil {
				t.Fatal(err)
			}
			if connect(ws, "192.0.2.1") == nil {
				t.Error("one address had two connections")
			}
			if err := connect(ws, "192.0.2.2"); (err == nil) != test.next {
				t.Errorf("the next address: %v", err)
			}
			if err := connect("tcp://"+p.mqtt, ""); (err == nil) != test.next {
				t.Errorf("over TCP: %v", err)
			}
			want := map[bool]string{true: "1", false: "3"}[test.next]
			if n := p.metricText(`tilth_mqtt_turned_away_total{reason="address"}`); n != want {
				t.Errorf("refused connections: %s, want %s", n, want)
			}
			p.stop()
		})
	}
}

// A device on a WebSocket is disconnected cleanly by a stop, too.
func TestMQTTOverWebSocket(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start()
	p.apply(simulatedFarm)
	publishOnce(t, "ws://"+p.http+"/mqtt", func(*mqtt.ClientOptions) {})
	if n := p.receivedCount(); n != 1 {
		t.Errorf("%d messages received", n)
	}
	lost := make(chan error, 1)
	c := mqtt.NewClient(mqtt.NewClientOptions().AddBroker("ws://" + p.http + "/mqtt").SetAutoReconnect(false).
		SetUsername(
			"SILO-2",
		).SetPassword("silo-secret-number-0002").SetConnectionLostHandler(func(_ mqtt.Client, err error) { lost <- err }))
	if token := c.Connect(); !token.WaitTimeout(testkit.WaitTimeout) || token.Error() != nil {
		t.Fatal(token.Error())
	}
	// Connections on which nothing was asked do not delay the stop either.
	for _, address := range []string{p.http, p.admin} {
		silent, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
	}
	// Later connections are answered, so the server has accepted the earlier ones.
	for _, address := range []string{"http://" + p.http + "/readyz", "http://" + p.admin + "/metrics"} {
		if there := getPage(t, browser(t, nil), address, ""); there.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", address, there.Status)
		}
	}
	p.stop()
	p.wantNobodyCutOff()
	select {
	case <-lost:
	case <-time.After(testkit.WaitTimeout):
		t.Error("the device got no DISCONNECT")
	}
}
