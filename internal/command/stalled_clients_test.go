package command

import (
	"crypto/tls"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/edge/httpbase"
	"tilth/internal/tools/testkit"
	"tilth/web"
)

// largestPath is the path of the largest answer that needs no sign-in: a file of the console, if
// that is built.
func largestPath(t *testing.T) string {
	t.Helper()
	path, size := "/open-api/v1/openapi.yaml", int64(0)
	files, err := fs.Glob(web.Dist(), "assets/*.js*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		info, err := fs.Stat(web.Dist(), name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, ".br") && !strings.HasSuffix(name, ".gz") && info.Size() > size {
			path, size = "/"+name, info.Size()
		}
	}
	return path
}

// Clients that request more and more over HTTP/1.1 and read nothing lose their connections after
// the time limit. Meanwhile others are served, and a client that reads slowly may read for as long
// as it likes.
func TestClientsThatReadNothingAreCutOff(t *testing.T) {
	t.Parallel()
	const each = 25
	p := newProcess(t)
	secure, roots := p.startTLS(t.TempDir())
	neighbour := browser(t, roots)
	calm := slowestPage(t, neighbour, "https://"+secure+"/readyz")
	many := func(path string) string {
		return strings.Repeat("GET "+path+" HTTP/1.1\r\nHost: tilth\r\n\r\n", 400)
	}
	// The listener treats the clients as browsers without HTTP/2.
	overTLS := func(c net.Conn) net.Conn {
		return tls.Client(c, &tls.Config{RootCAs: roots, ServerName: "localhost", NextProtos: []string{"http/1.1"}})
	}
	type client struct {
		conn net.Conn
		asks string
	}
	// All are in before the first one asks: then the server has much to do.
	var clients []client
	for range each {
		for _, path := range []string{largestPath(t), "/open-api/v1/openapi.yaml"} {
			clients = append(clients, client{p.dial(p.http, ""), many(path)})
			clients = append(clients, client{overTLS(p.dial(secure, "")), many(path)})
		}
		clients = append(clients, client{p.dial(p.admin, ""), many("/metrics")})
	}
	slow := p.dial(p.http, "")
	clients = append(clients, client{slow, many(largestPath(t))})
	testkit.Eventually(
		t,
		"all of them are in",
		func() bool { return p.metricValue("tilth_connections") > float64(len(clients)) }, // and the one that asks
	)
	began := time.Now()
	for _, c := range clients {
		if _, err := io.WriteString(c.conn, c.asks); err != nil {
			t.Fatal(err)
		}
	}
	enough, ended := make(chan struct{}), make(chan struct{})
	took := 0
	go func() { // 16 KiB a second: in half a minute that is less than one of the files
		defer close(ended)
		pace := time.NewTicker(250 * time.Millisecond)
		defer pace.Stop()
		for {
			select {
			case <-pace.C:
			case <-enough:
				return
			}
			if _, err := io.ReadFull(slow, make([]byte, 4<<10)); err != nil {
				t.Errorf("who is slow was cut off after %d bytes and %s: %v", took, time.Since(began), err)
				return
			}
			took += 4 << 10
		}
	}()
	stopSlow := sync.OnceFunc(func() { close(enough); <-ended })
	t.Cleanup(stopSlow) // before the server ends

	slowest := time.Duration(0)
	asking := time.NewTicker(50 * time.Millisecond)
	defer asking.Stop()
	// Up to eight are others: the neighbour's, the slow client's, and those of the test itself.
	for open := 5.0 * each; open > 8; open = p.metricValue("tilth_connections") {
		asked := time.Now()
		if page := getPage(t, neighbour, "https://"+secure+"/readyz", ""); page.StatusCode != http.StatusOK {
			t.Fatalf("a neighbour: %s", page.Status)
		}
		slowest = max(slowest, time.Since(asked))
		<-asking.C
		if time.Since(began) > httpbase.ChunkTimeout+testkit.WaitTimeout {
			t.Fatalf("%v connections are still there after %s", open, time.Since(began))
		}
	}
	lasted := time.Since(began)
	stopSlow()
	t.Logf("they ended after %s; the slowest neighbour had %s; who is slow took %d bytes", lasted, slowest, took)
	if lasted < httpbase.ChunkTimeout {
		t.Errorf("they ended after %s", lasted)
	}
	wantTimelyNeighbour(t, slowest, calm)
	p.stop()
}
