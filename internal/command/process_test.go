package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tilth/internal/settings"
	"tilth/internal/tools/announced"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/program"
)

const (
	testToken = "a-provider-token-for-the-tests-0123456789"
	// unusedAddr is an address at which no server listens.
	unusedAddr = "127.0.0.1:1"
)

// startTime is how long a process may take until it accepts people and devices. It is far longer
// than a busy machine needs, and passes only if a test fails.
const startTime = time.Minute

// process is a running `tilth serve` or `tilth demo`.
type process struct {
	t         *testing.T
	cmd       *exec.Cmd
	ended     chan struct{} // closed once the process has ended
	err       error         // how it ended; known once ended is closed
	stderr    *output       // its standard error
	stdout    *output
	command   string
	dir       string
	env       []string // settings beside those of start's arguments
	token     string   // the provider's token; empty: the server makes one
	program   string   // empty: built from this tree
	fileLimit int      // files that it may open; 0: as many as the test

	listens *announced.Reader
	// The addresses since its last start; announced.Off for a listener that it does not have.
	http, https, mqtt, mqttTLS, admin string

	sessions map[[3]string]string // access tokens since its last start, by tenant, user and password
	database string               // address of a PostgreSQL database; empty: in the data folder
}

// output is what a process has printed.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// newProcess picks a data folder; start starts the process, as often as the test needs. With -short
// it skips the test.
func newProcess(t *testing.T) *process {
	t.Helper()
	if testing.Short() {
		t.Skip("starts whole servers")
	}
	p := &process{t: t, command: "serve", token: testToken, dir: t.TempDir()}
	if testkit.UsePostgres() {
		p.database = testkit.NewPostgres(t)
	}
	return p
}

// path is the path of the program.
func (p *process) path() (string, error) {
	if p.program != "" {
		return p.program, nil
	}
	return program.Tilth()
}

// serverArgs are the arguments that give a server its folder and ports.
func (p *process) serverArgs(args ...string) []string {
	return append(
		[]string{
			p.command,
			"--data-dir", p.dir,
			"--http-addr", testkit.AnyPort,
			"--mqtt-addr", testkit.AnyPort,
			"--admin-addr", testkit.AnyPort,
		},
		args...)
}

// launch starts the process, and waits for nothing.
func (p *process) launch(args ...string) {
	p.t.Helper()
	path, err := p.path()
	if err != nil {
		p.t.Fatal(err)
	}
	if p.command == "demo" {
		args = append([]string{"--log-level", "info"}, args...) // by itself it logs less
	}
	p.listens = announced.NewReader()
	p.stderr, p.stdout, p.sessions = &output{}, &output{}, map[[3]string]string{}
	p.cmd = exec.Command(path, p.serverArgs(args...)...)
	if p.fileLimit > 0 {
		limited := []string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, p.fileLimit), path}
		p.cmd = exec.Command("sh", append(limited, p.serverArgs(args...)...)...)
	}
	p.cmd.Env = append(append(os.Environ(), "TILTH_PROVIDER_TOKEN="+p.token), p.env...)
	if p.command == "serve" && p.database != "" {
		p.cmd.Env = append(p.cmd.Env, settings.DatabaseVariable+"="+p.database)
	}
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, io.MultiWriter(p.stderr, p.listens)
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ended := make(chan struct{})
	p.ended = ended
	go func() {
		p.err = p.cmd.Wait()
		close(ended)
	}()
	p.t.Cleanup(p.kill)
}

// awaitAddresses waits until the process says on which addresses it listens.
func (p *process) awaitAddresses(within time.Duration) {
	p.t.Helper()
	select {
	case at := <-p.listens.Ready():
		p.http, p.https, p.mqtt, p.mqttTLS, p.admin = at.HTTP, at.HTTPS, at.MQTT, at.MQTTTLS, at.Admin
	case <-p.ended:
		p.t.Fatalf("ended with %v\n%s", p.err, p.stderr)
	case <-time.After(within):
		p.t.Fatalf("not ready\n%s", p.stderr)
	}
}

// start starts the process and waits until it accepts people and devices, or stands by.
func (p *process) start(args ...string) {
	p.t.Helper()
	p.launch(args...)
	p.awaitAddresses(startTime)
	if p.http == announced.Off {
		return
	}
	resp, err := http.Get("http://" + p.http + "/readyz")
	if err != nil {
		p.t.Fatalf("not ready: %v\n%s", err, p.stderr)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		p.t.Fatalf("not ready: %s\n%s", resp.Status, p.stderr)
	}
}

// kill kills the process with kill -9.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// stop stops the process with SIGTERM. It must end in order: a stop that takes longer than the promised
// ten seconds is ended by the process itself, as a failure. On a busy machine this is noticed later.
func (p *process) stop() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	select {
	case <-p.ended:
		if p.err != nil {
			p.t.Fatalf("ended with %v\n%s", p.err, p.stderr)
		}
	case <-time.After(testkit.WaitTimeout):
		p.t.Fatalf("still running %s after SIGTERM\n%s", testkit.WaitTimeout, p.stderr)
	}
}

// cutOff is what a server says of clients for which its stop had to wait in vain.
const cutOff = "clients that did not finish are cut off"

// wantNobodyCutOff checks that the stop waited for nobody in vain.
func (p *process) wantNobodyCutOff() {
	p.t.Helper()
	if log := p.stderr.String(); strings.Contains(log, cutOff) {
		p.t.Errorf("the stop waited for a client:\n%s", log)
	}
}

// storageArgs tell other subcommands where the server's data is.
func (p *process) storageArgs() []string {
	place := []string{"--data-dir", p.dir}
	if p.database != "" {
		place = append(place, "--"+settings.DatabaseFlag, p.database)
	}
	return place
}

// tilth runs another subcommand and returns what it printed. One that hangs is made to print its
// goroutines: within the time of the tests, and later than any is done on a busy machine.
func (p *process) tilth(args ...string) (string, error) {
	path, err := p.path()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 6*time.Minute)
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

// signIn signs somebody in.
func (p *process) signIn(tenant, user, password string) string {
	p.t.Helper()
	var session struct{ AccessToken string }
	p.call(http.MethodPost, "/app-api/member/auth/login-username", "",
		fmt.Sprintf(`{"userName":%q,"password":%q,"tenantName":%q}`, user, password, tenant), &session)
	return session.AccessToken
}

// cachedToken is the access token of a user, who signs in once after each start, since checking a
// password is slow.
func (p *process) cachedToken(tenant, user, password string) string {
	p.t.Helper()
	who := [3]string{tenant, user, password}
	if p.sessions[who] == "" {
		p.sessions[who] = p.signIn(tenant, user, password)
	}
	return p.sessions[who]
}

// adaToken is the access token of ada of the farm, which most tests use.
func (p *process) adaToken() string {
	p.t.Helper()
	return p.cachedToken("farm", "ada", "correct horse")
}
