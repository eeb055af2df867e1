package command

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/tools/testkit"
)

// clientHello is the first message of a client's TLS handshake.
func clientHello(t *testing.T) string {
	t.Helper()
	ours, theirs := net.Pipe()
	go func() {
		// The handshake fails, since nobody answers.
		_ = tls.Client(
			ours,
			&tls.Config{ServerName: "localhost", MinVersion: tls.VersionTLS12},
		).HandshakeContext(
			t.Context(),
		)
	}()
	defer theirs.Close()
	head := make([]byte, 5) // type, version, length
	if _, err := io.ReadFull(theirs, head); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, int(head[3])<<8|int(head[4]))
	if _, err := io.ReadFull(theirs, body); err != nil {
		t.Fatal(err)
	}
	return string(head) + string(body)
}

// Handshakes that stall, before and after the server's part, end in time. They count as
// connections, and those of devices as connections of their address; other clients can connect.
func TestStalledHandshakesEnd(t *testing.T) {
	t.Parallel()
	const each, anAddress = 100, 20
	p := newProcess(t)
	secure, roots := p.startTLS(
		t.TempDir(),
		"--mqtt-tls-addr", testkit.AnyPort,
		"--mqtt-per-address", strconv.Itoa(anAddress),
	)
	p.apply(simulatedFarm)
	hello := clientHello(t)
	var all sync.WaitGroup
	var mu sync.Mutex // guards longest
	var longest time.Duration
	for i := range 2 * each {
		address := []string{secure, p.mqttTLS}[i%2]
		c, err := dialViaBalancer("127.0.0.3", "")(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() }) // the server has closed it
		// The device's listener may have closed it already.
		_, _ = io.WriteString(c, []string{hello, hello[:len(hello)/2], hello[:3], ""}[i/2%4])
		opened := time.Now()
		all.Go(func() {
			// This holds whatever is sent meanwhile, and however the handshake ends.
			if err := c.SetReadDeadline(opened.Add(testkit.WaitTimeout)); err != nil {
				t.Error(err)
			}
			if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the connection is still open after %s", address, time.Since(opened))
			}
			mu.Lock()
			defer mu.Unlock()
			longest = max(longest, time.Since(opened))
		})
	}
	testkit.Eventually(t, "those over the address's limit are refused", func() bool {
		return p.metricValue(`tilth_mqtt_turned_away_total{reason="address"}`) == each-anAddress
	})
	testkit.Eventually(t, "the others are counted", func() bool {
		return p.metricValue("tilth_connections") >= each+anAddress
	})
	if page := getPage(t, browser(t, roots), "https://"+secure+"/readyz", ""); page.StatusCode != http.StatusOK {
		t.Errorf("a neighbour: %s", page.Status)
	}
	publishOnce(t, "ssl://"+p.mqttTLS, func(o *mqtt.ClientOptions) { o.SetTLSConfig(&tls.Config{RootCAs: roots}) })
	if open := p.metricValue("tilth_connections"); open < anAddress {
		t.Errorf("other clients had to wait until the handshakes had ended: %v connections are left", open)
	}
	all.Wait()
	if longest < 8*time.Second {
		t.Errorf("the last handshake had %s", longest)
	}
	testkit.Eventually(
		t,
		"their connections are free again",
		func() bool { return p.metricValue("tilth_connections") < anAddress },
	)
	p.stop()
}
