package command

import (
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/tools/testkit"
)

// newSecret makes a secret for SILO-1 as the console does.
func (p *process) newSecret(token string, body string) string {
	p.t.Helper()
	var secret string
	p.call(http.MethodPost, "/admin-api/client/pc/device/new-secret", token, body, &secret)
	return secret
}

// connectDevice connects SILO-1 and returns a channel that is closed when the server ends the
// connection.
func (p *process) connectDevice(secret string) <-chan struct{} {
	p.t.Helper()
	ended := make(chan struct{})
	c := mqtt.NewClient(mqtt.NewClientOptions().AddBroker("tcp://" + p.mqtt).SetUsername("SILO-1").SetPassword(secret).
		SetAutoReconnect(
			false,
		).SetConnectTimeout(testkit.WaitTimeout).SetConnectionLostHandler(func(mqtt.Client, error) { close(ended) }))
	p.t.Cleanup(func() { c.Disconnect(0) })
	if token := c.Connect(); !token.WaitTimeout(testkit.WaitTimeout) || token.Error() != nil {
		p.t.Fatalf("connect: %v", token.Error())
	}
	return ended
}

// A secret that the console makes is valid at once. Removing the others ends their connections and
// no other.
func TestDroppedSecretEndsItsConnections(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start()
	p.apply(simulatedFarm)
	token := p.signIn("farm", "ada", "correct horse")
	first := p.connectDevice("silo-secret-number-0001")
	made := p.newSecret(token, `{"deviceName":"SILO-1"}`)
	second := p.connectDevice(made)
	third := p.newSecret(token, `{"deviceName":"SILO-1"}`) // the first secret is dropped for it
	select {
	case <-first:
	case <-time.After(testkit.WaitTimeout):
		t.Error("the connection of a dropped secret is still there")
	}
	last := p.connectDevice(third)
	p.newSecret(token, `{"deviceName":"SILO-1","dropOthers":true}`)
	for what, ended := range map[string]<-chan struct{}{"second": second, "third": last} {
		select {
		case <-ended:
		case <-time.After(testkit.WaitTimeout):
			t.Errorf("the connection of the %s secret is still there", what)
		}
	}
	// After a restart the secret is there, and so is the time when the device came online.
	kept := p.newSecret(token, `{"deviceName":"SILO-1"}`)
	p.stop()
	p.start()
	p.connectDevice(kept)
	var presence struct {
		Total int
		List  []struct{ OnlineState int }
	}
	p.call(http.MethodGet, "/admin-api/client/pc/device/get/presence?deviceName=SILO-1", token, "", &presence)
	if presence.Total != 1 || presence.List[0].OnlineState != 1 {
		t.Errorf("%+v", presence)
	}
}

// The console shows the ports that the server really has.
func TestConnectionInfoHasRealPorts(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start()
	p.apply(simulatedFarm)
	var c struct {
		HTTP, MqttHost, Topic string
		MqttPort, MqttTLSPort int
	}
	p.call(
		http.MethodGet,
		"/admin-api/client/pc/device/get/connection?deviceName=SILO-1",
		p.signIn("farm", "ada", "correct horse"),
		"",
		&c,
	)
	_, port, err := net.SplitHostPort(p.mqtt)
	if err != nil {
		t.Fatal(err)
	}
	if c.HTTP != "http://"+p.http || c.MqttHost != "127.0.0.1" || strconv.Itoa(c.MqttPort) != port ||
		c.MqttTLSPort != 0 ||
		c.Topic != "v1/devices/me/telemetry" {
		t.Errorf("%+v", c)
	}
}
