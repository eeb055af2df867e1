package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/uptrace/bun"

	"tilth/internal/command/client"
	"tilth/internal/domain/identity"
	"tilth/internal/edge/provider"
	"tilth/internal/edge/provider/wire"
	"tilth/internal/tools/testkit"
)

const providerToken = "token-0123456789abcdef0123456789abcdef"

// providerFixture is a server's provider API over real stores, for a command line.
type providerFixture struct {
	*testkit.Stores
	server *httptest.Server
}

// noIntake accepts no readings.
type noIntake struct{ provider.Intake }

func newProvider(t *testing.T) *providerFixture {
	t.Helper()
	s := testkit.NewStores(t)
	tokens, err := provider.NewTokens(providerToken, "")
	if err != nil {
		t.Fatal(err)
	}
	service := provider.NewService(provider.Deps{Stores: s.Stores, Intake: noIntake{}})
	server := httptest.NewServer(provider.New(provider.Options{Service: service, Tokens: tokens, Logger: s.Log.Logger}))
	t.Cleanup(server.Close)
	t.Setenv(client.TokenEnv, providerToken)
	return &providerFixture{Stores: s, server: server}
}

// runCommand runs a command line and returns what it printed and how it ended.
func runCommand(t *testing.T, stdin io.Reader, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	c := &cobra.Command{Use: "tilth", SilenceUsage: true, SilenceErrors: true}
	c.AddCommand(providerCommands()...)
	var out, fault bytes.Buffer
	c.SetArgs(args)
	c.SetIn(stdin)
	c.SetOut(&out)
	c.SetErr(&fault)
	err = c.ExecuteContext(t.Context())
	return out.String(), fault.String(), err
}

func (p *providerFixture) run(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := runCommand(t, nil, append(args, "--server", p.server.URL)...)
	if err != nil || stderr != "" {
		t.Fatalf("%v: %v\n%s", args, err, stderr)
	}
	return stdout
}

func farmFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "farm.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The minimum length of passwords holds for the provider's file, too.
func TestPasswordMin(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start("--password-min", "13")
	path := farmFile(t, smallFarm)
	out, err := p.tilth("apply", "-f", path, "--server", "http://"+p.admin)
	if err != nil {
		t.Fatalf("thirteen characters: %v\n%s", err, out)
	}
	var settings struct{ PasswordMin int }
	if p.call(http.MethodGet, "/admin-api/system/console/settings", "", "", &settings); settings.PasswordMin != 13 {
		t.Errorf("the console gets %d", settings.PasswordMin)
	}
	p.stop()
	p.start("--password-min", "14")
	out, err = p.tilth("apply", "-f", path, "--server", "http://"+p.admin)
	if want := path + ":6: password must have 14 to 128 characters, as --password-min of the server says\n"; err == nil ||
		!strings.Contains(out, want) {
		t.Errorf("thirteen of fourteen characters: %v\n%s", err, out)
	}
	p.signIn("north", "bora", "correct horse")
	p.stop()
}

const smallFarm = `products:
  - {name: station, properties: [{identifier: airTemperature, dataType: number}]}
tenants:
  - name: north
    timeZone: UTC
    users: [{userName: ada}, {userName: bora, password: correct horse, nickname: Bora}]
    scenes: [Field]
    devices:
      - {deviceName: N-1, product: station, scene: Field}
      - {deviceName: N-2, product: station, secret: secret-of-the-device-n-2}
`

// The commands fill an empty server with a farm, change it, and remove it again.
func TestProviderCommands(t *testing.T) {
	p := newProvider(t)
	out := p.run(t, "apply", "-f", farmFile(t, smallFarm))
	want := regexp.MustCompile(`^created product station
created tenant north
created user north/ada  password: (\S{19})
created user north/bora
created scene north/Field
created device north/N-1  secret: (\S{43})
created device north/N-2
created 7, changed 0, left 0
$`)
	found := want.FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("printed\n%s", out)
	}
	if _, _, ok := p.Registry.Authenticate("N-1", found[2]); !ok {
		t.Error("the device cannot connect with the printed secret")
	}
	if out := p.run(t, "apply", "-f", farmFile(t, smallFarm)); out != "created 0, changed 0, left 7\n" {
		t.Errorf("the second apply printed\n%s", out)
	}
	changed := strings.NewReplacer(
		"nickname: Bora",
		"nickname: Bora K.",
		"product: station, scene",
		"serial: X, gateway: true, product: station, scene",
	).Replace(
		smallFarm,
	)
	out = p.run(t, "apply", "-f", farmFile(t, changed))
	if out != "changed device north/N-1: serial, gateway\ncreated 0, changed 1, left 6\n" {
		t.Errorf("a change printed\n%s", out)
	}
	out = p.run(t, "apply", "--overwrite", "-f", farmFile(t, changed))
	if out != "changed user north/bora: nickname\ncreated 0, changed 1, left 6\n" {
		t.Errorf("overwriting printed\n%s", out)
	}

	password := strings.TrimSpace(p.run(t, "user", "reset", "--tenant", "north", "ada"))
	north, err := p.Tenants.ByName(t.Context(), "north")
	if err != nil {
		t.Fatal(err)
	}
	ada, err := p.Users.ByName(t.Context(), north.ID, "ada")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := p.Users.PasswordHash(t.Context(), north.ID, ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	ok, err := identity.NewHasher().Verify(t.Context(), identity.PlatformRequester, stored, password)
	if err != nil || !ok {
		t.Errorf("the printed password is not valid: %v", err)
	}

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"delete", "device", "N-1", "--tenant", "north"}, "removed device north/N-1\n"},
		{[]string{"delete", "device", "--tenant", "north", "N-2"}, "removed device north/N-2\n"},
		{[]string{"delete", "user", "ADA", "--tenant", "north"}, "removed user north/ADA\n"},
		{[]string{"delete", "user", "bora", "--tenant", "north"}, "removed user north/bora\n"},
		{[]string{"delete", "scene", "Field", "--tenant", "north"}, "removed scene north/Field\n"},
		{[]string{"delete", "tenant", "north"}, "removed tenant north\n"},
	} {
		if out := p.run(t, c.args...); out != c.want {
			t.Errorf("%v printed %q", c.args, out)
		}
	}
	if all, err := p.Tenants.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("tenants left: %v, %v", all, err)
	}
}

// Each wrong line is reported as compilers do, and nothing is changed.
func TestApplyWrongFile(t *testing.T) {
	p := newProvider(t)
	const wrong = "tenants:\n  - name: north\n    timeZon: UTC\n    devices:\n      - {deviceName: A B, product: station}\n"
	path := farmFile(t, wrong)
	lines := []string{
		`:2: timeZone is missing: a new tenant needs one`,
		`:3: unknown key "timeZon"; known here: devices, diy, hosts, language, mailsADay, name, oidc, people, scenes, selfService, smsADay, timeZone, users`,
		`:5: deviceName must have 1 to 64 printable characters, without spaces and without , / + #`,
		`:5: product "station" is neither in this file nor on the server`,
	}
	for name, stdin := range map[string]io.Reader{path: nil, "-": strings.NewReader(wrong)} {
		stdout, stderr, err := runCommand(t, stdin, "apply", "-f", name, "--server", p.server.URL)
		if want := name + strings.Join(
			lines,
			"\n"+name,
		) + "\n"; stderr != want || stdout != "" ||
			!errors.Is(err, errSilent) {
			t.Errorf("printed\n%s%s\nwant\n%s\nended with %v", stdout, stderr, want, err)
		}
	}
	_, stderr, err := runCommand(
		t,
		nil,
		"apply",
		"-f",
		farmFile(t, strings.Repeat("- ", 5_000_000)),
		"--server", p.server.URL,
	)
	if !strings.HasSuffix(stderr, "farm.yaml: the file has too many parts: split it\n") || !errors.Is(err, errSilent) {
		t.Errorf("printed %s, ended with %v", stderr, err)
	}
	if all, err := p.Tenants.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("tenants were made: %v, %v", all, err)
	}
}

func TestApplyStandardInput(t *testing.T) {
	p := newProvider(t)
	stdout, _, err := runCommand(
		t,
		strings.NewReader("tenants: [{name: north, timeZone: UTC}]"),
		"apply",
		"-f",
		"-",
		"--server", p.server.URL+"/",
	)
	if err != nil || stdout != "created tenant north\ncreated 1, changed 0, left 0\n" {
		t.Errorf("printed %q, %v", stdout, err)
	}
}

// The command prints what was stored, secrets included, even if the running server could not load
// it; it reports that and fails.
func TestApplyReportsFailedReload(t *testing.T) {
	p := newProvider(t)
	if err := p.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		// A device of a product without properties needs no dictionary to be created, but the
		// running server needs it to load the device.
		_, err := tx.ExecContext(ctx, "ALTER TABLE property_numbers RENAME TO gone")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	const file = "products: [{name: plain}]\ntenants: [{name: north, timeZone: UTC, devices: [{deviceName: N-1, product: plain}]}]"
	stdout, _, err := runCommand(t, strings.NewReader(file), "apply", "-f", "-", "--server", p.server.URL)
	if !strings.Contains(stdout, "created device north/N-1  secret: ") || err == nil ||
		!strings.HasPrefix(err.Error(), "all of this is stored") {
		t.Errorf("printed %q, ended with %v", stdout, err)
	}
}

// Each failure is one line that helps.
func TestProviderCommandErrors(t *testing.T) {
	p := newProvider(t)
	t.Chdir(t.TempDir())
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect/provider-api/v1/delete":
			http.Redirect(w, r, p.server.URL+"/provider-api/v1/delete", http.StatusTemporaryRedirect)
		case "/ok/provider-api/v1/delete":
			_, _ = io.WriteString(w, "<html>")
		default:
			http.NotFound(w, r)
		}
	}))
	defer other.Close()
	large := farmFile(t, strings.Repeat("#", provider.MaxFile+1))
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no such file":     {[]string{"apply", "-f", "nowhere.yaml"}, "nowhere.yaml: no such file"},
		"no file":          {[]string{"apply"}, `required flag(s) "file" not set`},
		"large file":       {[]string{"apply", "-f", large}, "larger than 16 MiB"},
		"extra argument":   {[]string{"apply", "farm.yaml"}, "unknown command"},
		"no tenant":        {[]string{"delete", "device", "N-1"}, `required flag(s) "tenant" not set`},
		"no name":          {[]string{"delete", "tenant"}, "accepts 1 arg(s), received 0"},
		"no such kind":     {[]string{"delete", "tenant", "west", "--tenant", "north"}, "unknown flag: --tenant"},
		"not there":        {[]string{"delete", "tenant", "west"}, `there is no tenant "west" (404)`},
		"user not there":   {[]string{"user", "reset", "ada", "--tenant", "west"}, `there is no tenant "west" (404)`},
		"no server":        {[]string{"delete", "tenant", "west", "--server", "http://" + unusedAddr}, "is tilth serve running, and is this its admin address (--admin-addr)?"},
		"no address":       {[]string{"delete", "tenant", "west", "--server", "127.0.0.1:9090"}, "is not an http or https address"},
		"another server":   {[]string{"delete", "tenant", "west", "--server", other.URL}, "answered 404: is this the admin address?"},
		"another's answer": {[]string{"delete", "tenant", "west", "--server", other.URL + "/ok"}, "the answer is not the provider API's"},
		"elsewhere":        {[]string{"delete", "tenant", "west", "--server", other.URL + "/redirect"}, "answered 307"},
		"no token file":    {[]string{"delete", "tenant", "west", "--token-file", "nowhere"}, "--token-file: open nowhere"},
	} {
		args := c.args
		if !strings.Contains(strings.Join(args, " "), "--server") {
			args = append(args, "--server", p.server.URL)
		}
		stdout, _, err := runCommand(t, nil, args...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || stdout != "" {
			t.Errorf("%s: printed %q, ended with %v, want %s", name, stdout, err, c.want)
		}
	}
}

// The token comes from the named file, else from the environment, else from the data folder; never
// from a flag's value.
func TestProviderToken(t *testing.T) {
	p := newProvider(t)
	t.Chdir(t.TempDir())
	put := func(path, text string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ask := func(args ...string) string {
		t.Helper()
		_, _, err := runCommand(
			t,
			nil,
			append([]string{"delete", "tenant", "west", "--server", p.server.URL}, args...)...)
		if err == nil {
			t.Fatal("a tenant that does not exist was deleted")
		}
		return err.Error()
	}
	const known = `there is no tenant "west" (404)`
	refused := func(from string) string {
		return p.server.URL + " refuses the provider's token of " + from + ": the right one is in DATA/provider-token"
	}
	good := put("good", "\n"+providerToken+"\nanother-token-0123456789abcdef01234567\n")
	if got := ask(); got != known {
		t.Errorf("environment: %s", got)
	}
	got := ask("--token-file", put("bad", "wrong-token-0123456789abcdef0123456789\n"))
	if !strings.HasPrefix(got, refused("bad")) {
		t.Errorf("a named file comes before the environment: %s", got)
	}
	t.Setenv(client.TokenEnv, "wrong-token-0123456789abcdef0123456789")
	if got := ask(); !strings.HasPrefix(got, refused(client.TokenEnv)) || strings.Contains(got, "wrong-token") {
		t.Errorf("a wrong one in the environment: %s", got)
	}
	t.Setenv(client.TokenEnv, " ")
	if got := ask("--token-file", good); got != known {
		t.Errorf("named file: %s", got)
	}
	if got := ask("--token-file", put("empty", "\n")); got != "empty holds no token" {
		t.Errorf("empty file: %s", got)
	}
	if got := ask(); !strings.Contains(got, "set "+client.TokenEnv) {
		t.Errorf("no token at all: %s", got)
	}
	put("data/provider-token", providerToken+"\n")
	if got := ask(); got != known {
		t.Errorf("data folder: %s", got)
	}
	for _, c := range providerCommands() {
		if c.Flags().Lookup("token") != nil {
			t.Errorf("%s takes a token as a flag's value", c.Name())
		}
	}
}

// The command warns if a token would travel unencrypted over a network.
func TestUnencryptedWarning(t *testing.T) {
	t.Setenv(client.TokenEnv, providerToken)
	for server, warned := range map[string]bool{
		"http://127.0.0.1:9090": false, "http://localhost:9090": false, "http://[::1]:9090": false, "https://farm.example": false,
		"http://farm.example:9090": true, "http://192.0.2.1": true,
	} {
		var out bytes.Buffer
		c := &cobra.Command{}
		c.SetErr(&out)
		f := client.Flags{Server: server}
		if _, err := f.Client(c); err != nil {
			t.Fatal(err)
		}
		got := strings.Contains(out.String(), "unencrypted")
		if got != warned || strings.Contains(out.String(), providerToken) {
			t.Errorf("%s: %q", server, out.String())
		}
	}
}

// An interrupted command ends, even if the server does not.
func TestInterruptedCommandEnds(t *testing.T) {
	asked, end := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-end
	}))
	defer slow.Close()
	defer close(end)
	t.Setenv(client.TokenEnv, providerToken)
	client, err := (&client.Flags{Server: slow.URL}).Client(&cobra.Command{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, _, err := client.Post(ctx, "v1/delete", "application/json", []byte("{}"))
		done <- err
	}()
	testkit.Receive(t, "the request", asked)
	cancel()
	if err := testkit.Receive(t, "the command's end", done); !errors.Is(err, context.Canceled) {
		t.Errorf("the command ended with %v", err)
	}
}

// The command derives one device of a tenant after the other and prints what was done for each. It
// prints a refusal, and how to continue.
func TestDeriveCommand(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask wire.DeriveRequest
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || r.URL.Path != "/provider-api/v1/derive" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		asked++
		switch {
		case ask.Tenant == "empty":
			fmt.Fprint(w, `{"days":0,"values":0,"left":0}`)
		case ask.After == nil && *ask.Product == "mast" && ask.From.Format(time.DateOnly) == "2026-03-15":
			fmt.Fprint(w, `{"device":"M-1","days":30,"values":43200,"left":1}`)
		case ask.Tenant == "torn":
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"title":"Service Unavailable","detail":"the server is stopping"}`)
		case *ask.After == "M-1":
			fmt.Fprint(w, `{"device":"M-2","days":1,"values":1,"left":0}`)
		default:
			t.Errorf("asked %+v", ask)
		}
	}))
	defer server.Close()
	t.Setenv(client.TokenEnv, providerToken)
	for _, c := range []struct{ tenant, out, err string }{
		{"green", "M-1: 30 days, 43200 values written\nM-2: 1 day, 1 value written\n2 devices; 43201 values written\n", ""},
		{"empty", "no device of product \"mast\" has derived values\n", ""},
		{"torn", "M-1: 30 days, 43200 values written\n", `the server is stopping (503); go on with --after "M-1"`},
	} {
		out, _, err := runCommand(
			t,
			nil,
			"derive",
			"--tenant", c.tenant,
			"--product", "mast",
			"--from", "2026-03-15",
			"--server", server.URL,
		)
		if said := fmt.Sprint(err); out != c.out || c.err == "" && err != nil || c.err != "" && said != c.err {
			t.Errorf("%s: %q, %v", c.tenant, out, err)
		}
	}
	_, _, err := runCommand(t, nil, "derive", "--tenant", "green", "--from", "15.3.2026", "--server", server.URL)
	if err == nil || !strings.Contains(err.Error(), "--from") || asked != 5 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

// A command that calls the wrong port, or in the wrong way, says in one sentence what to check.
func TestWrongServerAddressesAreExplained(t *testing.T) {
	t.Setenv(client.TokenEnv, providerToken)
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	secure.StartTLS()
	defer secure.Close()
	host := func(s *httptest.Server) string { return s.Listener.Addr().String() }
	for name, c := range map[string]struct {
		ask  func() error
		want string
	}{
		"https on a plain port": {func() error {
			_, _, err := runCommand(t, nil, "delete", "tenant", "west", "--server", "https://"+host(plain))
			return err
		}, "what answers at https://" + host(plain) + " is not what was looked for: is this the admin address (--admin-addr) of tilth serve, with http or https"},
		"healthcheck of another server": {func() error {
			_, err := readiness(t.Context(), host(plain), nil)
			return err
		}, "what answers at http://" + host(plain) + " is not what was looked for: is this the console's address (--http-addr)"},
		"healthcheck of a TLS port": {func() error {
			_, err := readiness(t.Context(), host(secure), nil)
			return err
		}, "what answers at http://" + host(secure) + " is not what was looked for"},
		"healthcheck of nobody": {func() error {
			_, err := readiness(t.Context(), unusedAddr, nil)
			return err
		}, "no server answers at http://" + unusedAddr + ": is tilth serve running, and is this its console's address (--http-addr)?"},
		"backup into no folder": {func() error {
			_, err := command(t, "backup", "-o", filepath.Join(t.TempDir(), "none", "x.tar"), "--server", plain.URL)
			return err
		}, "--output: open "},
	} {
		if err := c.ask(); err == nil || !strings.HasPrefix(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
