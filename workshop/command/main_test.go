package command

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"tilth/internal/tools/testkit/program"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := program.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// tilth is the path of the tilth that the commands start.
func tilth(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts whole servers")
	}
	path, err := program.Tilth()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// try runs a command line.
func try(t *testing.T, args ...string) (string, error) {
	t.Helper()
	c := root()
	var out bytes.Buffer
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&out)
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

// workshop runs a command line, which must succeed, and returns what it prints.
func workshop(t *testing.T, args ...string) string {
	t.Helper()
	out, err := try(t, args...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", args, err, out)
	}
	return out
}

func wantParts(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(out, part) {
			t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
}

// A command names what it cannot run.
func TestRefusedFlags(t *testing.T) {
	t.Parallel()
	alarm, live, telling := "alarm --devices 3 --values 2 ", "live --screens 20 --tenants 3 --slow 2 ", "telling --tenants 2 --notices 6 "
	for line, want := range map[string]string{
		"ingst":                                      `unknown command "ingst"`,
		"ingest --connections 0":                     "--connections: 1 or more",
		"ingest --values 65":                         "--values: 1 to 64",
		"ingest --connections 5 --devices 6":         "--devices: from 1",
		"ingest --connections 33 --devices 2":        "16 connections, so 2 are too few",
		"ingest --duration 0s":                       "--duration",
		"ingest --idle -1":                           "--idle: 1 or more",
		"ingest --idle 5 --peer-mqtt 127.0.0.1:1":    "--idle: 1 or more",
		"ingest --protocol 3":                        "--protocol: 4 or 5",
		"ingest --window 1,0":                        "--window: 1 to 65535",
		"ingest --mqtt 127.0.0.1:1883":               "all of them, or none",
		"ingest --server x --mqtt y:1 --file z":      `--server: "x" is not`,
		"ingest --server http://x --mqtt y --file z": "--file: open z",
		"ingest --connections 2000000000":            "open files",
		"ingest --binary none --connections 1":       "none",
		"ingest --dir none --connections 1":          "none",
		"file --devices 0":                           "--devices: 1 or more",
		alarm + "--rules 7":                          "--rules:",
		alarm + "--rules 9":                          "--rules:",
		alarm + "--rules 6 --rate 0":                 "--rate, --turns:",
		alarm + "--rules 6 --duration 0s":            "--duration:",
		alarm + "--rules 6 --window 0":               "--window:",
		"alarm --devices 0":                          "--devices:",
		"alarm --values 99":                          "--values:",
		"history --days 7":                           "--days:",
		"history --days 35":                          "--days:",
		"history --devices 0":                        "--devices:",
		"history --asks 0":                           "--asks:",
		"history --peers sqlite=x":                   "--peers:",
		"history --peers influxdb":                   "--peers: influxdb: its address is missing",
		"history --year-devices -1":                  "--year-devices:",
		"history --year-asks 0":                      "--year-asks:",
		live + "--screens 2":                         "2 screens cannot",
		live + "--busy 0":                            "need a busy tenant",
		live + "--duration 0s":                       "some time",
		live + "--values 65":                         "--values:",
		live + "--binary none":                       "none",
		telling + "--notices 5":                      "5 notices cannot",
		telling + "--hold 20s":                       "a volley is needed",
		telling + "--values 65":                      "--values:",
		telling + "--digest-after 0,-1":              "no fewer than 0",
		telling + "--binary none --dir none":         "none",
		"neighbours --only weather":                  `no attack is called "weather"`,
		"neighbours --sample --dir none":             "--dir:",
		"cluster --rounds -1":                        "--rounds:",
		"cluster --duration 0s":                      "--duration:",
		"cluster --rate 0":                           "--rate:",
		"cluster --values 65":                        "--values:",
		"cluster --takeovers 5,0":                    "--takeovers:",
		"cluster --times 0":                          "--times:",
		"cluster --ruled-share 0":                    "--ruled-share:",
		"cluster --dir none":                         "--dir:",
		"torture -rounds 0":                          "-rounds and -crowd",
		"torture -only flood":                        `"flood"`,
		"torture -cluster -only flood":               `"flood"`,
		"torture -wet":                               "-wet",
	} {
		if out, err := try(t, strings.Fields(line)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q\n%s", line, err, want, out)
		}
	}
}
