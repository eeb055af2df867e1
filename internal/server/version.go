package server

import (
	"runtime/debug"
)

// Version and Commit are set when a release is built.
var (
	Version = "0.1.0-dev"
	Commit  = ""
)

// BuiltFrom is the commit that the program was built from; "unknown" outside a repository.
func BuiltFrom() string {
	if Commit != "" {
		return Commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return commitOf(info.Settings)
}

// commitOf is the commit that Go noted at the build.
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
