package command

import (
	"runtime"
	"strings"
	"testing"

	"tilth/internal/server"
)

func TestVersionCommand(t *testing.T) {
	version, was := server.Version, server.Commit
	defer func() { server.Version, server.Commit = version, was }()
	server.Version, server.Commit = "1.2.3", "4f5e"
	out := &strings.Builder{}
	c := versionCommand()
	c.SetOut(out)
	c.SetArgs([]string{}) // nil would mean the arguments of the test
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	want := "tilth 1.2.3\ncommit 4f5e\n" + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out, want)
	}
}
