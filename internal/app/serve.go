package app

import (
	"context"
	"errors"

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
			logger := set.logger()
			stopped := make(chan struct{})
			defer close(stopped)
			defer context.AfterFunc(c.Context(), func() { exitIfHanging(stopped, stopTimeout-exitMargin, logger) })()
			s, err := newServer(c.Context(), set, logger)
			if err != nil {
				return err
			}
			err = s.Run(c.Context(), nil, nil)
			if errors.Is(err, errRestartDue) && c.Context().Err() == nil {
				return errors.Join(err, restartProcess(logger))
			}
			return err
		},
	}
	serveFlags(c.Flags())
	return c
}
