package ingest

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	v5 "github.com/eclipse/paho.golang/packets"
	mqtt "github.com/eclipse/paho.mqtt.golang"
)

// serveWebSocket opens an HTTP server with MQTT over WebSockets at /mqtt; over may wrap its listener.
func (e *edge) serveWebSocket(over ...func(net.Listener) net.Listener) *edge {
	e.t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/mqtt", NewWebSocket(e.mqtt))
	s := httptest.NewUnstartedServer(mux)
	for _, f := range over {
		s.Listener = f(s.Listener)
	}
	s.Start()
	e.t.Cleanup(s.Close)
	e.address = strings.TrimPrefix(s.URL, "http://")
	return e
}

// upgrade opens a WebSocket.
func (e *edge) upgrade(header http.Header, subprotocols ...string) (*websocket.Conn, *http.Response, error) {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(e.t.Context(), patience)
	defer cancel()
	ws, resp, err := websocket.Dial(
		ctx,
		"ws://"+e.address+"/mqtt",
		&websocket.DialOptions{Subprotocols: subprotocols, HTTPHeader: header},
	)
	if err == nil {
		e.t.Cleanup(func() { _ = ws.CloseNow() })
	}
	return ws, resp, err
}

// dialWebSocket opens a WebSocket whose binary messages are a client's bytes.
func (e *edge) dialWebSocket(version byte) (*client, *websocket.Conn) {
	e.t.Helper()
	ws, _, err := e.upgrade(nil, "mqtt")
	if err != nil {
		e.t.Fatal(err)
	}
	return &client{
		t:       e.t,
		version: version,
		Conn:    websocket.NetConn(context.Background(), ws, websocket.MessageBinary),
	}, ws
}

func TestWebSocketPaho(t *testing.T) {
	e := newEdge(t).serveWebSocket()
	c := mqtt.NewClient(mqtt.NewClientOptions().AddBroker("ws://" + e.address + "/mqtt").SetProtocolVersion(4).
		SetUsername("WS-1").SetPassword(secretOf("WS-1")).SetAutoReconnect(false).SetOrderMatters(false))
	done := func(token mqtt.Token) {
		t.Helper()
		if !token.WaitTimeout(patience) || token.Error() != nil {
			t.Fatalf("no answer: %v", token.Error())
		}
	}
	done(c.Connect())
	e.journal.hold()
	var tokens []mqtt.Token
	for i := range 30 {
		tokens = append(
			tokens,
			c.Publish("v1/devices/me/telemetry", byte(i%3), false, fmt.Sprintf(`{"airTemperature":%d}`, i)),
		)
	}
	select {
	case <-tokens[1].Done():
		t.Error("the message was answered before the commit")
	default:
	}
	e.journal.release()
	for _, token := range tokens {
		done(token)
	}
	eventually(t, "all committed", func() bool { return len(e.journal.temperatures(1)) == 30 })
	c.Disconnect(100)
	eventually(t, "its end noticed", func() bool { return e.pipeline.Stats().Connections == 0 })
	if s := e.pipeline.Stats(); s.Malformed+s.IdleTimeouts+s.Stalls != 0 {
		t.Errorf("failures were counted: %+v", s)
	}
}

// The boundaries of messages and frames mean nothing.
func TestWebSocketFraming(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serveWebSocket()
		c, ws := e.dialWebSocket(version)
		hello := c.connect("WS-1", secretOf("WS-1"), "a")
		for i := range hello { // one message per byte
			c.send(hello[i : i+1])
		}
		c.want("CONNACK accepted", accepted)
		c.send(
			c.telemetry(1, 1, 1),
			c.telemetry(2, 1, 2),
			c.telemetry(3, 0, 0),
			[]byte{0xC0, 0},
		) // many packets per message
		var acks, pongs []byte // a pong may come at any place, because a PUBACK waits for the disk
		for range 3 {
			kind, body, err := c.read()
			switch {
			case err == nil && kind == v5.PUBACK && len(body) == 2:
				acks = append(acks, body[1])
			case err == nil && kind == v5.PINGRESP:
				pongs = append(pongs, kind)
			default:
				t.Fatalf("kind %d % x, %v", kind, body, err)
			}
		}
		if !bytes.Equal(acks, []byte{1, 2}) || len(pongs) != 1 {
			t.Errorf("acknowledgements % x, %d pongs", acks, len(pongs))
		}
		c.send(nil) // an empty message
		large := c.publish("v1/devices/me/telemetry", `{"airTemperature":4}`+strings.Repeat(" ", 200_000), 1, 3)
		w, err := ws.Writer(t.Context(), websocket.MessageBinary) // one message of many frames
		if err != nil {
			t.Fatal(err)
		}
		for part := range slices.Chunk(append(large, c.telemetry(5, 1, 4)...), 7001) {
			if _, err := w.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		c.wantAck(v5.PUBACK, 3, 0)
		c.wantAck(v5.PUBACK, 4, 0)
		eventually(t, "all committed", func() bool { return fmt.Sprint(e.journal.temperatures(1)) == "[1 2 3 4 5]" })
	})
}

// The size limit of packets also holds for a message that announces more.
func TestWebSocketOversized(t *testing.T) {
	e := newEdge(t).serveWebSocket()
	c, _ := e.dialWebSocket(5)
	c.signIn("WS-1", "a")
	c.send([]byte{0x32, 0xff, 0xff, 0xff, 0x7f})
	c.wantEnd(reasonTooLarge)
	if n := e.pipeline.Stats().Malformed; n != 1 {
		t.Errorf("%d oversized packets counted", n)
	}
}

// When the server stops, messages that wait for their commit are still answered, the client gets
// the reason, and the WebSocket is closed properly.
func TestWebSocketShutdownAnswersBeforeClose(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t).serveWebSocket()
		c, ws := e.dialWebSocket(version)
		c.signIn("WS-1", "a")
		e.journal.hold()
		c.send(c.telemetry(1, 1, 1), c.telemetry(2, 1, 2))
		receive(t, e.journal.entered)
		eventually(t, "both taken in", func() bool { return e.pipeline.Stats().Waiting == 2 })
		down := make(chan error, 1)
		go func() { down <- e.mqtt.Shutdown(t.Context()) }()
		e.journal.release()
		c.wantAck(v5.PUBACK, 1, 0)
		c.wantAck(v5.PUBACK, 2, 0)
		if version == 5 {
			c.want(
				"DISCONNECT",
				func(kind byte, body []byte) bool { return kind == v5.DISCONNECT && body[0] == reasonShuttingDown },
			)
		}
		if _, _, err := ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
			t.Errorf("closed with %v", err)
		}
		if err := receive(t, down); err != nil {
			t.Error(err)
		}
	})
}

// A read deadline ends only reading: the client still gets its answers and the reason.
func TestWebSocketKeepAlive(t *testing.T) {
	e := newEdge(t).serveWebSocket()
	c, _ := e.dialWebSocket(5)
	hello := c.connect("WS-1", secretOf("WS-1"), "a")
	hello[10], hello[11] = 0, 1
	begin := time.Now() // the time of the server begins later
	c.send(hello)
	c.want("CONNACK accepted", accepted)
	c.wantEnd(reasonKeepAlive)
	if d := time.Since(begin); d < 1500*time.Millisecond {
		t.Errorf("the connection ended after %v", d)
	}
	eventually(t, "it is counted", func() bool { return e.pipeline.Stats().IdleTimeouts == 1 })
}

// A silent WebSocket lasts no longer than any other connection without a CONNECT.
func TestWebSocketSilent(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.ConnectTimeout = 100 * time.Millisecond }).serveWebSocket()
	_, ws := e.dialWebSocket(4)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, _, err := ws.Read(ctx); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("closed with %v", err)
	}
	if n := e.pipeline.Stats().IdleTimeouts; n != 1 {
		t.Errorf("%d idle timeouts counted", n)
	}
}

// WebSocket pings are answered, however long ago the last message was.
func TestWebSocketPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 10 * time.Second
		c := webSocketOnPipe(t, newEdge(t, func(o *Options) { o.WriteTimeout = limit }))
		want := func(what string, bytes ...byte) {
			t.Helper()
			got := make([]byte, len(bytes))
			if _, err := io.ReadFull(c.Conn, got); err != nil || !slices.Equal(got, bytes) {
				t.Fatalf("want %s, got % x, %v", what, got, err)
			}
		}
		c.send(frame(0x82, c.connect("WS-1", secretOf("WS-1"), "a")))
		want("CONNACK accepted", 0x82, 4, 0x20, 2, 0, 0)
		for range 3 {
			time.Sleep(2 * limit)
			c.send(frame(0x89, []byte("x")))
			want("a pong", 0x8A, 1, 'x')
		}
	})
}

// A request for another subprotocol is refused before it costs anything.
func TestWebSocketUpgrade(t *testing.T) {
	e := newEdge(t).serveWebSocket()
	for _, test := range []struct {
		asked  []string
		status int
		got    string
	}{
		{[]string{"mqtt"}, 101, "mqtt"},
		{[]string{"mqttv3.1"}, 101, "mqttv3.1"},
		{[]string{"mqttv3.1", "chat", "mqtt"}, 101, "mqtt"},
		{[]string{"chat"}, 400, ""},
		{nil, 400, ""},
	} {
		ws, resp, err := e.upgrade(http.Header{"Origin": {"https://elsewhere.example"}}, test.asked...)
		if resp == nil || resp.StatusCode != test.status {
			t.Errorf("%v: %v %v", test.asked, resp, err)
			continue
		}
		if err == nil && ws.Subprotocol() != test.got {
			t.Errorf("%v: subprotocol %s", test.asked, ws.Subprotocol())
		}
	}
	resp, err := http.Get("http://" + e.address + "/mqtt")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("without an upgrade: %s", resp.Status)
	}
}

// frame makes a WebSocket frame as a client sends it, masked with zeros.
func frame(first byte, payload []byte) []byte {
	return append([]byte{first, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...)
}

// A client that violates the WebSocket protocol, or sends text, loses its connection and is
// counted.
func TestWebSocketBroken(t *testing.T) {
	ping := []byte{0xC0, 0}
	for name, test := range map[string]struct {
		bytes     []byte
		malformed uint64
	}{
		"text":                             {frame(0x81, ping), 1},
		"empty text":                       {frame(0x81, nil), 1},
		"not masked":                       {append([]byte{0x82, 2}, ping...), 1},
		"reserved bit":                     {frame(0xC2, ping), 1},
		"opcode 3":                         {frame(0x83, ping), 1},
		"continuation without a beginning": {frame(0x80, ping), 1},
		"two beginnings":                   {append(frame(0x02, ping), frame(0x82, ping)...), 1},
		"ping in parts":                    {frame(0x09, nil), 1},
		"close with one byte":              {frame(0x88, []byte{3}), 1},
		"ping of 126 bytes":                {append([]byte{0x89, 0xfe, 0, 126, 0, 0, 0, 0}, make([]byte, 126)...), 1},
		"close with an invalid reason":     {frame(0x88, []byte{3, 0xed}), 1},
		"text in parts":                    {append(frame(0x01, nil), frame(0x80, ping)...), 1},
		"ping between parts":               {slices.Concat(frame(0x02, ping[:1]), frame(0x89, nil), frame(0x80, ping[1:])), 0},
		"endless length":                   {[]byte{0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, 1},
		"malformed MQTT":                   {frame(0x82, []byte{0, 0}), 1},
		"cut within a frame":               {frame(0x82, []byte{0x30, 9})[:7], 0},
		"cut within a message":             {frame(0x02, ping), 0},
		"close":                            {frame(0x88, []byte{3, 0xe8}), 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t).serveWebSocket()
			other, _ := e.dialWebSocket(4)
			other.signIn("WS-2", "b")
			nc, err := net.Dial("tcp", e.address)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			c := &client{t: t, version: 4, Conn: nc}
			key := base64.StdEncoding.EncodeToString(make([]byte, 16))
			c.send([]byte("GET /mqtt HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
				"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mqtt\r\n" +
				"Sec-WebSocket-Key: " + key + "\r\n\r\n"))
			hello := c.connect("WS-1", secretOf("WS-1"), "a")
			c.send(frame(0x82, hello), test.bytes)
			eventually(t, "signed in", func() bool { return e.presence.Status(green, 1).Online })
			if err := nc.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "its end", func() bool { return e.pipeline.Stats().Connections == 1 })
			if s := e.pipeline.Stats(); s.Malformed != test.malformed || s.IdleTimeouts+s.Stalls+s.Panics != 0 {
				t.Errorf("%+v", s)
			}
			other.ping()
		})
	}
}

// Failed sign-ins count for the address that a proxy names, not for the proxy.
func TestWebSocketAddress(t *testing.T) {
	e := newEdge(t, func(o *Options) {
		o.FailureBurst, o.FailureRate = 1, 0.001
		o.ClientAddr = func(r *http.Request) string { return r.Header.Get("X-Client") }
	}).serveWebSocket()
	from := func(address string) *client {
		ws, _, err := e.upgrade(http.Header{"X-Client": {address}}, "mqtt")
		if err != nil {
			t.Fatal(err)
		}
		return &client{t: t, version: 5, Conn: websocket.NetConn(context.Background(), ws, websocket.MessageBinary)}
	}
	for _, step := range []struct {
		address, secret string
		want            byte
	}{
		{"192.0.2.1", "wrong", reasonBadCredentials}, {"192.0.2.1", "wrong", reasonTooManyConnection},
		{"192.0.2.2", "wrong", reasonBadCredentials}, {"192.0.2.1", secretOf("WS-1"), reasonSuccess},
	} {
		c := from(step.address)
		c.send(c.connect("WS-1", step.secret, "a"))
		c.want(fmt.Sprintf("CONNACK %#x", step.want), func(kind byte, body []byte) bool {
			return kind == v5.CONNACK && body[1] == step.want
		})
	}
}

// A server whose connections cannot be hijacked answers with an error.
func TestWebSocketWithoutHijackerFails(t *testing.T) {
	e := newEdge(t)
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/mqtt", nil)
	r.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Protocol": {"mqtt"}, "Sec-Websocket-Key": {base64.StdEncoding.EncodeToString(make([]byte, 16))}}
	NewWebSocket(e.mqtt).ServeHTTP(w, r)
	if n := e.pipeline.Stats().ConnectionsTotal; n != 0 {
		t.Errorf("%d connections", n)
	}
	if _, _, err := (&hijackable{ResponseWriter: w}).Hijack(); !errors.Is(err, http.ErrNotSupported) {
		t.Error(err)
	}
}
