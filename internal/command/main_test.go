package command

import (
	"bytes"
	"strings"
	"testing"
)

// An unknown command fails, at any depth and with any flags.
func TestUnknownCommands(t *testing.T) {
	for line, want := range map[string]string{
		"appply":                            `unknown command "appply" for "tilth"`,
		"outbox relase":                     `unknown command "relase" for "tilth outbox"`,
		"outbox relase --server http://a:1": `unknown command "relase" for "tilth outbox"`,
		"user rest ada --tenant north":      `unknown command "rest" for "tilth user"`,
		"delete devise X":                   `unknown command "devise" for "tilth delete"`,
		"outbox --server http://a:1":        "unknown flag: --server",
		"delete device X --tnant north":     "unknown flag: --tnant",
	} {
		if _, err := command(t, strings.Fields(line)...); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("tilth %s: %v, want %s", line, err, want)
		}
	}
	if _, err := command(t, "outbox", "relase"); err == nil || !strings.Contains(err.Error(), "\trelease") {
		t.Errorf("nothing is suggested: %v", err)
	}
	for _, group := range []string{"outbox", "user", "delete"} {
		if out, err := command(t, group); err != nil || !strings.Contains(out, "Available Commands:") {
			t.Errorf("tilth %s: %v\n%s", group, err, out)
		}
	}
}

// command runs a command line of the whole program.
func command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	c := root()
	var out bytes.Buffer
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&out)
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}
