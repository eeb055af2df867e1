package command

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tilth/internal/cluster"
	"tilth/internal/domain/reading"
	"tilth/internal/settings"
)

// examineArchive examines the archive of a cluster's database.
func examineArchive(c *cobra.Command) (err error) {
	address, err := settings.DatabaseURL(c.Flags())
	if err != nil {
		return err
	}
	if address == "" {
		return fmt.Errorf("--archive: name the cluster's database with --%s", settings.DatabaseFlag)
	}
	reader := cluster.NewArchiveReader(address)
	defer func() { err = errors.Join(err, reader.Close()) }()
	f, err := reading.ExamineArchive(c.Context(), reader, time.Time{}.AddDate(-10_000, 0, 0), true)
	if err != nil {
		return fmt.Errorf("--archive: %w", err)
	}
	out := c.OutOrStdout()
	fmt.Fprintf(out, "Archive   %d days of devices on %d days, %s\n", f.DeviceDays, f.Days, formatBytes(f.Bytes))
	if f.Complete {
		fmt.Fprintf(out, "Position  everything up to entry %d; what came later is in the log\n", f.Position)
	} else {
		fmt.Fprintln(out, "Position  none yet: no node can begin with it")
	}
	for _, p := range f.Problems {
		fmt.Fprintln(out, "WRONG    ", p)
	}
	if more := f.Total - len(f.Problems); more > 0 {
		fmt.Fprintf(out, "WRONG     %d more\n", more)
	}
	if f.Total > 0 {
		fmt.Fprintln(out, "The node that leads writes them anew within minutes; then examine again.")
		return errSilent
	}
	fmt.Fprintln(out, "Everything can be read back.")
	return nil
}
