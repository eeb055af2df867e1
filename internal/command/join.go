package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tilth/internal/command/client"
	"tilth/internal/platform/archive"
	"tilth/internal/platform/datafolder"
	"tilth/internal/settings"
)

func joinCommand() *cobra.Command {
	var at client.Flags
	var again bool
	var from archiveSource
	c := &cobra.Command{
		Use:   "join --from URL | --from-archive --data-dir DIR",
		Short: "Make this machine a node of a cluster",
		Long: `Make this machine a node of a cluster: take the platform's key, the mark of the
database, the provider's token and the readings from a node that runs, into a data
folder that does not exist or is empty. Then start the server with --cluster. Name
the node that leads, or the balancer.

With --from-archive no node is needed: the folder begins with what PostgreSQL has,
the latest values and the log at once, and the sealed days while the node runs. The
platform's key, which PostgreSQL does not have, comes from another node's folder or
from a backup.

With --again the folder is that of a node which can no longer follow the log: its
readings are set aside and replaced. Stop its server first.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := settings.DataDir(c.Flags())
			if err != nil {
				return err
			}
			seed, err := chooseSeed(c, &at, &from)
			if err != nil {
				return err
			}
			if again {
				return joinAgain(c, seed, dir)
			}
			return join(c, seed, dir)
		},
	}
	at.AddFrom(c)
	c.Flags().String(settings.DataDirFlag, "",
		"the folder to make (required, here or in "+settings.Variable(settings.DataDirFlag)+")")
	c.Flags().BoolVar(&again, "again", false, "replace the readings of a node that cannot follow the log any more")
	from.addFlags(c)
	return c
}

// seed is where a node begins with. take puts it into a folder, and says what it is.
type seed interface {
	take(c *cobra.Command, dir string) (what string, err error)
	// shared are the files that must be those of a node's folder which is seeded anew.
	shared() []string
}

// chooseSeed returns the seed that the flags name.
func chooseSeed(c *cobra.Command, at *client.Flags, from *archiveSource) (seed, error) {
	named := c.Flags().Changed("from")
	switch {
	case from.use && named:
		return nil, errors.New("--from and --from-archive: name one of them")
	case from.use:
		return from, from.read(c)
	case !named:
		return nil, errors.New("--from: name a node that runs, or begin with --from-archive")
	}
	remote, err := at.Client(c)
	return nodeSeed{remote}, err
}

// join makes a new data folder.
func join(c *cobra.Command, from seed, dir string) (err error) {
	target, err := datafolder.NewRestoreTarget(dir)
	if err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, target.Abort())
		}
	}()
	what, err := from.take(c, target.Work)
	if err != nil {
		return err
	}
	if err := target.Commit(); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	fmt.Fprintf(
		c.OutOrStdout(),
		"%s: %s. Start the server with --cluster and the cluster's --database-url.\n",
		filepath.Clean(dir),
		what,
	)
	return nil
}

// joinAgain replaces the readings of a node, and keeps the former ones beside them.
func joinAgain(c *cobra.Command, from seed, dir string) (err error) {
	lock, err := datafolder.LockFolder(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	work, err := os.MkdirTemp(dir, "joining-")
	if err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	what, err := from.take(c, work)
	if err != nil {
		return err
	}
	for _, name := range from.shared() {
		if err := refuseOther(dir, work, name); err != nil {
			return err
		}
	}
	readings := filepath.Join(dir, "readings")
	aside := filepath.Join(dir, "readings-aside-"+time.Now().UTC().Format("20060102T150405Z"))
	if err := os.Rename(readings, aside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("--data-dir: %w", err)
	}
	if err := os.Rename(filepath.Join(work, "readings"), readings); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	fmt.Fprintf(
		c.OutOrStdout(),
		"%s: %s. The former readings are in %s: remove them once you need them no more.\n",
		filepath.Clean(dir),
		what,
		aside,
	)
	return nil
}

// refuseOther refuses a seed of another cluster than that of the folder.
func refuseOther(dir, work, name string) error {
	mine, err := datafolder.TextFile(filepath.Join(dir, name)).Read()
	if err != nil {
		return fmt.Errorf("--data-dir: %w: --again is for the folder of a node", err)
	}
	theirs, err := datafolder.TextFile(filepath.Join(work, name)).Read()
	if err != nil {
		return err
	}
	if mine != theirs {
		return fmt.Errorf(
			"--from: that node belongs to another cluster than %s (%s differs)",
			filepath.Clean(dir),
			name,
		)
	}
	return nil
}

// nodeSeed is the seed that a running node makes.
type nodeSeed struct{ remote *client.Client }

func (nodeSeed) shared() []string { return []string{datafolder.KeyFile, datafolder.SharedFiles[0]} }

// take unpacks what a node needs into a folder.
func (s nodeSeed) take(c *cobra.Command, dir string) (string, error) {
	m, err := fetchSeed(c, s.remote, dir)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d files, %s", len(m.Files), formatBytes(m.Size())), nil
}

func fetchSeed(c *cobra.Command, remote *client.Client, dir string) (*archive.Manifest, error) {
	r, w := io.Pipe()
	downloaded := make(chan error, 1)
	go func() {
		err := remote.Download(c.Context(), "v1/seed", w, func(length int64) error {
			if err := checkFreeSpace(dir, length, datafolder.FreeBytes); err != nil {
				return fmt.Errorf("--data-dir: %w", err)
			}
			return nil
		})
		w.CloseWithError(err)
		downloaded <- err
	}()
	m, err := archive.Read(c.Context(), r, dir, datafolder.InSeed)
	_ = r.CloseWithError(errUnpacked) // ends the download if the archive could not be unpacked
	if e := <-downloaded; e != nil && !errors.Is(e, errUnpacked) {
		return nil, fmt.Errorf("--from: %w", e)
	}
	if err != nil {
		return nil, fmt.Errorf("--from: %w", explainNewerBackup(m, err))
	}
	return m, nil
}

// errUnpacked ends a download of which nothing more is read.
var errUnpacked = errors.New("the archive was read")
