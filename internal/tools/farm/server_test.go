package farm

import (
	"encoding/json"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"
)

// server is a small MQTT server: it checks devices' secrets and acknowledges what they publish,
// unless the test sets it to behave otherwise.
type server struct {
	t        *testing.T
	listener net.Listener
	secret   func(deviceName string) string

	mu          sync.Mutex
	changed     chan struct{} // closed and replaced at each change of the state
	messages    map[string][]message
	connections map[string]int // sign-ins so far
	open        map[net.Conn]string
	disconnects map[string]int // orderly disconnections so far
	mute        bool           // accepts messages without acknowledging them
	cutAfter    map[string]int // closes a device's connection after so many messages, without acknowledging the last
}

type message struct {
	Ts     int64          `json:"ts"`
	Values map[string]any `json:"values"`
	acked  bool
	at     time.Time
}

func newServer(t *testing.T, secret func(string) string) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{
		t: t, listener: l, secret: secret, changed: make(chan struct{}),
		messages: map[string][]message{}, connections: map[string]int{},
		open: map[net.Conn]string{}, disconnects: map[string]int{}, cutAfter: map[string]int{},
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.cutAll()
		wg.Wait()
	})
	return s
}

func (s *server) url() string { return "tcp://" + s.listener.Addr().String() }

// change lets f change the server's state and wakes all waiters.
func (s *server) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

// wait blocks until the condition holds; the test fails after half a minute.
func (s *server) wait(what string, condition func() bool) {
	s.t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		ok, changed := condition(), s.changed
		s.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			s.t.Fatalf("waited half a minute for %s", what)
		}
	}
}

func (s *server) cutAll() {
	s.change(func() {
		for c := range s.open {
			c.Close()
		}
	})
}

func (s *server) serve(c net.Conn) {
	defer c.Close()
	p, err := packets.ReadPacket(c)
	if err != nil {
		return
	}
	connect, ok := p.(*packets.ConnectPacket)
	if !ok {
		s.t.Errorf("the first packet of a connection is %v", p)
		return
	}
	name := connect.Username
	answer := packets.NewControlPacket(packets.Connack).(*packets.ConnackPacket)
	if string(connect.Password) != s.secret(name) {
		answer.ReturnCode = packets.ErrRefusedBadUsernameOrPassword
	}
	s.change(func() {
		s.connections[name]++
		s.open[c] = name
	})
	defer s.change(func() { delete(s.open, c) })
	if err := answer.Write(c); err != nil || answer.ReturnCode != packets.Accepted {
		return
	}
	for {
		p, err := packets.ReadPacket(c)
		if err != nil {
			return
		}
		if !s.take(c, name, p) {
			return
		}
	}
}

// take handles a packet; it returns false to end the connection.
func (s *server) take(c net.Conn, name string, p packets.ControlPacket) bool {
	switch p := p.(type) {
	case *packets.PublishPacket:
		if p.TopicName != "v1/devices/me/telemetry" || p.Qos != 1 {
			s.t.Errorf("%s publishes to %s with QoS %d", name, p.TopicName, p.Qos)
		}
		var m message
		if err := json.Unmarshal(p.Payload, &m); err != nil || m.Ts == 0 || len(m.Values) == 0 {
			s.t.Errorf("%s publishes %s: %v", name, p.Payload, err)
		}
		cut := false
		s.change(func() {
			cut = s.cutAfter[name] > 0 && len(s.messages[name]) >= s.cutAfter[name]-1
			if cut {
				delete(s.cutAfter, name)
			}
			m.acked, m.at = !cut && !s.mute, time.Now()
			s.messages[name] = append(s.messages[name], m)
		})
		if m.acked {
			ack := packets.NewControlPacket(packets.Puback).(*packets.PubackPacket)
			ack.MessageID = p.MessageID
			return ack.Write(c) == nil
		}
		return !cut
	case *packets.PingreqPacket:
		return packets.NewControlPacket(packets.Pingresp).Write(c) == nil
	case *packets.DisconnectPacket:
		s.change(func() { s.disconnects[name]++ })
		return false
	default:
		s.t.Errorf("%s sends %v", name, p)
		return false
	}
}

// times returns the times of a device's messages so far, in order of arrival.
func (s *server) times(name string, ackedOnly bool) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []int64
	for _, m := range s.messages[name] {
		if m.acked || !ackedOnly {
			all = append(all, m.Ts)
		}
	}
	return all
}
