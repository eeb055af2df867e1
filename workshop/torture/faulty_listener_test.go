package torture

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/smtp"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// connect connects and returns what it receives until the listener closes the connection or a time
// has passed.
func connect(t *testing.T, l *faultyListener, most time.Duration) (received []byte, closed bool) {
	t.Helper()
	c, err := net.Dial("tcp", l.address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetReadDeadline(time.Now().Add(most)); err != nil {
		t.Fatal(err)
	}
	received, err = io.ReadAll(c)
	return received, !errors.Is(err, os.ErrDeadlineExceeded)
}

func TestFaultyListenerModes(t *testing.T) {
	p, err := newMailServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	}()
	c, err := smtp.Dial(p.address()) // it waits for the greeting
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Noop(), c.Quit()); err != nil {
		t.Errorf("works: %v", err)
	}
	for m, want := range map[faultMode]struct {
		sends  bool
		closes bool
	}{modeHangs: {false, false}, modeRefuses: {false, true}, modeGarbage: {true, true}} {
		p.setMode(m)
		if n := p.attempts(); n != 0 {
			t.Errorf("%s: %d attempts before any", m, n)
		}
		most := testkit.WaitTimeout
		if !want.closes {
			most = 200 * time.Millisecond
		}
		received, closed := connect(t, p.faultyListener, most)
		if closed != want.closes || (len(received) > 0) != want.sends || strings.HasPrefix(string(received), "220") {
			t.Errorf("%s: %q %v", m, received, closed)
		}
		// A connection that hangs may be open before it is accepted.
		testkit.Eventually(t, m.String()+": an attempt", func() bool { return p.attempts() > 0 })
		if n := p.attempts(); n != 1 {
			t.Errorf("%s: %d attempts of 1", m, n)
		}
	}
}

// A change of the mode closes the connections that the listener passed on.
func TestModeChangeDropsConnections(t *testing.T) {
	p, err := newMailServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	c, err := net.Dial("tcp", p.address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	p.setMode(modeHangs)
	if _, err := io.ReadAll(c); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
}

func TestMailServerCounts(t *testing.T) {
	p, err := newMailServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	for _, id := range []string{"<1@a>", "<2@a>", "<1@a>"} {
		message := []byte("Message-Id: " + id + "\r\n\r\nhello\r\n")
		if err := smtp.SendMail(p.address(), nil, "a@example.com", []string{"b@example.com"}, message); err != nil {
			t.Fatal(err)
		}
	}
	if different, all := p.counts(); different != 2 || all != 3 {
		t.Errorf("%d different of %d", different, all)
	}
	bare := []byte("no header\r\n")
	if err := smtp.SendMail(p.address(), nil, "a@example.com", []string{"b@example.com"}, bare); err == nil {
		t.Error("accepted a mail without a header")
	}
	r := &Row{}
	s := alarmDevice{bed: &testbed{mail: p}, alarms: 3, messagesPerAlarm: 1}
	s.compareMails(r)
	if r.Lost != 1 || r.Repeated != 1 {
		t.Errorf("%+v", r)
	}
}

func TestGatewayCounts(t *testing.T) {
	g, err := newSMSGateway(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.close(); err != nil {
			t.Error(err)
		}
	}()
	for body, want := range map[string]int{`{"to":"+1","text":"hello"}`: 200, `{"to":"+1"}`: 400, `?`: 400} {
		resp, err := http.Post(g.url(), "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s", body, resp.Status)
		}
	}
	r := &Row{}
	s := alarmDevice{bed: &testbed{sms: g}, alarms: 0, messagesPerAlarm: 2}
	s.compareTexts(r)
	s.alarms = 2
	s.compareTexts(r)
	if r.Repeated != 1 || r.Lost != 3 {
		t.Errorf("%+v", r)
	}
}

// appendAfterData writes after the last byte that is not zero, and changes none before it.
func TestAppendAfterData(t *testing.T) {
	file := filepath.Join(t.TempDir(), "000007.log")
	if err := os.WriteFile(file, append([]byte("whole"), make([]byte, 100)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := appendAfterData(file, []byte("torn")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || len(text) != 105 || !strings.HasPrefix(string(text), "wholetorn\x00") {
		t.Errorf("%q %v", text, err)
	}
	if err := tear(t.TempDir(), tearPatterns[0]); err == nil {
		t.Error("tear accepts a folder without logs")
	}
	head := tearPatterns[2](7)
	if binary.LittleEndian.Uint32(head[7:]) != 7 || int(binary.LittleEndian.Uint16(head[4:])) < len(head)-11 {
		t.Error("the record's header gives no more bytes than follow")
	}
}

func TestClockFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "clock")
	for _, ahead := range []time.Duration{0, time.Hour, -90 * time.Second} {
		if err := setClock(file, ahead); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(file)
		if err != nil || len(raw) != 8 || time.Duration(int64(binary.NativeEndian.Uint64(raw)))*time.Second != ahead {
			t.Errorf("%v: %v %v", ahead, raw, err)
		}
	}
	if got := shellQuote("it's"); got != `'it'\''s'` {
		t.Error(got)
	}
}

func TestFill(t *testing.T) {
	if err := fill(filepath.Join(t.TempDir(), "no", "such")); err == nil {
		t.Error("fill made a file in a folder that does not exist")
	}
	if err := fill("/dev/full"); err != nil { // like a full disk
		t.Error(err)
	}
}
