package command

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// slowReaders is how many clients the test has at most. Each takes less than a megabyte.
const slowReaders = 400

// Clients request very long answers and do not read them, until hardly any memory is left. The
// server refuses more of them, and everything else goes on: it stays up, acknowledges readings and
// stores them, and when the clients have gone all is as before.
func TestServerShortOfMemory(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.env = append(p.env, "GOGC=20") // so that the memory in use holds little garbage
	p.start("--memory", "128MiB")
	if limit := p.metricValue("tilth_memory_limit_bytes"); limit != 128<<20 {
		t.Fatalf("the limit is %v", limit)
	}

	const properties, frames, aMessage = 48, 6000, 300
	var signs, model []string
	for i := range properties {
		signs = append(signs, fmt.Sprintf("layer%d", i))
		model = append(model, fmt.Sprintf("      - {identifier: layer%d, dataType: number}\n", i))
	}
	p.apply("products:\n  - name: wide\n    properties:\n" + strings.Join(model, "") + `tenants:
  - name: farm
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: ada, password: correct horse}]
    devices:
      - {deviceName: WIDE-1, serial: s, product: wide, secret: wide-secret-number-0001}
`)
	begin := time.Now().Add(-2 * time.Hour).UnixMilli()
	post := func(body string) int {
		t.Helper()
		status, _ := p.post("/api/v1/wide-secret-number-0001/telemetry", "", body)
		return status
	}
	for first := 0; first < frames; first += aMessage {
		var list []string
		for n := first; n < first+aMessage; n++ {
			var values []string
			for i, sign := range signs {
				values = append(values, fmt.Sprintf("%q:%d", sign, (n*(i+3))%997))
			}
			list = append(list, fmt.Sprintf(`{"ts":%d,"values":{%s}}`, begin+int64(n)*1000, strings.Join(values, ",")))
		}
		if status := post("[" + strings.Join(list, ",") + "]"); status != http.StatusOK {
			t.Fatalf("readings are answered %d", status)
		}
	}
	token := ""
	asks := func(properties, points int) string {
		return fmt.Sprintf(
			"/admin-api/client/pc/device/get/format-map/time-interval-data?deviceName=WIDE-1&startTime=%d&endTime=%d&points=%d&yeuSignList=%s",
			begin,
			begin+frames*1000,
			points,
			strings.Join(signs[:properties], ","),
		)
	}
	status := func(path string) int {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, "http://"+p.http+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	// The limit is little more than the server needs when idle.
	p.stop()
	p.start()
	token = p.adaToken()
	least := math.Inf(1)
	for range 20 {
		if got := status(asks(properties, 1000)); got != http.StatusOK {
			t.Fatalf("a chart is answered %d", got)
		}
		least = min(least, p.metricValue("tilth_memory_in_use_bytes"))
	}
	p.stop()
	limit := int64(least+16<<20) / 80 * 100
	p.env = append(p.env, fmt.Sprint("GOMEMLIMIT=", limit))
	p.start()
	if got := p.metricValue("tilth_memory_limit_bytes"); got != float64(limit) {
		t.Fatalf("the limit is %v, want %d", got, limit)
	}
	token = p.adaToken()
	testkit.Eventually(
		t,
		"a chart",
		func() bool { return status(asks(1, 100)) == http.StatusOK },
	) // the garbage collector frees the memory of the sign-in within a second
	var readers []net.Conn
	leave := func() {
		for _, c := range readers {
			_ = c.Close()
		}
		readers = nil
	}
	defer leave()
	for status(asks(1, 100)) == http.StatusOK {
		if len(readers) == slowReaders {
			t.Fatalf(
				"%d slow readers and nothing is refused: %v of %d bytes in use",
				slowReaders,
				p.metricValue("tilth_memory_in_use_bytes"),
				limit,
			)
		}
		for range 5 {
			readers = append(readers, slowReader(t, p.http, asks(properties, 5000), token))
		}
	}
	t.Logf(
		"%d slow readers, %.1f MiB of %d MiB in use",
		len(readers),
		p.metricValue("tilth_memory_in_use_bytes")/(1<<20),
		limit>>20,
	)
	if got := status("/app-api/member/user/get"); got != http.StatusOK {
		t.Errorf("a small call is answered %d", got)
	}
	last := begin + frames*1000
	if got := post(fmt.Sprintf(`{"ts":%d,"values":{"layer0":4711}}`, last)); got != http.StatusOK {
		t.Errorf("readings are answered %d", got)
	}
	if n := p.metricValue(`tilth_memory_refused_total{work="heavy"}`); n < 1 {
		t.Error("the refusals are not counted")
	}
	if n := p.metricValue(`tilth_memory_refused_total{work="intake"}`); n != 0 {
		t.Errorf("%v messages were made to wait", n)
	}
	if p.signIn("farm", "ada", "correct horse") == "" { // takes 64 MiB for a moment
		t.Error("no user can sign in")
	}
	leave()
	testkit.Eventually(t, "memory for charts", func() bool { return status(asks(1, 100)) == http.StatusOK })
	var series map[string][]struct {
		Time  int64
		Value float64
	}
	p.call(
		http.MethodGet,
		fmt.Sprintf(
			"/admin-api/client/pc/device/get/format-map/time-interval-data?deviceName=WIDE-1&startTime=%d&endTime=%d&yeuSignList=layer0",
			last,
			last,
		),
		token,
		"",
		&series,
	)
	if got := series["layer0"]; len(got) != 1 || got[0].Value != 4711 {
		t.Errorf("the acknowledged reading is stored as %v", got)
	}
	if log := p.stderr.String(); !strings.Contains(log, "memory is short") ||
		!strings.Contains(log, "there is memory again") {
		t.Errorf("the log: %s", log)
	}
}

// slowReader makes a request over a connection with a tiny window, and reads nothing of the answer.
func slowReader(t *testing.T, address, path, token string) net.Conn {
	t.Helper()
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		controlled := c.Control(func(fd uintptr) { err = smallWindow(fd) })
		if controlled != nil {
			return controlled
		}
		return err
	}}
	c, err := d.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: farm\r\nAuthorization: Bearer %s\r\n\r\n", path, token)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
