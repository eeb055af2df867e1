package app

import (
	"github.com/spf13/cobra"
)

func serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: "Run the server. Each setting comes from its flag, else from its environment variable\n" +
			"(TILTH_ and the flag's name: TILTH_HTTP_ADDR), else from the file given with --config.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			set, err := readSettings(c.Flags())
			if err != nil {
				return err
			}
			s, err := newServer(c.Context(), set, set.logger())
			if err != nil {
				return err
			}
			return s.Run(c.Context(), nil, nil)
		},
	}
	serveFlags(c.Flags())
	return c
}
