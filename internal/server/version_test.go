package server

import (
	"runtime/debug"
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
