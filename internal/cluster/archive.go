package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

const (
	// archiveLockID is the number of the advisory lock of the archive's writer.
	archiveLockID = db.OwnerLockID<<8 | 2
	// daysInPartition is how many days a partition of reading_parts holds.
	daysInPartition = 10
	// partitionPatience is how long making or dropping a partition waits for somebody who reads, such as
	// a dump of the database.
	partitionPatience = 200 * time.Millisecond
)

// Archive writes the archive of sealed days in a term. It implements reading.Archive.
//
// It has a session of its own, so it never keeps the log waiting. Nothing of an earlier term can be
// written once it has the archive's lock: it ends whoever holds that first.
type Archive struct {
	*ArchiveReader
	term    *Term
	session *session
	made    map[int32]bool // partitions that are there
}

// NewArchive returns the archive for a term. Close does not close the reader.
func (t *Term) NewArchive(reader *ArchiveReader) *Archive {
	a := &Archive{ArchiveReader: reader, term: t, made: map[int32]bool{}}
	a.session = newSession(t.node.config, a.lock)
	return a
}

// Close ends the archive's session.
func (a *Archive) Close() error { return a.session.close() }

// lock takes the lock of the archive for the lifetime of a connection. The epoch is compared before and
// behind it, as of the log.
func (a *Archive) lock(ctx context.Context, c *pgx.Conn) error {
	if err := a.term.checkEpoch(ctx, c); err != nil {
		return err
	}
	if err := a.term.node.endHolder(ctx, archiveLockID, c.PgConn().PID()); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, fmt.Sprintf("SET lock_timeout = '%dms'", lockTimeout.Milliseconds())); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(archiveLockID)); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, "RESET lock_timeout"); err != nil {
		return err
	}
	clear(a.made) // the database may have gone back
	return a.term.checkEpoch(ctx, c)
}

// write runs one transaction, and counts it.
func (a *Archive) write(
	ctx context.Context,
	what string,
	f func(ctx context.Context, tx pgx.Tx) error,
) (w reading.ArchiveWrite, err error) {
	if err := a.term.Err(); err != nil {
		return w, err
	}
	err = a.session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			var writes int64
			err := tx.QueryRow(ctx, `INSERT INTO archive_terms (epoch, writes)
				SELECT $1, 1 FROM shards WHERE shard = 0 AND epoch = $1
				ON CONFLICT (epoch) DO UPDATE SET writes = archive_terms.writes + 1 RETURNING writes`,
				a.term.Epoch()).Scan(&writes)
			if errors.Is(err, pgx.ErrNoRows) {
				return a.term.fenced()
			}
			if err != nil {
				return err
			}
			w = reading.ArchiveWrite{Term: uint64(a.term.Epoch()), Number: uint64(writes)}
			return f(ctx, tx)
		})
	})
	return w, wrap(what, err)
}

// refColumns splits devices into two columns.
func refColumns(refs []device.Ref) (tenants, devices []int64) {
	for _, r := range refs {
		tenants, devices = append(tenants, int64(r.Tenant)), append(devices, int64(r.ID))
	}
	return tenants, devices
}

// digests reads digests by device.
func (a *Archive) digests(ctx context.Context, what, query string, args ...any) (map[device.Ref]uint64, error) {
	found := map[device.Ref]uint64{}
	err := a.session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		rows, err := c.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		var t, d, digest int64
		_, err = pgx.ForEachRow(rows, []any{&t, &d, &digest}, func() error {
			found[device.Ref{Tenant: tenant.ID(t), ID: device.ID(d)}] = uint64(digest)
			return nil
		})
		return err
	})
	return found, wrap(what, err)
}

// Digests returns the digests that the archive holds of devices on a day.
func (a *Archive) Digests(ctx context.Context, day int32, refs []device.Ref) (map[device.Ref]uint64, error) {
	tenants, devices := refColumns(refs)
	return a.digests(ctx, "read digests of the archive", `SELECT tenant_id, device_id, digest FROM reading_parts
		WHERE day = $1 AND (tenant_id, device_id) IN (SELECT * FROM unnest($2::bigint[], $3::bigint[]))`,
		day, tenants, devices)
}

// LatestDigests returns the digests that the archive holds of devices' latest values.
func (a *Archive) LatestDigests(ctx context.Context, refs []device.Ref) (map[device.Ref]uint64, error) {
	tenants, devices := refColumns(refs)
	return a.digests(ctx, "read digests of the latest values", `SELECT tenant_id, device_id, digest FROM reading_latest
		WHERE (tenant_id, device_id) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[]))`, tenants, devices)
}

// RefsAfter returns devices of a day after one.
func (a *Archive) RefsAfter(ctx context.Context, day int32, after device.Ref, most int) (refs []device.Ref, err error) {
	err = a.session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		rows, err := c.Query(ctx, `SELECT tenant_id, device_id FROM reading_parts
			WHERE day = $1 AND (tenant_id, device_id) > ($2, $3) ORDER BY tenant_id, device_id LIMIT $4`,
			day, int64(after.Tenant), int64(after.ID), most)
		if err != nil {
			return err
		}
		refs, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r device.Ref, err error) {
			err = row.Scan(&r.Tenant, &r.ID)
			return r, err
		})
		return err
	})
	return refs, wrap("list devices of the archive", err)
}

// Put replaces what the archive holds of devices on a day.
func (a *Archive) Put(
	ctx context.Context,
	day int32,
	remove []device.Ref,
	put []reading.ArchivedDay,
) (reading.ArchiveWrite, error) {
	if len(put) > 0 {
		if err := a.makePartition(ctx, day); err != nil {
			return reading.ArchiveWrite{}, err
		}
	}
	replaced := remove
	for i := range put {
		replaced = append(replaced[:len(replaced):len(replaced)], put[i].Ref)
	}
	tenants, devices := refColumns(replaced)
	return a.write(ctx, "copy to the archive", func(ctx context.Context, tx pgx.Tx) error {
		for _, query := range []string{
			`DELETE FROM reading_parts WHERE day = $1
				AND (tenant_id, device_id) IN (SELECT * FROM unnest($2::bigint[], $3::bigint[]))`,
			`DELETE FROM damaged_parts WHERE day = $1
				AND (tenant_id, device_id) IN (SELECT * FROM unnest($2::bigint[], $3::bigint[]))`,
		} {
			if _, err := tx.Exec(ctx, query, day, tenants, devices); err != nil {
				return err
			}
		}
		columns := []string{"day", "tenant_id", "device_id", "position", "digest", "aggregates", "segments"}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"reading_parts"}, columns,
			pgx.CopyFromSlice(len(put), func(i int) ([]any, error) {
				d := &put[i]
				return []any{
					d.Day,
					int64(d.Ref.Tenant),
					int64(d.Ref.ID),
					int64(d.Position),
					int64(d.Digest),
					d.Aggregates,
					d.Segments,
				}, nil
			}))
		return err
	})
}

// PutLatest replaces the latest values of devices.
func (a *Archive) PutLatest(ctx context.Context, put []reading.ArchivedLatest) (reading.ArchiveWrite, error) {
	refs := make([]device.Ref, len(put))
	for i := range put {
		refs[i] = put[i].Ref
	}
	tenants, devices := refColumns(refs)
	return a.write(ctx, "copy latest values to the archive", func(ctx context.Context, tx pgx.Tx) error {
		const query = `DELETE FROM reading_latest
			WHERE (tenant_id, device_id) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[]))`
		if _, err := tx.Exec(ctx, query, tenants, devices); err != nil {
			return err
		}
		const mended = `DELETE FROM damaged_parts WHERE day = $3
			AND (tenant_id, device_id) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[]))`
		if _, err := tx.Exec(ctx, mended, tenants, devices, int32(reading.LatestDay)); err != nil {
			return err
		}
		columns := []string{"tenant_id", "device_id", "position", "digest", "latest_values"}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"reading_latest"}, columns,
			pgx.CopyFromSlice(len(put), func(i int) ([]any, error) {
				l := &put[i]
				return []any{int64(l.Ref.Tenant), int64(l.Ref.ID), int64(l.Position), int64(l.Digest), l.Values}, nil
			}))
		return err
	})
}

// Erase removes what the archive holds of a device with a position before an entry of the log.
func (a *Archive) Erase(ctx context.Context, t tenant.ID, d device.ID, before uint64) (reading.ArchiveWrite, error) {
	// The index of each partition begins with the day, so the days are listed first.
	days, err := a.Days(ctx)
	if err != nil {
		return reading.ArchiveWrite{}, err
	}
	return a.write(ctx, "erase a device from the archive", func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM reading_parts
			WHERE tenant_id = $1 AND device_id = $2 AND day = ANY ($3) AND position < $4`,
			int64(t), int64(d), days, int64(before)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM damaged_parts WHERE tenant_id = $1 AND device_id = $2",
			int64(t), int64(d)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "DELETE FROM reading_latest WHERE tenant_id = $1 AND device_id = $2 AND position < $3",
			int64(t), int64(d), int64(before))
		return err
	})
}

// Begin removes everything and begins anew for a life.
func (a *Archive) Begin(ctx context.Context, life string) (reading.ArchiveWrite, error) {
	clear(a.made)
	return a.write(ctx, "begin the archive", func(ctx context.Context, tx pgx.Tx) error {
		names, err := partitionsBefore(ctx, tx, 1<<31-1)
		if err != nil {
			return err
		}
		for _, name := range names {
			if _, err := tx.Exec(ctx, "DROP TABLE "+name); err != nil {
				return err
			}
		}
		for _, query := range []string{"DELETE FROM reading_latest", "DELETE FROM damaged_parts"} {
			if _, err := tx.Exec(ctx, query); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO archives (shard, life, mark, complete, position, chain)
			VALUES (0, $1, $2, FALSE, 0, 0) ON CONFLICT (shard) DO UPDATE
			SET life = excluded.life, mark = excluded.mark, complete = FALSE, position = 0, chain = 0`, life, newMark())
		return err
	})
}

// Reach sets the archived position.
func (a *Archive) Reach(ctx context.Context, pos, chain uint64) (reading.ArchiveWrite, error) {
	return a.write(ctx, "set the archived position", func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE archives SET complete = TRUE, position = $1, chain = $2 WHERE shard = 0",
			int64(pos), int64(chain))
		return err
	})
}

// Doubt makes the archive incomplete.
func (a *Archive) Doubt(ctx context.Context) (reading.ArchiveWrite, error) {
	return a.write(ctx, "doubt the archive", func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE archives SET complete = FALSE WHERE shard = 0")
		return err
	})
}

// Damaged returns what NoteDamaged was told.
func (a *Archive) Damaged(ctx context.Context) (list []reading.ArchivedDay, err error) {
	err = a.session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		rows, err := c.Query(
			ctx,
			"SELECT day, tenant_id, device_id FROM damaged_parts ORDER BY day, tenant_id, device_id",
		)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d reading.ArchivedDay, err error) {
			err = row.Scan(&d.Day, &d.Ref.Tenant, &d.Ref.ID)
			return d, err
		})
		return err
	})
	return list, wrap("list damaged days of the archive", err)
}
