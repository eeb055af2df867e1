package webhook_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/notify/webhook"
	"tilth/internal/tools/testkit/program"
)

const examples = "../../../../docs/examples/webhooks"

// The example receivers accept the server's calls, signed by either of two secrets, once each, and
// nothing else.
func TestExampleReceivers(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "receiver")
	if err := program.Build(t.Context(), examples+"/main.go", binary); err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string][]string{"Go": {binary}, "Python": {"python3", examples + "/receiver.py"}} {
		for wrong, says := range map[string]string{
			"": "TILTH_WEBHOOK_SECRET is missing: the webhook's secret, whsec_...", "whsec_": "is no webhook's secret", "whsec_%": "is no webhook's secret",
		} {
			c := exec.CommandContext(t.Context(), command[0], command[1:]...)
			c.Env = append(os.Environ(), "TILTH_WEBHOOK_SECRET="+wrong, "LISTEN=127.0.0.1:0")
			if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), says) ||
				strings.Count(string(out), "\n") != 1 {
				t.Errorf("%s with the secret %q: %v %s", name, wrong, err, out)
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel() // both wait for a silent client
			var late time.Duration
			w := newFixture(t, func(o *webhook.Options) {
				o.Guard = &guard.Guard{Private: []netip.Prefix{netip.PrefixFrom(blockedAddr, 32)}}
				o.Timeout = 10 * time.Second
				o.Now = func() time.Time { return time.Now().Add(-late) } // the receivers check the timestamp
			})
			id, secret := w.addWebhook(t, "https://is.set/below")
			c := exec.CommandContext(t.Context(), command[0], command[1:]...)
			c.Env = append(os.Environ(), "TILTH_WEBHOOK_SECRET="+secret, "LISTEN=127.0.0.1:0")
			c.Stderr = os.Stderr
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = c.Process.Kill()
				_ = c.Wait() // it was killed
			})
			lines := bufio.NewScanner(out)
			next := func() string {
				if !lines.Scan() {
					t.Fatalf("the receiver ended: %v", lines.Err())
				}
				return lines.Text()
			}
			_, port, _ := strings.Cut(next(), "\t")
			silent, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", "127.0.0.1:"+port)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = silent.Close() }()
			if _, err := io.WriteString(silent, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			h, err := w.Webhooks.Get(t.Context(), w.field.ID, id)
			if err != nil {
				t.Fatal(err)
			}
			h.URL = "http://127.0.0.1:" + port + "/"
			if err := w.Webhooks.Update(t.Context(), w.field.ID, h); err != nil {
				t.Fatal(err)
			}
			send := func(messageID string) string {
				l := w.notification(id)
				l.ID = messageID
				answer, err := w.caller.Send(t.Context(), l)
				if err != nil {
					return failureText(t, err)
				}
				return answer
			}
			for _, messageID := range []string{"a", "a", "b"} {
				if got := send(messageID); got != "200 thank you" {
					t.Errorf("%s: %s", messageID, got)
				}
			}
			late = 10 * time.Minute
			wantContains(t, "an old call", send("old"), "later: 401 not signed by the secret, or too old")
			late = 0
			if _, err := w.Webhooks.RotateSecret(t.Context(), w.field.ID, id); err != nil {
				t.Fatal(err)
			}
			if got := send("c"); got != "200 thank you" {
				t.Errorf("with two secrets: %s", got)
			}
			// The receiver knows only the first secret, which is not valid after the second
			// rotation.
			if _, err := w.Webhooks.RotateSecret(t.Context(), w.field.ID, id); err != nil {
				t.Fatal(err)
			}
			wantContains(t, "with another secret", send("d"), "later: 401 not signed")
			forged, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL,
				strings.NewReader(`{"type":"notice.opened","data":{}}`))
			if err != nil {
				t.Fatal(err)
			}
			forged.Header.Set("webhook-id", "e")
			forged.Header.Set("webhook-timestamp", fmt.Sprint(time.Now().Unix()))
			forged.Header.Set("webhook-signature", "v1, v1,AAAA v2,x")
			resp, err := http.DefaultClient.Do(forged)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("a forged call: %s", resp.Status)
			}
			for _, broken := range []string{"Content-Length: -1", "Content-Length: x", "Content-Length: 0\r\nwebhook-timestamp: \xb2"} {
				if status := sendRaw(t, port, "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"+broken+
					"\r\n\r\n"); !strings.HasPrefix(status, "HTTP/1") || !strings.Contains(status, " 40") {
					t.Errorf("%q: %q", broken, status)
				}
			}
			for range 3 { // a, b and c
				if line := next(); line != "notice.opened\t4711\tserious\tFrost <b>" {
					t.Errorf("%q", line)
				}
			}
			// The receiver ends the connection of the client that has been silent all the time.
			if err := silent.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(silent); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the receiver waits without end for a silent client")
			}
		})
	}
}

// sendRaw sends raw bytes to a receiver and gives the first line of its answer; empty: there is
// none.
func sendRaw(t *testing.T, port, request string) string {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second)) // does not fail for a new connection
	if _, err := c.Write([]byte(request)); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(c).ReadString('\n') // an error leaves what was read before
	return line
}
