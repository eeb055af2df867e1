package server

import (
	"context"
	"errors"
	"log/slog"

	"tilth/internal/cluster"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/db"
	"tilth/internal/settings"
)

// FillFolder makes a folder that of a node of the cluster of a database, with nothing but what PostgreSQL
// has: it marks the folder, and begins its readings with the archive. The key is not its business.
func FillFolder(ctx context.Context, dir, address string, logger *slog.Logger) (_ reading.Filled, err error) {
	d, err := db.OpenPostgresToFollow(address)
	if err != nil {
		return reading.Filled{}, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := d.MarkFolder(ctx, dir); err != nil {
		return reading.Filled{}, err
	}
	log, err := cluster.OpenLog(address)
	if err != nil {
		return reading.Filled{}, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	archive := cluster.NewArchiveReader(address)
	defer func() { err = errors.Join(err, archive.Close()) }()
	return reading.Fill(ctx, reading.Options{
		Dir:     readingsDir(&settings.Server{DataDir: dir}),
		Logger:  logger,
		Archive: archive,
	}, log)
}
