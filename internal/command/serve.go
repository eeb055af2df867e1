package command

import (
	"errors"

	"github.com/spf13/cobra"

	"tilth/internal/app"
	"tilth/internal/settings"
)

func serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: "Run the server. Each setting comes from its flag, else from its environment variable\n" +
			"(TILTH_ and the flag's name: TILTH_HTTP_ADDR), else from the file given with --config.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			set, err := settings.Read(c.Flags())
			if err != nil {
				return err
			}
			logger := set.Logger()
			defer app.LimitStop(c.Context(), logger)()
			s, err := app.New(c.Context(), set, logger)
			if err != nil {
				return err
			}
			err = s.Run(c.Context(), nil, nil)
			if errors.Is(err, app.ErrRestartDue) && c.Context().Err() == nil {
				return errors.Join(err, restartProcess(logger))
			}
			return err
		},
	}
	settings.AddFlags(c.Flags())
	return c
}
