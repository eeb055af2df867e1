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
)

// try connects, and answers what it hears until the far end hangs up or a
// moment has passed.
func try(t *testing.T, l *faultyListener) (heard []byte, hungUp bool) {
	t.Helper()
	c, err := net.Dial("tcp", l.address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	heard, err = io.ReadAll(c)
	return heard, !errors.Is(err, os.ErrDeadlineExceeded)
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
	if heard, hungUp := try(t, p.faultyListener); hungUp || !strings.HasPrefix(string(heard), "220 ") {
		t.Errorf("takes: %q %v", heard, hungUp)
	}
	for m, want := range map[faultMode]struct {
		words  bool
		hungUp bool
	}{modeHangs: {false, false}, modeRefuses: {false, true}, modeGarbage: {true, true}} {
		p.setMode(m)
		if n := p.attempts(); n != 0 {
			t.Errorf("%s: %d attempts before any", m, n)
		}
		heard, hungUp := try(t, p.faultyListener)
		if hungUp != want.hungUp || (len(heard) > 0) != want.words || strings.HasPrefix(string(heard), "220") {
			t.Errorf("%s: %q %v", m, heard, hungUp)
		}
		if n := p.attempts(); n != 1 {
			t.Errorf("%s: %d attempts of 1", m, n)
		}
	}
}

// Who was let in is thrown out when the mood changes.
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
		if err := smtp.SendMail(
			p.address(),
			nil,
			"a@example.com",
			[]string{"b@example.com"},
			[]byte("Message-Id: "+id+"\r\n\r\nhello\r\n"),
		); err != nil {
			t.Fatal(err)
		}
	}
	if different, all := p.counts(); different != 2 || all != 3 {
		t.Errorf("%d different of %d", different, all)
	}
	if err := smtp.SendMail(
		p.address(),
		nil,
		"a@example.com",
		[]string{"b@example.com"},
		[]byte("no header\r\n"),
	); err == nil {
		t.Error("taken without a header")
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

// What tears a log stands behind the last byte of it that is not zero, and
// changes none before.
func TestAppendAfterData(t *testing.T) {
	file := filepath.Join(t.TempDir(), "000007.log")
	if err := os.WriteFile(file, append([]byte("whole"), make([]byte, 100)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := appendAfterData(file, []byte("torn")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(
		file,
	); err != nil || len(text) != 105 ||
		!strings.HasPrefix(string(text), "wholetorn\x00") {
		t.Errorf("%q %v", text, err)
	}
	if err := tear(t.TempDir(), tearPatterns[0]); err == nil {
		t.Error("a folder without logs was torn")
	}
	if head := tearPatterns[2](
		7,
	); binary.LittleEndian.Uint32(head[7:]) != 7 ||
		int(binary.LittleEndian.Uint16(head[4:])) < len(head)-11 {
		t.Error("the record promises no more than there is")
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
		t.Error("a file was made where there is no folder")
	}
	if err := fill("/dev/full"); err != nil { // as on a disk that has no room at all
		t.Error(err)
	}
}
