package command

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tilth/internal/platform/datafolder"
	"tilth/internal/server"
	"tilth/internal/settings"
)

// archiveSource is the seed that PostgreSQL has: the archive of sealed days, and the log.
type archiveSource struct {
	use        bool
	key, token string // files to copy
	again      bool
	address    string
}

func (s *archiveSource) addFlags(c *cobra.Command) {
	c.Flags().BoolVar(&s.use, "from-archive", false, "begin with what PostgreSQL has; no node need run")
	c.Flags().StringVar(
		&s.key,
		"device-key",
		"",
		"with --from-archive: the file device-key of another node's folder, or of a backup",
	)
	settings.AddDatabaseFlag(c.Flags())
}

// read reads what the flags say.
func (s *archiveSource) read(c *cobra.Command) (err error) {
	if s.again, err = c.Flags().GetBool("again"); err != nil {
		return err
	}
	if c.Flags().Changed("token-file") { // its default is for a running node
		if s.token, err = c.Flags().GetString("token-file"); err != nil {
			return err
		}
	}
	if s.address, err = settings.DatabaseURL(c.Flags()); err != nil {
		return err
	}
	switch {
	case s.address == "":
		return fmt.Errorf("--from-archive: name the cluster's database with --%s", settings.DatabaseFlag)
	case s.key == "" && !s.again:
		return errors.New("--device-key: name the file device-key of another node's folder, or of a backup " +
			"(tar -xf BACKUP device-key): without it no device gets in")
	}
	return nil
}

func (s *archiveSource) shared() []string { return datafolder.SharedFiles[:1] }

// take begins a folder with the archive.
func (s *archiveSource) take(c *cobra.Command, dir string) (string, error) {
	if !s.again {
		if err := datafolder.CopyKey(s.key, dir); err != nil {
			return "", fmt.Errorf("--device-key: %w", err)
		}
	}
	if s.token != "" && !s.again {
		text, err := os.ReadFile(s.token)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(datafolder.SharedFiles[1])), text, 0o600)
		}
		if err != nil {
			return "", fmt.Errorf("--token-file: %w", err)
		}
	}
	f, err := server.FillFolder(c.Context(), dir, s.address, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", fmt.Errorf("--from-archive: %w", err)
	}
	return fmt.Sprintf("the latest values of %d devices, up to entry %d of the log; %d days follow while the node runs",
		f.Devices, f.Position, f.Days), nil
}
