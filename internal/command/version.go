package command

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"tilth/internal/server"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit it was built from, and the version of Go",
		Args:  cobra.NoArgs,
		Run: func(c *cobra.Command, _ []string) {
			fmt.Fprintf(
				c.OutOrStdout(),
				"tilth %s\ncommit %s\n%s %s/%s\n",
				server.Version,
				server.BuiltFrom(),
				runtime.Version(),
				runtime.GOOS,
				runtime.GOARCH,
			)
		},
	}
}
