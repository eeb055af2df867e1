package app

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version and Commit are set when a release is built.
var (
	Version = "0.1.0-dev"
	Commit  = ""
)

// commit is what the program was built from; "unknown" outside of a repository.
func commit() string {
	if Commit != "" {
		return Commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return commitOf(info.Settings)
}

// commitOf is what Go itself noted at the build.
func commitOf(settings []debug.BuildSetting) string {
	revision, changed := "unknown", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " and changes"
		}
	}
	return revision + changed
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, the commit it was built from, and by which Go", Args: cobra.NoArgs,
		Run: func(c *cobra.Command, _ []string) {
			fmt.Fprintf(
				c.OutOrStdout(),
				"tilth %s\ncommit %s\n%s %s/%s\n",
				Version,
				commit(),
				runtime.Version(),
				runtime.GOOS,
				runtime.GOARCH,
			)
		},
	}
}
