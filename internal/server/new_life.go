package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"tilth/internal/cluster"
	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/datafolder"
	"tilth/internal/platform/db"
	"tilth/internal/settings"
)

// BeginNewLife begins a new log of a cluster whose database was set back, with the readings of a data
// folder, and returns the position after which it begins. No node may run.
func BeginNewLife(ctx context.Context, dir, address string, logger *slog.Logger) (position uint64, err error) {
	folder, err := datafolder.LockFolder(dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	follow, err := db.OpenPostgresToFollow(address)
	if err != nil {
		return 0, err
	}
	isNew, err := follow.CheckFolder(ctx, dir)
	if err = errors.Join(err, follow.Close()); err != nil {
		return 0, err
	}
	if isNew {
		return 0, fmt.Errorf("the database is new: restore a backup into it, or start a node")
	}
	folderOf := readingsDir(&settings.Server{DataDir: dir})
	readings, err := reading.Open(ctx, reading.Options{Dir: folderOf, Logger: logger})
	if err != nil {
		return 0, ExplainDamage(dir, err)
	}
	defer func() { err = errors.Join(err, readings.Close()) }()
	position = readings.Position()
	epoch, err := cluster.BeginNewLife(ctx, address, func(mark string) (uint64, error) {
		return position, readings.BeginLife(mark)
	})
	if err != nil {
		return 0, err
	}
	d, err := db.OpenPostgresToLead(ctx, dir, address, epoch)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := jumpNumbers(ctx, d, readings); err != nil {
		return 0, err
	}
	// Alarms of what is in the folder were told before the restore, as far as anybody knows.
	return position, alarm.NewPositionStore(d).Save(ctx, position)
}

// jumpNumbers makes new rows of the database get numbers that no reading has: the database may have
// lost the rows that had them.
func jumpNumbers(ctx context.Context, d *db.DB, readings *reading.Store) error {
	tenant, device, property, err := readings.LargestIDs(ctx)
	if err != nil {
		return err
	}
	for _, numbered := range []struct {
		table, column string
		largest       uint64
	}{{"tenants", "id", tenant}, {"devices", "id", device}, {"property_numbers", "number", property}} {
		if err := d.Jump(ctx, numbered.table, numbered.column, int64(numbered.largest)); err != nil {
			return fmt.Errorf("give new rows of %s numbers of their own: %w", numbered.table, err)
		}
	}
	return nil
}
