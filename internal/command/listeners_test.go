package command

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
	"github.com/pires/go-proxyproto"

	"tilth/internal/platform/listen"
	"tilth/internal/tools/testkit"
)

// balancerAddr is another address of this machine.
const balancerAddr = "127.0.0.2"

// dialViaBalancer dials as a load balancer does for a client; from is the balancer's address.
func dialViaBalancer(from, client string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext(ctx, network, address)
		if err != nil || client == "" {
			return nc, err
		}
		of := net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(client), 40_000))
		h := proxyproto.HeaderProxyFromAddrs(2, of, nc.RemoteAddr())
		err = h.SetTLVs([]proxyproto.TLV{{Type: proxyproto.PP2_TYPE_UNIQUE_ID, Value: []byte("connection 7")}})
		if err != nil {
			return nil, err
		}
		_, err = h.WriteTo(nc)
		return nc, err
	}
}

// Behind a load balancer each client has its own counts, and the log has its own address, over TLS
// too. The server accepts PROXY headers from no other address, and no connection from the balancer
// without one.
func TestBehindABalancer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := newProcess(t)
	_, roots := p.startTLS(
		dir,
		"--mqtt-tls-addr", testkit.AnyPort,
		"--proxy-protocol", balancerAddr,
		"--mqtt-per-address", "1",
	)
	p.apply(simulatedFarm)

	connect := func(address, from, client string, secure bool) error {
		o := mqtt.NewClientOptions().AddBroker("tcp://" + address).SetProtocolVersion(4).SetAutoReconnect(false).
			SetUsername("SILO-1").SetPassword("silo-secret-number-0001").SetConnectTimeout(testkit.WaitTimeout)
		o.SetCustomOpenConnectionFn(func(*url.URL, mqtt.ClientOptions) (net.Conn, error) {
			nc, err := dialViaBalancer(from, client)(t.Context(), "tcp", address)
			if err != nil || !secure {
				return nc, err
			}
			return tls.Client(nc, &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"}), nil
		})
		c := mqtt.NewClient(o)
		token := c.Connect()
		if !token.WaitTimeout(testkit.WaitTimeout) {
			t.Fatal("no answer")
		}
		t.Cleanup(func() { c.Disconnect(0) })
		return token.Error()
	}
	for _, step := range []struct {
		what, address, from, client string
		secure, in                  bool
	}{
		{"a client", p.mqtt, balancerAddr, "198.51.100.1", false, true},
		{"the same once more", p.mqtt, balancerAddr, "198.51.100.1", false, false},
		{"the same over TLS", p.mqttTLS, balancerAddr, "198.51.100.1", true, false},
		{"another one over TLS", p.mqttTLS, balancerAddr, "2001:db8::1", true, true},
		{"a neighbour of it", p.mqtt, balancerAddr, "2001:db8::2", false, false},
		{"a third", p.mqtt, balancerAddr, "198.51.100.2", false, true},
		{"the balancer without a header", p.mqtt, balancerAddr, "", false, false},
		{"another address with a header", p.mqtt, "127.0.0.3", "198.51.100.3", false, false},
		{"somebody else", p.mqtt, "127.0.0.1", "", false, true},
	} {
		if err := connect(step.address, step.from, step.client, step.secure); (err == nil) != step.in {
			t.Errorf("%s: %v", step.what, err)
		}
	}
	if n := p.metricText(`tilth_mqtt_turned_away_total{reason="address"}`); n != "3" {
		t.Errorf("refused for their address: %s", n)
	}
	if n := p.metricText("tilth_proxy_header_failures_total"); n != "1" {
		t.Errorf("without a header: %s", n)
	}
	if n := strings.Count(p.stderr.String(), "without a right PROXY header"); n != 1 {
		t.Errorf("logged %d times\n%s", n, p.stderr)
	}

	// Each sign-in of people, with TLS and without, is logged with the client's address.
	for i, base := range []string{"http://" + p.http, "https://" + p.https} {
		client := &http.Client{Transport: &http.Transport{
			DialContext: dialViaBalancer(
				balancerAddr,
				fmt.Sprintf("203.0.113.%d", i+1),
			),
			TLSClientConfig:   &tls.Config{RootCAs: roots},
			DisableKeepAlives: true,
		}}
		res, err := client.Post(base+"/app-api/member/auth/login-username", "application/json",
			strings.NewReader(`{"userName":"ada","password":"correct horse","tenantName":"farm"}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || !strings.Contains(string(body), `"accessToken"`) {
			t.Errorf("%s: %s, %v", base, body, err)
		}
		res.Body.Close()
	}
	var page struct{ List []json.RawMessage }
	p.call(http.MethodGet, "/admin-api/client/pc/audit/page", p.adaToken(), "", &page)
	all := fmt.Sprintf("%s", page.List)
	for _, address := range []string{"203.0.113.1", "203.0.113.2"} {
		if !strings.Contains(all, `"`+address+`"`) {
			t.Errorf("%s is not in %s", address, all)
		}
	}
	if strings.Contains(all, balancerAddr) {
		t.Errorf("the balancer is in %s", all)
	}
	for what, dial := range map[string]func(context.Context, string, string) (net.Conn, error){
		"the balancer without a header": dialViaBalancer(balancerAddr, ""), "another address with a header": dialViaBalancer("127.0.0.1", "203.0.113.9"),
	} {
		client := &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
		if res, err := client.Get("http://" + p.http + "/healthz"); err == nil {
			if res.Body.Close(); res.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %s", what, res.Status)
			}
		}
	}
	p.stop()
}

// A load balancer on the same machine does not keep healthcheck from asking the server.
func TestHealthcheckSendsProxyHeader(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", testkit.AnyPort)
	if err != nil {
		t.Fatal(err)
	}
	here := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	room := listen.NewLimiter(listen.Options{Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ready") }),
	}
	balanced := room.Listen(ln, listen.ListenerOptions{Balancers: here})
	go func() { _ = server.Serve(balanced) }() // until the server is closed
	defer server.Close()
	out, err := command(
		t,
		"healthcheck",
		"--http-addr", ln.Addr().String(),
		"--proxy-protocol", "10.0.0.0/8,127.0.0.0/8",
	)
	if err != nil || out != "ready\n" {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := command(t, "healthcheck", "--http-addr", ln.Addr().String()); err == nil {
		t.Error("the server answered without a PROXY header")
	}
}

// If unauthenticated clients take all connections, the server says so and goes on: it serves those
// that are connected and logs one line, and once they have gone all is as before.
func TestServerAtConnectionLimitRecovers(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.fileLimit = 200
	p.start()
	p.apply(simulatedFarm)
	inside := mqtt.NewClient(mqtt.NewClientOptions().AddBroker("tcp://" + p.mqtt).SetAutoReconnect(false).
		SetUsername("SILO-2").SetPassword("silo-secret-number-0002"))
	if token := inside.Connect(); !token.WaitTimeout(testkit.WaitTimeout) || token.Error() != nil {
		t.Fatal(token.Error())
	}
	defer inside.Disconnect(0)
	var clients []net.Conn
	for range 300 {
		nc, err := net.Dial("tcp", p.mqtt)
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, nc)
	}
	said := "not every connection can be taken in: as many connections are open as the limit of open files leaves room for\n"
	testkit.Eventually(t, "the server to be unready", func() bool {
		status, says := p.readiness()
		return status == http.StatusServiceUnavailable && says == said
	})
	if ready := p.metricText("tilth_ready"); ready != "0" {
		t.Errorf("tilth_ready %s", ready)
	}
	if open, most := p.metricValue(
		"tilth_connections",
	), p.metricValue(
		"tilth_connections_most",
	); most != 150 || open > most ||
		open < 100 {
		t.Errorf("%v connections of %v", open, most)
	}
	if token := inside.Publish(
		"v1/devices/me/telemetry",
		1,
		false,
		`{"level":3,"full":false}`,
	); !token.WaitTimeout(testkit.WaitTimeout) ||
		token.Error() != nil {
		t.Errorf("a connected client is not served: %v", token.Error())
	}
	for _, nc := range clients {
		nc.Close()
	}
	publishOnce(t, "tcp://"+p.mqtt, func(*mqtt.ClientOptions) {})
	testkit.Eventually(t, "the server to be ready again", func() bool {
		status, _ := p.readiness()
		return status == http.StatusOK
	})
	if n := strings.Count(p.stderr.String(), "there is no room for more"); n != 1 {
		t.Errorf("%d lines\n%s", n, p.stderr)
	}
	p.stop()
}
