package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tilth/internal/domain/notify"
	"tilth/internal/edge/provider/wire"
	"tilth/internal/platform/archive"
	"tilth/internal/platform/db"
)

func backupCommand() *cobra.Command {
	var file string
	var at serverFlags
	c := &cobra.Command{
		Use:   "backup -o FILE",
		Short: "Write everything that a running server keeps to a file",
		Long: `Write everything that a running server keeps, as it is at one instant, to a file:
database, readings, and the key of the devices' secrets. The server goes on
meanwhile. The file is read back and compared with what the server says it sent
before it gets its name; a file that is there is not written over.

It holds passwords' hashes and people's addresses: keep it where only you can
read it. To make a server of it: tilth restore.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := at.client(c)
			if err != nil {
				return err
			}
			return backup(c, client, file, freeBytes)
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "the file to write, - for standard output (required)")
	at.declare(c)
	if err := c.MarkFlagRequired("output"); err != nil {
		panic(err) // the flag is declared above
	}
	return c
}

// spareBytes is what a backup, or what is made of one, leaves on its disk, which may
// be the one that a server writes to.
const spareBytes = 256 << 20

// freeSpaceFunc tells how much room there is on the disk of a folder, in bytes.
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

func backup(c *cobra.Command, client *providerClient, file string, room freeSpaceFunc) (err error) {
	if file == "-" {
		return client.download(c.Context(), "v1/backup", c.OutOrStdout(), nil)
	}
	partial := file + ".partial"
	f, err := openPartial(partial)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	m, err := fetchBackup(c.Context(), client, file, f, room)
	if err != nil {
		return errors.Join(err, finishAndClose(f, func() error { return os.Remove(partial) }))
	}
	if err := finishAndClose(f, func() error { return os.Rename(partial, file) }); err != nil {
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

// openPartial opens the file that a backup is written to before it gets its name, and
// takes it: another that wrote to it meanwhile could get half a backup the name of a
// whole one. What a killed one left in it is written over.
func openPartial(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if lockFile(f) != nil || !hasName(f, name) {
		return nil, errors.Join(fmt.Errorf("another backup is being written to %s", name), f.Close())
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// hasName tells whether an open file has its name, which the one who had it before may
// have changed.
func hasName(f *os.File, name string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(opened, named)
}

// fetchBackup writes the backup to f, which is to be file, and reads it back.
func fetchBackup(
	ctx context.Context,
	client *providerClient,
	file string,
	f *os.File,
	room freeSpaceFunc,
) (*archive.Manifest, error) {
	if _, err := os.Stat(file); err == nil {
		return nil, fmt.Errorf("--output: %s is there already", file)
	}
	err := client.download(ctx, "v1/backup", f, func(length int64) error {
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

// download writes what a call answers to w, unless before, which is told of how
// many bytes that is, fails; before may be nil.
func (p *providerClient) download(
	ctx context.Context,
	path string,
	w io.Writer,
	before func(length int64) error,
) error {
	res, err := p.do(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // it was read to its end, or failed
	if res.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		if err != nil {
			return err
		}
		return decodeAnswer(res.StatusCode, body, nil)
	}
	if before != nil && res.ContentLength >= 0 { // an earlier server does not say
		if err := before(res.ContentLength); err != nil {
			return err
		}
	}
	_, err = io.Copy(w, res.Body)
	return err
}

func restoreCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "restore FILE --data-dir DIR",
		Short: "Make a data folder of a backup",
		Long: `Make a data folder of what tilth backup wrote (- reads it from standard input),
bring it up to date for this version, and examine it. The folder must not be
there, or be empty. When anything is wrong, nothing is left of it. With
--database-url its database goes to PostgreSQL, where it must be a new one.

A server on that folder takes in readings and judges alarms, and its outbox holds
all mail, SMS and calls of webhooks until tilth outbox release: it may be a trial
beside the one that people rely on.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			address, err := databaseURL(c.Flags())
			if err != nil {
				return err
			}
			dir, err := dataFolder(c.Flags())
			if err != nil {
				return err
			}
			return restore(c, args[0], dir, address, freeBytes)
		},
	}
	c.Flags().String(folderFlag, "", "the folder to make (required, here or in "+variableOf(folderFlag)+")")
	declareDatabaseFlag(c.Flags())
	return c
}

func restore(c *cobra.Command, file, dir, address string, room freeSpaceFunc) (err error) {
	from, length := c.InOrStdin(), int64(-1)
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it was only read
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() {
			length = info.Size()
		}
		from = f
	}
	target, err := newRestoreTarget(dir)
	if err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, target.abort())
		}
	}()
	if length >= 0 {
		if err := checkFreeSpace(target.work, length, room); err != nil {
			return fmt.Errorf("--data-dir: %w", err)
		}
	}
	m, err := archive.Read(c.Context(), from, target.work, inBackup)
	if err != nil {
		return fmt.Errorf("%s: %w", file, explainNewerBackup(m, err))
	}
	waiting, err := holdOutbox(c.Context(), target.work)
	if err != nil {
		return fmt.Errorf("%s: %w", file, explainNewerBackup(m, err))
	}
	var examined bytes.Buffer // which would read like success before a refusal
	healthy, err := doctor(c.Context(), target.work, &examined)
	if err != nil {
		return fmt.Errorf("%s: %w", file, explainNewerBackup(m, err))
	}
	if !healthy {
		fmt.Fprint(c.OutOrStdout(), &examined)
		return fmt.Errorf("%s: what it holds contradicts itself, see above", file)
	}
	if address != "" {
		if err := db.Move(c.Context(), target.work, address); err != nil {
			return fmt.Errorf("--%s: %w", databaseFlag, err)
		}
	}
	if err := target.commit(); err != nil {
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

// explainNewerBackup says of a backup that a newer version made what to do: of the folder
// that its errors speak of nothing stays. Other errors it gives back.
func explainNewerBackup(m *archive.Manifest, err error) error {
	if !errors.Is(err, db.ErrNewer) && !errors.Is(err, archive.ErrNewer) {
		return err
	}
	return fmt.Errorf("it was made by a newer version of Tilth (%s, this is %s); nothing was restored. "+
		"Restore it with that version or a later one, or take a backup made before the upgrade", m.Version, Version)
}

// holdOutbox keeps what a folder's outbox has from leaving, and tells how many wait.
func holdOutbox(ctx context.Context, dir string) (waiting int, err error) {
	d, err := db.Open(ctx, dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return notify.Hold(ctx, d, time.Now())
}

func outboxCommand() *cobra.Command {
	var at serverFlags
	c := &cobra.Command{
		Use:   "release",
		Short: "Let mail, SMS and webhooks go that are held since a restore",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := at.client(c)
			if err != nil {
				return err
			}
			status, body, err := client.post(c.Context(), "v1/outbox/release", "application/json", nil)
			if err != nil {
				return err
			}
			var out wire.ReleaseResult
			if err := decodeAnswer(status, body, &out); err != nil {
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
	at.declare(c)
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
