package ingest

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eclipse/paho.golang/paho"
	mqtt "github.com/eclipse/paho.mqtt.golang"
)

// The tests below use the client libraries that loggers and gateways are built on.

func TestPaho311Client(t *testing.T) {
	e := newEdge(t).serve()
	lost := make(chan error, 1)
	options := mqtt.NewClientOptions().AddBroker("tcp://" + e.address).SetProtocolVersion(4).SetClientID("logger").
		SetUsername("WS-1").SetPassword(secretOf("WS-1")).SetCleanSession(false).SetAutoReconnect(false).
		SetOrderMatters(false).SetConnectionLostHandler(func(_ mqtt.Client, err error) { lost <- err })
	c := mqtt.NewClient(options)
	done := func(token mqtt.Token) error {
		if !token.WaitTimeout(patience) {
			t.Fatal("no answer")
		}
		return token.Error()
	}
	if err := done(c.Connect()); err != nil {
		t.Fatal(err)
	}
	e.journal.hold()
	var tokens []mqtt.Token
	for i := range 64 {
		tokens = append(
			tokens,
			c.Publish("v1/devices/me/telemetry", byte(i%3), false, fmt.Sprintf(`{"airTemperature":%d}`, i)),
		)
	}
	for i, token := range tokens {
		if i%3 == 0 {
			continue // a QoS 0 token is done when sent
		}
		select {
		case <-token.Done():
			t.Fatalf("message %d answered before the commit: %v", i, token.Error())
		default:
		}
	}
	e.journal.release()
	for i, token := range tokens {
		if err := done(token); err != nil {
			t.Errorf("message %d: %v", i, err)
		}
	}
	eventually(t, "all committed", func() bool { return len(e.journal.temperatures(1)) == 64 })
	if !slices.IsSorted(e.journal.temperatures(1)) {
		t.Error("committed out of order")
	}
	if err := done(c.Subscribe("v1/devices/me/attributes", 1, nil)); err != nil {
		t.Errorf("subscription to its own topic: %v", err)
	}
	foreign := c.Subscribe("v1/devices/WS-2/attributes", 1, nil)
	_ = done(foreign)
	if code := foreign.(*mqtt.SubscribeToken).Result()["v1/devices/WS-2/attributes"]; code != 0x80 {
		t.Errorf("subscription to another device's topic: %#x", code)
	}
	if err := done(c.Unsubscribe("v1/devices/me/attributes")); err != nil {
		t.Error(err)
	}
	// A disabled device is disconnected at once.
	entries := testDevices()
	entries[0] = entry(green, 1, "WS-1", false, true)
	e.registry.Replace(entries)
	receive(t, lost)
	again := mqtt.NewClient(options)
	if err := done(again.Connect()); err == nil {
		t.Error("a disabled device signed in")
	}
}

func TestPaho5Client(t *testing.T) {
	e := newEdge(t).serve()
	nc, err := net.Dial("tcp", e.address)
	if err != nil {
		t.Fatal(err)
	}
	goodbye := make(chan byte, 1)
	c := paho.NewClient(paho.ClientConfig{
		Conn: nc, PacketTimeout: patience,
		OnServerDisconnect: func(d *paho.Disconnect) { goodbye <- d.ReasonCode },
	})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	welcome, err := c.Connect(ctx, &paho.Connect{
		CleanStart:   true,
		KeepAlive:    30,
		UsernameFlag: true,
		Username:     "GW-1",
		PasswordFlag: true,
		Password:     []byte(secretOf("GW-1")),
	})
	if err != nil {
		t.Fatal(err)
	}
	if welcome.Properties.AssignedClientID == "" {
		t.Error("no client identifier was assigned")
	}
	publish := func(topic string, qos byte, payload string) (byte, error) {
		r, err := c.Publish(ctx, &paho.Publish{Topic: topic, QoS: qos, Payload: []byte(payload)})
		if r == nil {
			return 0, err
		}
		return r.ReasonCode, err
	}
	// Many messages at once.
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			payload := fmt.Sprintf(`{"WS-2":[{"airTemperature":%d}]}`, i)
			if code, err := publish("v1/gateway/telemetry", byte(i%3), payload); err != nil || code != 0 {
				t.Errorf("message %d: %#x %v", i, code, err)
			}
		})
	}
	all.Wait()
	eventually(t, "all committed", func() bool { return len(e.journal.temperatures(2)) == 64 })
	for qos := byte(1); qos <= 2; qos++ {
		if code, _ := publish("v1/devices/me/telemetry", qos, `{"airTemperature":999}`); code != reasonBadPayload {
			t.Errorf("QoS %d, nothing valid: %#x", qos, code)
		}
		if code, _ := publish("v1/devices/WS-2/telemetry", qos, `{}`); code != reasonBadTopic {
			t.Errorf("QoS %d, another device's topic: %#x", qos, code)
		}
	}
	granted, err := c.Subscribe(
		ctx,
		&paho.Subscribe{Subscriptions: []paho.SubscribeOptions{{Topic: "v1/gateway/rpc", QoS: 1}}},
	)
	if err != nil || granted.Reasons[0] != 1 {
		t.Errorf("subscription to its own topic: %v %v", granted, err)
	}
	down := make(chan error, 1)
	go func() { down <- e.mqtt.Shutdown(ctx) }()
	if code := receive(t, goodbye); code != reasonShuttingDown {
		t.Errorf("DISCONNECT with reason %#x", code)
	}
	if err := receive(t, down); err != nil {
		t.Error(err)
	}
}

// The command-line clients that people try first.
func TestMosquittoClients(t *testing.T) {
	pub, err := exec.LookPath("mosquitto_pub")
	needed(t, "mosquitto_pub", err)
	sub, err := exec.LookPath("mosquitto_sub")
	needed(t, "mosquitto_sub", err)
	e := newEdge(t).serve()
	host, port, err := net.SplitHostPort(e.address)
	if err != nil {
		t.Fatal(err)
	}
	run := func(program string, args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		out, err := exec.CommandContext(
			ctx,
			program,
			append([]string{"-h", host, "-p", port}, args...)...).CombinedOutput()
		return string(out), err
	}
	n := 0
	for _, version := range []string{"311", "5"} {
		for _, qos := range []string{"0", "1", "2"} {
			for _, signIn := range [][]string{{"-u", "WS-1", "-P", secretOf("WS-1")}, {"-u", secretOf("WS-1")}} {
				args := append(
					[]string{
						"-V",
						version,
						"-q",
						qos,
						"-t",
						"v1/devices/me/telemetry",
						"-m",
						fmt.Sprintf(`{"airTemperature":%d}`, n),
					},
					signIn...)
				if out, err := run(pub, args...); err != nil {
					t.Errorf("%v: %v %s", args, err, out)
				}
				n++
				eventually(t, "it committed", func() bool { return len(e.journal.temperatures(1)) == n })
			}
		}
		out, err := run(pub, "-V", version, "-q", "1", "-u", "WS-1", "-P", "wrong",
			"-t", "v1/devices/me/telemetry", "-m", "{}")
		if err == nil {
			t.Errorf("output for a wrong secret: %s", out)
		}
		out, err = run(sub, "-V", version, "-u", "WS-1", "-P", secretOf("WS-1"),
			"-t", "v1/devices/me/rpc/request/+", "-E")
		if err != nil {
			t.Errorf("subscription to its own topic: %v %s", err, out)
		}
	}
	out, _ := run(pub, "-V", "5", "-q", "1", "-u", "WS-1", "-P", secretOf("WS-1"),
		"-t", "v1/devices/me/telemetry", "-m", "{")
	if !strings.Contains(out, "Payload format invalid") {
		t.Errorf("output for a message without valid values: %s", out)
	}
}
