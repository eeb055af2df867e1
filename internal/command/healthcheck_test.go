package command

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLocalHostPort(t *testing.T) {
	for addr, want := range map[string]string{
		"0.0.0.0:8080": "127.0.0.1:8080", ":80": "127.0.0.1:80", "[::]:8080": "[::1]:8080", "[::1]:8080": "[::1]:8080",
		"10.0.0.7:8080": "10.0.0.7:8080", "field.example:8080": "field.example:8080",
	} {
		if got := localHostPort(addr); got != want {
			t.Errorf("%s is reached at %s, want %s", addr, got, want)
		}
	}
}

// runHealthcheck runs the command and returns what it printed.
func runHealthcheck(args ...string) (string, error) {
	out := &strings.Builder{}
	c := healthcheckCommand()
	c.SilenceUsage, c.SilenceErrors = true, true
	c.SetOut(out)
	c.SetArgs(append([]string{}, args...)) // nil arguments would be those of the test
	err := c.Execute()
	return out.String(), err
}

// The address comes from where serve takes it, and the command prints the server's own answer.
func TestHealthcheckAsksWhereServeListens(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		w.WriteHeader(status)
		fmt.Fprintln(w, "says so")
	}))
	defer server.Close()
	addr := strings.TrimPrefix(server.URL, "http://")
	file := filepath.Join(t.TempDir(), "tilth.yaml")
	if err := os.WriteFile(file, []byte("http-addr: "+addr+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The command uses no proxy.
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	for _, args := range [][]string{{"--http-addr", addr}, {"--config", file}, {"--config=" + file}} {
		if said, err := runHealthcheck(args...); err != nil || said != "says so\n" {
			t.Errorf("%v: %q, %v", args, said, err)
		}
	}
	t.Setenv("TILTH_HTTP_ADDR", addr)
	if said, err := runHealthcheck(); err != nil || said != "says so\n" {
		t.Errorf("from the environment: %q, %v", said, err)
	}
	t.Run("a node of a cluster", func(t *testing.T) {
		for name, value := range map[string]string{
			"TILTH_CLUSTER": "true", "TILTH_DATABASE_URL": "postgres://db.example/tilth",
			"TILTH_PROXY_PROTOCOL": "127.0.0.1/32", "TILTH_HTTP_ADDR": "127.0.0.1:1", "TILTH_ADMIN_ADDR": addr,
		} {
			t.Setenv(name, value)
		}
		if said, err := runHealthcheck(); err != nil || said != "says so\n" {
			t.Errorf("%q, %v", said, err)
		}
	})
	status = http.StatusServiceUnavailable
	if said, err := runHealthcheck(); err == nil || said != "" || !strings.Contains(err.Error(), "says so") {
		t.Errorf("not ready: %q, %v", said, err)
	}
	server.Close()
	if _, err := runHealthcheck(); err == nil {
		t.Error("healthcheck succeeded although no server listens")
	}
	if _, err := runHealthcheck("--http-addr", "nowhere"); err == nil || !strings.Contains(err.Error(), "--http-addr") {
		t.Errorf("a wrong address: %v", err)
	}
}
