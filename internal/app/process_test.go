package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tilth/internal/testkit"
)

const testToken = "a-provider-token-for-the-tests-0123456789"

// binary builds tilth once for all tests that need a real process.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tilth-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "tilth")
	out, err := exec.Command("go", "build", "-o", path, "tilth/cmd/tilth").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// process is a running `tilth serve` or `tilth demo`.
type process struct {
	t       *testing.T
	cmd     *exec.Cmd
	log     *bytes.Buffer
	command string
	dir     string
	http    string
	mqtt    string
	admin   string
	token   string // the provider's; empty: the server makes one
	program string // empty: of this tree

	database string // address of a PostgreSQL database; empty: in the data folder
}

// newProcess picks a data folder and ports; start starts it, as often as the
// test likes.
func newProcess(t *testing.T) *process {
	t.Helper()
	p := &process{t: t, command: "serve", token: testToken, dir: t.TempDir(), http: freeAddr(t), mqtt: freeAddr(t), admin: freeAddr(t)}
	if testkit.PostgresWanted() {
		p.database = testkit.NewPostgres(t)
	}
	return p
}

// path is where the program is.
func (p *process) path() (string, error) {
	if p.program != "" {
		return p.program, nil
	}
	return binary()
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (p *process) start(args ...string) {
	p.t.Helper()
	path, err := p.path()
	if err != nil {
		p.t.Fatal(err)
	}
	p.log = &bytes.Buffer{}
	p.cmd = exec.Command(path, append([]string{
		p.command, "--data-dir", p.dir, "--http-addr", p.http, "--mqtt-addr", p.mqtt, "--admin-addr", p.admin,
	}, args...)...)
	p.cmd.Env = append(os.Environ(), "TILTH_PROVIDER_TOKEN="+p.token)
	if p.command == "serve" && p.database != "" {
		p.cmd.Env = append(p.cmd.Env, databaseVariable+"="+p.database)
	}
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(p.kill)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		resp, err := http.Get("http://" + p.http + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ctx.Done():
			p.t.Fatalf("not ready: %v\n%s", err, p.log)
		case <-time.After(20 * time.Millisecond): // another process: there is no event to wait for
		}
	}
}

// kill is kill -9.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

// stop is SIGTERM, and must end well within the promised ten seconds.
func (p *process) stop() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			p.t.Fatalf("ended with %v\n%s", err, p.log)
		}
	case <-time.After(10 * time.Second):
		p.t.Fatalf("still there ten seconds after SIGTERM\n%s", p.log)
	}
}

// place is where everything of the server is kept, for other subcommands.
func (p *process) place() []string {
	place := []string{"--data-dir", p.dir}
	if p.database != "" {
		place = append(place, "--"+databaseFlag, p.database)
	}
	return place
}

// tilth runs another subcommand and answers what it printed. One that hangs is
// made to print where.
func (p *process) tilth(args ...string) (string, error) {
	path, err := p.path()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = append(os.Environ(), "TILTH_PROVIDER_TOKEN="+testToken)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p *process) apply(yaml string) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "farm.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if out, err := p.tilth("apply", "-f", file, "--server", "http://"+p.admin); err != nil {
		p.t.Fatalf("apply: %v\n%s", err, out)
	}
}

// call makes a call of the console and decodes its data.
func (p *process) call(method, path, token, body string, data any) {
	p.t.Helper()
	req, err := http.NewRequest(method, "http://"+p.http+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	var envelope struct {
		Code int
		Msg  string
		Data json.RawMessage
	}
	if err := json.NewDecoder(resp.Body).Decode(&envelope); err != nil {
		p.t.Fatal(err)
	}
	if envelope.Code != 200 {
		p.t.Fatalf("%s %s: %d %s", method, path, envelope.Code, envelope.Msg)
	}
	if err := json.Unmarshal(envelope.Data, data); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) signIn(tenant, user, password string) string {
	p.t.Helper()
	var session struct{ AccessToken string }
	p.call(http.MethodPost, "/app-api/member/auth/login-username", "",
		fmt.Sprintf(`{"userName":%q,"password":%q,"tenantName":%q}`, user, password, tenant), &session)
	return session.AccessToken
}
