package console_test

import (
	"net"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const connectionPath = "/admin-api/client/pc/device/get/connection"

func mustResolveAddr(addr string) net.Addr {
	a, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		panic(err)
	}
	return a
}

func (w *fixture) connection(t *testing.T, name string, header map[string]string) wire.Connection {
	t.Helper()
	call := w.get(connectionPath + "?deviceName=" + name)
	call.Header = header
	return testkit.Ask[wire.Connection](t, w.Contract, call)
}

// The answer has the configured addresses of the installation, else those by which the client
// reaches the console.
func TestDeviceConnection(t *testing.T) {
	w := newServer(t, func(o *console.Options) {
		o.Listen = console.Listeners{MQTT: mustResolveAddr("0.0.0.0:18830"), MQTTTLS: mustResolveAddr("[::]:18831")}
		o.Proxies = parsePrefixes(t, "10.0.0.0/8")
	})
	w.Device(t, w.field.ID, w.station, "GW-1", func(d *device.Device) { d.Gateway = true })
	want := wire.Connection{
		DeviceName:  "WS-1",
		Http:        "http://tilth.test",
		MqttHost:    "tilth.test",
		MqttPort:    18830,
		MqttTlsPort: 18831,
		Topic:       "v1/devices/me/telemetry",
		Secrets:     1,
	}
	if got := w.connection(t, "WS-1", nil); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := w.connection(t, "GW-1", nil); !got.Gateway || got.Topic != "v1/gateway/telemetry" {
		t.Errorf("%+v", got)
	}
	w.newSecret(t, false)
	if got := w.connection(t, "WS-1", nil); got.Secrets != 2 {
		t.Errorf("%+v", got)
	}
	// A forwarded address is trusted only from a trusted proxy.
	proxied := map[string]string{"X-Forwarded-Proto": "https", "X-Forwarded-Host": "other.example, farm.example:8443"}
	if got := w.connection(t, "WS-1", proxied); got != func() wire.Connection { c := want; c.Secrets = 2; return c }() {
		t.Errorf("from an untrusted proxy: %+v", got)
	}
	for host, site := range map[string][2]string{
		"farm.example":                     {"https://farm.example", "farm.example"},
		"other.example, farm.example:8443": {"https://farm.example:8443", "farm.example"},
		"[2001:db8::1]:8443":               {"https://[2001:db8::1]:8443", "2001:db8::1"},
		"":                                 {"https://tilth.test", "tilth.test"},
		"farm.example/path":                {"https://tilth.test", "tilth.test"},
		"user@farm.example":                {"https://tilth.test", "tilth.test"},
		"farm.example:x":                   {"https://tilth.test", "tilth.test"},
		"farm.example; rm -rf ~":           {"https://tilth.test", "tilth.test"},
		"$(reboot)":                        {"https://tilth.test", "tilth.test"},
		"farm.example`reboot`":             {"https://tilth.test", "tilth.test"},
		"farm.example'":                    {"https://tilth.test", "tilth.test"},
		":8443":                            {"https://tilth.test", "tilth.test"},
		"javascript:alert(1)":              {"https://tilth.test", "tilth.test"},
	} {
		call := w.get(connectionPath + "?deviceName=WS-1")
		call.From, call.Header = "10.0.0.1", map[string]string{
			"X-Forwarded-Proto": "http, HTTPS",
			"X-Forwarded-Host":  host,
		}
		got := testkit.Ask[wire.Connection](t, w.Contract, call)
		if got.Http != site[0] || got.MqttHost != site[1] {
			t.Errorf("%q: %+v", host, got)
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "unknown", Call: w.get(connectionPath + "?deviceName=none"), Code: 404},
		{Name: "no device", Call: w.get(connectionPath), Code: 601},
	})
}

func TestDeviceConnectionOfPublicURL(t *testing.T) {
	w := newServer(t, func(o *console.Options) {
		o.PublicURL = "https://farm.example:8443/tilth"
		o.Listen = console.Listeners{MQTT: mustResolveAddr("192.0.2.5:1883")}
	})
	got := w.connection(t, "WS-1", map[string]string{"X-Forwarded-Host": "other.example"})
	if got.Http != "https://farm.example:8443/tilth" || got.MqttHost != "farm.example" || got.MqttPort != 1883 ||
		got.MqttTlsPort != 0 {
		t.Errorf("%+v", got)
	}
}

// A port on the loopback address is answered only to clients on this machine.
func TestDeviceConnectionOfLoopback(t *testing.T) {
	for site, open := range map[string]bool{
		"http://localhost:8080": true, "http://farm.localhost": true, "http://127.0.0.1": true, "http://[::1]:8080": true, "http://LOCALHOST.": true,
		"http://farm.example": false, "http://192.0.2.1": false, "http://notlocalhost": false,
	} {
		w := newServer(t, func(o *console.Options) {
			o.PublicURL = site
			o.Listen = console.Listeners{
				MQTT:    mustResolveAddr("127.0.0.1:1883"),
				MQTTTLS: mustResolveAddr("0.0.0.0:8883"),
			}
		})
		if got := w.connection(t, "WS-1", nil); (got.MqttPort == 1883) != open || !open && got.MqttPort != 0 ||
			got.MqttTlsPort != 8883 {
			t.Errorf("%s: %+v", site, got)
		}
	}
}
