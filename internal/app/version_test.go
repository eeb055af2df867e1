package app

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestCommitFromBuildInfo(t *testing.T) {
	for _, c := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, "unknown"},
		{[]debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "vcs.revision", Value: "12ab"}, {Key: "vcs.modified", Value: "false"}}, "12ab"},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "12ab"}, {Key: "vcs.modified", Value: "true"}}, "12ab and changes"},
	} {
		if got := commitOf(c.settings); got != c.want {
			t.Errorf("%v: %q, want %q", c.settings, got, c.want)
		}
	}
}

func TestVersionCommand(t *testing.T) {
	version, was := Version, Commit
	defer func() { Version, Commit = version, was }()
	Version, Commit = "1.2.3", "4f5e"
	out := &strings.Builder{}
	c := versionCommand()
	c.SetOut(out)
	c.SetArgs([]string{}) // nil: those of the test
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	want := "tilth 1.2.3\ncommit 4f5e\n" + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out, want)
	}
}
