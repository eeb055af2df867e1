package server

import (
	"net"
	"testing"

	"tilth/internal/settings"
	"tilth/internal/tools/testkit"
)

// Every listener can take a free port. Each has a port of its own, which is reachable and which the
// log names.
func TestListenersTakeFreePorts(t *testing.T) {
	p, err := openListeners(
		t.Context(),
		&settings.Server{
			HTTPAddr:    testkit.AnyPort,
			HTTPSAddr:   testkit.AnyPort,
			MQTTAddr:    testkit.AnyPort,
			MQTTTLSAddr: testkit.AnyPort,
			AdminAddr:   testkit.AnyPort,
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	}()
	seen := map[string]bool{testkit.AnyPort: true}
	for name, l := range map[string]net.Listener{"http": p.http, "https": p.https, "mqtt": p.mqtt, "mqtt-tls": p.mqttTLS, "admin": p.admin} {
		told := listenAddr(l)
		if seen[told] {
			t.Errorf("%s listens on %s", name, told)
		}
		seen[told] = true
		c, err := net.Dial("tcp", told)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c.Close()
	}
	for _, l := range []net.Addr{p.deviceListeners().MQTT, p.deviceListeners().MQTTTLS} {
		if !seen[l.String()] || l.String() == testkit.AnyPort {
			t.Errorf("devices get the address %s", l)
		}
	}
}
