package app

import (
	"os"
	"testing"

	"github.com/spf13/pflag"

	"tilth/internal/settings"
	"tilth/internal/tools/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.RunServerTests(m)) }

// parseArgs reads the settings that serve would read, given these arguments.
func parseArgs(t *testing.T, args ...string) (*settings.Server, error) {
	t.Helper()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	settings.AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return settings.Read(flags)
}
