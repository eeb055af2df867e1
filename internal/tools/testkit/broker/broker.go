// Package broker starts MQTT brokers for tests: a tenant's, which Home Assistant listens to.
package broker

import (
	"crypto/tls"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	mqtt "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"

	"tilth/internal/tools/testkit"
)

// Message is a message that a client published.
type Message struct {
	Topic, Payload string
	Time           time.Time
}

// Options say how a broker is.
type Options struct {
	Address            string      // empty: a free port
	UserName, Password string      // that clients must have; empty: any
	TLS                *tls.Config // nil: none
	DenyReading        string      // a topic that no client may read
}

// Broker is a running broker.
type Broker struct {
	URL  string // of the broker, as tenants set it
	Port string

	server *mqtt.Server
	stop   sync.Once

	mu       sync.Mutex
	messages []Message
	retained map[string]string
	clients  []string // the ids of those that signed in
}

// Start starts a broker. It runs until the test ends, or Stop.
func Start(t testing.TB, o Options) *Broker {
	t.Helper()
	if o.Address == "" {
		o.Address = testkit.AnyPort
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", o.Address)
	if err != nil {
		t.Fatal(err)
	}
	b := &Broker{retained: map[string]string{}, URL: "mqtt://" + listener.Addr().String()}
	_, b.Port, _ = net.SplitHostPort(listener.Addr().String())
	if o.TLS != nil {
		listener = tls.NewListener(listener, o.TLS)
		b.URL = "mqtts://" + listener.Addr().String()
	}
	b.server = mqtt.New(&mqtt.Options{InlineClient: true, Logger: slog.New(slog.DiscardHandler)})
	for _, err := range []error{
		b.server.AddHook(&hook{broker: b, options: o}, nil),
		b.server.AddListener(listeners.NewNet("test", listener)),
		b.server.Serve(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(b.Stop)
	return b
}

// Stop ends the broker and its connections.
func (b *Broker) Stop() { b.stop.Do(func() { _ = b.server.Close() }) } // what it held open is closed

// Publish publishes a message, as Home Assistant does.
func (b *Broker) Publish(t testing.TB, topic, payload string) {
	t.Helper()
	if err := b.server.Publish(topic, []byte(payload), false, 1); err != nil {
		t.Fatal(err)
	}
}

// Retained gives the retained messages of topics that begin so.
func (b *Broker) Retained(prefix string) map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := map[string]string{}
	for topic, payload := range b.retained {
		if strings.HasPrefix(topic, prefix) {
			found[topic] = payload
		}
	}
	return found
}

// Messages gives all messages that clients published to topics that begin so, the oldest first.
func (b *Broker) Messages(prefix string) (found []Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.messages {
		if strings.HasPrefix(m.Topic, prefix) {
			found = append(found, m)
		}
	}
	return found
}

// Clients gives the ids of the clients that signed in, in order.
func (b *Broker) Clients() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.clients...)
}

// hook checks clients and notes what they publish.
type hook struct {
	mqtt.HookBase
	broker  *Broker
	options Options
}

// ID names the hook.
func (*hook) ID() string { return "test" }

// Provides says which events the hook takes.
func (*hook) Provides(event byte) bool {
	return slices.Contains([]byte{
		mqtt.OnConnectAuthenticate, mqtt.OnACLCheck, mqtt.OnPublished, mqtt.OnWillSent, mqtt.OnRetainMessage,
	}, event)
}

// OnConnectAuthenticate checks the user name and the password.
func (h *hook) OnConnectAuthenticate(c *mqtt.Client, p packets.Packet) bool {
	ok := h.options.UserName == "" || string(p.Connect.Username) == h.options.UserName &&
		string(p.Connect.Password) == h.options.Password
	if ok {
		h.broker.mu.Lock()
		defer h.broker.mu.Unlock()
		h.broker.clients = append(h.broker.clients, c.ID)
	}
	return ok
}

// OnACLCheck allows everything but reading one topic.
func (h *hook) OnACLCheck(_ *mqtt.Client, topic string, write bool) bool {
	return write || topic != h.options.DenyReading
}

// OnPublished notes a message of a client.
func (h *hook) OnPublished(c *mqtt.Client, p packets.Packet) {
	if !c.Net.Inline {
		h.note(p)
	}
}

// OnRetainMessage notes a message that is retained, or one that is no more.
func (h *hook) OnRetainMessage(_ *mqtt.Client, p packets.Packet, _ int64) {
	h.broker.mu.Lock()
	defer h.broker.mu.Unlock()
	if len(p.Payload) == 0 {
		delete(h.broker.retained, p.TopicName)
	} else {
		h.broker.retained[p.TopicName] = string(p.Payload)
	}
}

// OnWillSent notes the last will of a client.
func (h *hook) OnWillSent(_ *mqtt.Client, p packets.Packet) { h.note(p) }

func (h *hook) note(p packets.Packet) {
	h.broker.mu.Lock()
	defer h.broker.mu.Unlock()
	h.broker.messages = append(h.broker.messages, Message{p.TopicName, string(p.Payload), time.Now()})
}
