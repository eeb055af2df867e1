package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/datafolder"
	"tilth/internal/platform/db"
	"tilth/internal/server"
	"tilth/internal/settings"
)

func doctorCommand() *cobra.Command {
	var archived bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Examine a data folder that no server has open",
		Long: `Read everything in a data folder and report what is damaged, what contradicts
itself, and which readings belong to no device. The command changes nothing. Stop
the server first, or examine a copy of the folder. The exit code is 1 if
something is wrong.

With --archive it reads a cluster's archive of sealed days in PostgreSQL instead,
while nodes run or not, and asks the node that leads to write anew what is damaged.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if archived {
				return examineArchive(c)
			}
			dir, err := settings.DataDir(c.Flags())
			if err != nil {
				return err
			}
			address, err := settings.DatabaseURL(c.Flags())
			if err != nil {
				return err
			}
			if err := datafolder.Require(dir); err != nil {
				return err
			}
			d, err := openDatabaseReadOnly(c.Context(), dir, address)
			if err != nil {
				return server.ExplainDamage(dir, err)
			}
			healthy, err := examine(c.Context(), d, dir, c.OutOrStdout())
			if err == nil && !healthy {
				err = errSilent
			}
			return server.ExplainDamage(dir, err)
		},
	}
	c.Flags().String(settings.DataDirFlag, "./data", "folder to examine")
	c.Flags().BoolVar(&archived, "archive", false, "examine the archive of a cluster's database instead")
	settings.AddDatabaseFlag(c.Flags())
	return c
}

// doctor examines a data folder that holds its own database.
func doctor(ctx context.Context, dir string, out io.Writer) (healthy bool, err error) {
	d, err := db.OpenToRead(ctx, dir)
	if err != nil {
		return false, err
	}
	return examine(ctx, d, dir, out)
}

// examine prints what it finds, and closes the database; healthy is false when
// something is wrong.
func examine(ctx context.Context, d *db.DB, dir string, out io.Writer) (healthy bool, err error) {
	defer func() { err = errors.Join(err, d.Close()) }()
	problems, err := d.Examine(ctx)
	if err != nil {
		return false, fmt.Errorf("examine the database: %w", err)
	}
	pages, err := device.ExaminePages(ctx, d)
	if err != nil {
		return false, err
	}
	problems = append(problems, pages...)
	refs, err := device.NewStore(d, nil).Refs(ctx)
	if err != nil {
		return false, fmt.Errorf("read the devices: %w", err)
	}
	readings := filepath.Join(dir, "readings")
	if _, err := os.Stat(readings); err != nil {
		return false, err
	}
	evaluated, err := evaluatedPosition(ctx, d)
	if err != nil {
		return false, err
	}
	f, err := reading.Examine(ctx, readings, evaluated, func(r device.Ref) bool { return refs[r] })
	if err != nil {
		return false, err
	}
	fmt.Fprintf(out, "Database  %d devices\n", len(refs))
	fmt.Fprintf(
		out,
		"Readings  %d values of %d devices on %d days: %d frames sealed in %d parts, %d frames not sealed\n",
		f.Values,
		f.Devices,
		f.Days,
		f.Sealed,
		f.Segments,
		f.Frames,
	)
	fmt.Fprintf(out, "Journal   %d entries\n", f.Entries)
	if f.Missing > 0 {
		fmt.Fprintf(out, "Missing   %d days, which this node has not fetched from the archive yet\n", f.Missing)
	}
	key, err := datafolder.ExamineKey(ctx, d, dir)
	if err != nil {
		return false, err
	}
	if key != "" {
		fmt.Fprintln(out, "WRONG     key:", key)
	}
	for _, p := range problems {
		fmt.Fprintln(out, "WRONG     database:", p)
	}
	for _, p := range f.Problems {
		fmt.Fprintln(out, "WRONG     readings:", p)
	}
	if more := f.Total - len(f.Problems); more > 0 {
		fmt.Fprintf(out, "WRONG     readings: %d more\n", more)
	}
	for i := range f.Losses {
		for _, line := range f.Losses[i].Lines() {
			fmt.Fprintln(out, "LOST     ", line)
		}
	}
	for _, r := range f.Orphans {
		fmt.Fprintf(out, "ORPHAN    readings of tenant %d device %d, which is not in the database\n", r.Tenant, r.ID)
	}
	if len(problems) > 0 || f.Total > 0 {
		fmt.Fprintf(out, "In %s something is damaged: %s.\n", filepath.Clean(dir), server.DamageAdvice)
	}
	if len(f.Losses) > 0 {
		fmt.Fprintf(out, "Readings are lost; a server starts, and takes in new ones. Check the disk. Once you have "+
			"noted what is lost, remove %s (docs/faults.md).\n", filepath.Join(readings, reading.LossFile))
	}
	healthy = key == "" && len(problems) == 0 && f.OK()
	if healthy {
		fmt.Fprintln(out, "Everything can be read back and nothing contradicts itself.")
	}
	return healthy, nil
}

// evaluatedPosition returns the last position of the journal that was evaluated for any tenant.
func evaluatedPosition(ctx context.Context, d *db.DB) (uint64, error) {
	positions := alarm.NewPositionStore(d)
	evaluated, err := positions.Load(ctx)
	if err != nil {
		return 0, err
	}
	tenants, err := positions.LoadTenants(ctx)
	for _, p := range tenants {
		evaluated = max(evaluated, p.Entry)
	}
	return evaluated, err
}

// openDatabaseReadOnly opens the database of a data folder to examine it. An empty address means
// the database in the folder.
func openDatabaseReadOnly(ctx context.Context, dir, address string) (*db.DB, error) {
	if address == "" {
		return db.OpenToRead(ctx, dir)
	}
	d, err := db.OpenPostgresToRead(ctx, dir, address)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", settings.DatabaseFlag, err)
	}
	return d, nil
}
