package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tilth/internal/command/client"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/provider/wire"
	"tilth/internal/platform/archive"
	"tilth/internal/platform/datafolder"
	"tilth/internal/platform/db"
	"tilth/internal/server"
	"tilth/internal/settings"
)

func backupCommand() *cobra.Command {
	var file string
	var at client.Flags
	c := &cobra.Command{
		Use:   "backup -o FILE",
		Short: "Write all data of a running server to a file",
		Long: `Write all data of a running server, as it is at one instant, to a file: database,
readings, and the key of the devices' secrets. The server continues meanwhile.
The command reads the file back and compares it with what the server says it
sent before the file gets its name. It does not overwrite an existing file.

The file holds password hashes and people's addresses: keep it where only you
can read it. tilth restore makes a data folder of it.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			remote, err := at.Client(c)
			if err != nil {
				return err
			}
			return backup(c, remote, file, datafolder.FreeBytes)
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "the file to write, - for standard output (required)")
	at.Add(c)
	if err := c.MarkFlagRequired("output"); err != nil {
		panic(err) // the flag is declared above
	}
	return c
}

// spareBytes is the free space that a backup or a restore leaves on its disk, which may be the disk
// that a server writes to.
const spareBytes = 256 << 20

// freeSpaceFunc returns the free space on the disk of a folder, in bytes.
type freeSpaceFunc func(dir string) (uint64, error)

// checkFreeSpace refuses what would fill the disk of a folder.
func checkFreeSpace(dir string, bytes int64, room freeSpaceFunc) error {
	free, err := room(dir)
	if err != nil {
		return err
	}
	if free < uint64(bytes)+spareBytes {
		return fmt.Errorf(
			"%s are needed, and %s to spare; on the disk of %s %s are free",
			formatBytes(bytes),
			formatBytes(spareBytes),
			dir,
			formatBytes(int64(free)),
		)
	}
	return nil
}

func backup(c *cobra.Command, remote *client.Client, file string, room freeSpaceFunc) (err error) {
	if file == "-" {
		return remote.Download(c.Context(), "v1/backup", c.OutOrStdout(), nil)
	}
	partial := file + ".partial"
	f, err := openPartial(partial)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	m, err := fetchBackup(c.Context(), remote, file, f, room)
	if err != nil {
		return errors.Join(err, datafolder.FinishAndClose(f, func() error { return os.Remove(partial) }))
	}
	if err := datafolder.FinishAndClose(f, func() error { return os.Rename(partial, file) }); err != nil {
		return err
	}
	fmt.Fprintf(
		c.OutOrStdout(),
		"%s: %d files, %s, as of %s; read back and whole\n",
		file,
		len(m.Files),
		formatBytes(m.Size()),
		m.Time.Format(time.RFC3339),
	)
	return nil
}

// openPartial opens the file that a backup is written to before it gets its name, and locks it: if
// two backups wrote to it, half a backup could get the name of a whole one. It overwrites what a
// killed backup left in the file.
func openPartial(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if datafolder.LockFile(f) != nil || !hasName(f, name) {
		return nil, errors.Join(fmt.Errorf("another backup is being written to %s", name), f.Close())
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// hasName reports whether an open file still has its name. Another backup may have renamed it.
func hasName(f *os.File, name string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(opened, named)
}

// fetchBackup writes the backup to f, which is renamed to file later, and reads it back.
func fetchBackup(
	ctx context.Context,
	remote *client.Client,
	file string,
	f *os.File,
	room freeSpaceFunc,
) (*archive.Manifest, error) {
	if _, err := os.Stat(file); err == nil {
		return nil, fmt.Errorf("--output: %s is there already", file)
	}
	err := remote.Download(ctx, "v1/backup", f, func(length int64) error {
		if err := checkFreeSpace(filepath.Dir(file), length, room); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return archive.Read(ctx, f, "", nil)
}

func restoreCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "restore FILE --data-dir DIR",
		Short: "Make a data folder from a backup",
		Long: `Make a data folder from a file that tilth backup wrote (- reads it from standard
input), update it for this version, and examine it. The folder must not exist, or
must be empty. If anything is wrong, the command leaves nothing of it. With
--database-url the database goes to PostgreSQL, where it must be a new one.

A server on that folder accepts readings and evaluates alarms. Its outbox holds
all mail, SMS and calls of webhooks until tilth outbox release, and it connects to
no broker of Home Assistant before, so that it may be a trial beside the server
that people rely on.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			address, err := settings.DatabaseURL(c.Flags())
			if err != nil {
				return err
			}
			dir, err := settings.DataDir(c.Flags())
			if err != nil {
				return err
			}
			return restore(c, args[0], dir, address, datafolder.FreeBytes)
		},
	}
	c.Flags().String(
		settings.DataDirFlag,
		"",
		"the folder to make (required, here or in "+settings.Variable(settings.DataDirFlag)+")",
	)
	settings.AddDatabaseFlag(c.Flags())
	return c
}

func restore(c *cobra.Command, file, dir, address string, room freeSpaceFunc) (err error) {
	from, length := c.InOrStdin(), int64(-1)
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // only read
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() {
			length = info.Size()
		}
		from = f
	}
	target, err := datafolder.NewRestoreTarget(dir)
	if err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, target.Abort())
		}
	}()
	if length >= 0 {
		if err := checkFreeSpace(target.Work, length, room); err != nil {
			return fmt.Errorf("--data-dir: %w", err)
		}
	}
	m, err := archive.Read(c.Context(), from, target.Work, datafolder.InBackup)
	if err != nil {
		return fmt.Errorf("%s: %w", file, explainNewerBackup(m, err))
	}
	waiting, err := holdOutbox(c.Context(), target.Work)
	if err != nil {
		return fmt.Errorf("%s: %w", file, explainNewerBackup(m, err))
	}
	var examined bytes.Buffer // printed only at the end: before a refusal it would read like success
	healthy, err := doctor(c.Context(), target.Work, &examined)
	if err != nil {
		return fmt.Errorf("%s: %w", file, explainNewerBackup(m, err))
	}
	if !healthy {
		fmt.Fprint(c.OutOrStdout(), &examined)
		return fmt.Errorf("%s: what it holds contradicts itself, see above", file)
	}
	if address != "" {
		if err := db.Move(c.Context(), target.Work, address); err != nil {
			return fmt.Errorf("--%s: %w", settings.DatabaseFlag, err)
		}
	}
	if err := target.Commit(); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	fmt.Fprintf(
		c.OutOrStdout(),
		"%s%s: as of %s, by tilth %s. Mail, SMS and webhooks are held (%d waiting): tilth outbox release lets them go.\n",
		&examined,
		filepath.Clean(dir),
		m.Time.Format(time.RFC3339),
		m.Version,
		waiting,
	)
	return nil
}

// explainNewerBackup says what to do about a backup that a newer version made: the folder that the
// original error names no longer exists. It returns other errors as they are.
func explainNewerBackup(m *archive.Manifest, err error) error {
	if !errors.Is(err, db.ErrNewer) && !errors.Is(err, archive.ErrNewer) {
		return err
	}
	return fmt.Errorf("it was made by a newer version of Tilth (%s, this is %s); nothing was restored. "+
		"Restore it with that version or a later one, or take a backup made before the upgrade", m.Version, server.Version)
}

// holdOutbox holds the outbox of a data folder, and returns how many messages wait in it.
func holdOutbox(ctx context.Context, dir string) (waiting int, err error) {
	d, err := db.Open(ctx, dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := tenant.Hold(ctx, d, time.Now()); err != nil {
		return 0, err
	}
	return notify.CountQueued(ctx, d)
}

func outboxCommand() *cobra.Command {
	var at client.Flags
	c := &cobra.Command{
		Use:   "release",
		Short: "Release mail, SMS and webhooks that are held since a restore",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			remote, err := at.Client(c)
			if err != nil {
				return err
			}
			status, body, err := remote.Post(c.Context(), "v1/outbox/release", "application/json", nil)
			if err != nil {
				return err
			}
			var out wire.ReleaseResult
			if err := client.Decode(status, body, &out); err != nil {
				return err
			}
			if !out.Held {
				fmt.Fprintln(c.OutOrStdout(), "nothing was held")
				return nil
			}
			fmt.Fprintf(c.OutOrStdout(), "released; %d were waiting\n", out.Waiting)
			return nil
		},
	}
	at.Add(c)
	return group("outbox", "Work on mail, SMS and webhooks that wait", c)
}

// formatBytes writes bytes for people.
func formatBytes(bytes int64) string {
	const unit = 1024
	switch {
	case bytes >= unit*unit*unit:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(unit*unit*unit))
	case bytes >= unit*unit:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(unit*unit))
	}
	return fmt.Sprintf("%d bytes", bytes)
}
