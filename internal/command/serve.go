package command

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"tilth/internal/server"
	"tilth/internal/settings"
)

// run runs one server alone, or a node of a cluster.
func run(ctx context.Context, set *settings.Server, logger *slog.Logger) error {
	if set.Cluster.Node {
		return server.RunNode(ctx, set, logger)
	}
	s, err := server.New(ctx, set, logger)
	if err != nil {
		return err
	}
	return s.Run(ctx, nil, nil)
}

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
			defer server.LimitStop(c.Context(), logger)()
			err = run(c.Context(), set, logger)
			beginAnew := errors.Is(err, server.ErrRestartDue) || errors.Is(err, server.ErrBeginAnew)
			if beginAnew && c.Context().Err() == nil {
				logger.Warn("the server begins anew", "reason", err)
				return errors.Join(err, restartProcess(logger))
			}
			return err
		},
	}
	settings.AddFlags(c.Flags())
	return c
}
