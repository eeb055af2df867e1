package command

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"tilth/internal/tools/testkit"
	"time"
)

// dial opens a connection to the process that stays open until the test ends, writes begin, and
// receives only a little of what comes back.
func (p *process) dial(addr, begin string) net.Conn {
	p.t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = c.Close() }) // the server may have
	if err := c.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		p.t.Fatal(err)
	}
	if _, err := io.WriteString(c, begin); err != nil {
		p.t.Fatal(err)
	}
	return c
}

// A stop ends in time whatever clients do, and loses nothing that was acknowledged.
func TestStopIsNotDelayedByStalledClients(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // a mail server that never answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	p := newProcess(t)
	p.env = []string{"TILTH_SMTP_URL=smtp://" + silent.Addr().String() + "?tls=none&from=alerts@farm.example"}
	p.startTLS(t.TempDir(), "--mqtt-tls-addr", testkit.AnyPort, "--device-rate", "1000000", "--device-burst", "1000000")
	p.apply(simulatedFarm)
	token := p.adaToken()

	// There are more readings than the buffers of a connection hold.
	const messages, each = 60, 5000
	begin := time.Now().Add(-12 * time.Hour).UnixMilli()
	for m := range messages {
		var body bytes.Buffer
		for i := range each {
			fmt.Fprintf(&body, `%c{"ts":%d,"values":{"level":%d.25}}`, "[,"[min(i, 1)], begin+int64(m*each+i)*100, i%12)
		}
		body.WriteByte(']')
		res, err := http.Post("http://"+p.http+"/api/v1/silo-secret-number-0001/telemetry", "application/json", &body)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("message %d: %s", m, res.Status)
		}
	}

	get := func(path string) string {
		return "GET " + path + " HTTP/1.1\r\nHost: tilth\r\nAuthorization: Bearer " + token + "\r\n\r\n"
	}
	every := fmt.Sprintf(
		"/admin-api/client/pc/device/get/format-map/time-interval-data?deviceName=SILO-1&yeuSignList=level&startTime=%d&endTime=%d",
		begin,
		begin+messages*each*100,
	)
	for range 3 {
		reader := bufio.NewReaderSize(p.dial(p.http, get(every)), 16)
		if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, " 200 ") {
			t.Fatalf("a long answer begins with %q, %v", line, err)
		}
	}
	p.dial(p.http, get("/admin-api/client/pc/live"))
	p.dial(p.http, "GET / HTTP/1.1\r\nHost: tilth\r\n") // its header never ends
	p.dial(
		p.http,
		"POST /api/v1/silo-secret-number-0002/telemetry HTTP/1.1\r\nHost: tilth\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n[",
	)
	p.dial(p.mqtt, "\x10\x7f\x00\x04MQTT") // its CONNECT never ends
	p.dial(p.mqtt, "")
	hello := clientHello(t)
	for range 50 { // handshakes without an answer to the server's part
		for _, begin := range []string{hello, hello[:len(hello)/2]} {
			p.dial(p.https, begin)
			p.dial(p.mqttTLS, begin)
		}
	}
	p.dial(
		p.admin,
		"POST /provider-api/v1/apply HTTP/1.1\r\nHost: tilth\r\nAuthorization: Bearer "+testToken+"\r\nContent-Length: 100000\r\n\r\n{",
	)
	var id int64
	p.call(
		http.MethodPost,
		"/admin-api/client/pc/notice-channel/create",
		token,
		`{"noticeName":"Mail","noticeMode":["email"],"language":"en-us","email":{"emails":["ada@example.com"]}}`,
		&id,
	)
	p.dial(
		p.http,
		fmt.Sprintf(
			"POST /admin-api/client/pc/notice-channel/test?id=%d HTTP/1.1\r\nHost: tilth\r\nAuthorization: Bearer %s\r\nContent-Length: 0\r\n\r\n",
			id,
			token,
		),
	)
	answered, err := silent.Accept() // the mail is being sent
	if err != nil {
		t.Fatal(err)
	}
	defer answered.Close()

	began := time.Now()
	p.stop() // within ten seconds, as everywhere; the process itself sees to it
	t.Logf("stopped within %s", time.Since(began))
	if !strings.Contains(p.stderr.String(), cutOff) {
		t.Errorf("nobody was cut off:\n%s", p.stderr)
	}

	p.start()
	var days []struct{ Frames int }
	p.call(
		http.MethodGet,
		fmt.Sprintf(
			"/admin-api/client/pc/device/get/coverage?deviceName=SILO-1&startTime=%d&endTime=%d",
			begin,
			begin+messages*each*100,
		),
		p.adaToken(),
		"",
		&days,
	)
	kept := 0
	for _, day := range days {
		kept += day.Frames
	}
	if kept != messages*each {
		t.Errorf("%d readings are left of %d", kept, messages*each)
	}
	p.stop()
}
