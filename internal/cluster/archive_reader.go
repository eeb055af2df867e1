package cluster

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5/stdlib"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

// archiveReaders is how many connections a node reads the archive with at most. People's requests wait
// for each other here rather than to take connections from what PostgreSQL does for the log.
const archiveReaders = 4

// ArchiveReader reads the archive of sealed days. It implements reading.ArchiveReader.
type ArchiveReader struct {
	address string
	mu      sync.Mutex
	pool    *sql.DB // nil: it was not used yet
}

// NewArchiveReader returns a reader of a database's archive, with connections of its own.
func NewArchiveReader(address string) *ArchiveReader {
	return &ArchiveReader{address: address}
}

// open returns the connections. They are made when the archive is first read.
func (r *ArchiveReader) open() (*sql.DB, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pool != nil {
		return r.pool, nil
	}
	config, err := db.ParseClusterAddress(r.address)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams["statement_timeout"] = fmt.Sprint(statementTimeout.Milliseconds())
	r.pool = stdlib.OpenDB(*config)
	r.pool.SetMaxOpenConns(archiveReaders)
	return r.pool, nil
}

// Close ends the connections.
func (r *ArchiveReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pool == nil {
		return nil
	}
	return r.pool.Close()
}

// query runs a query and calls scan for each of its rows.
func (r *ArchiveReader) query(
	ctx context.Context,
	what, query string,
	args []any,
	scan func(*sql.Rows) error,
) (err error) {
	pool, err := r.open()
	if err != nil {
		return wrap(what, err)
	}
	rows, err := pool.QueryContext(ctx, query, args...)
	if err != nil {
		return wrap(what, err)
	}
	defer func() { err = wrap(what, errors.Join(err, rows.Close())) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// stateQuery reads what the archive holds.
const stateQuery = `SELECT life, mark, complete, position, chain,
	COALESCE((SELECT max(epoch) FROM archive_terms), 0),
	COALESCE((SELECT writes FROM archive_terms ORDER BY epoch DESC LIMIT 1), 0)
	FROM archives WHERE shard = 0`

// scanner is a row.
type scanner interface{ Scan(into ...any) error }

func scanState(row scanner) (s reading.ArchiveState, err error) {
	var position, chain, term, writes int64
	err = row.Scan(&s.Life, &s.Mark, &s.Complete, &position, &chain, &term, &writes)
	s.Position, s.Chain = uint64(position), uint64(chain)
	s.Last = reading.ArchiveWrite{Term: uint64(term), Number: uint64(writes)}
	return s, err
}

// State returns what the archive holds.
func (r *ArchiveReader) State(ctx context.Context) (s reading.ArchiveState, err error) {
	err = r.query(ctx, "read the state of the archive", stateQuery, nil, func(rows *sql.Rows) (err error) {
		s, err = scanState(rows)
		return err
	})
	return s, err
}

// Has reports whether the archive still holds what a write brought.
func (r *ArchiveReader) Has(ctx context.Context, w reading.ArchiveWrite) (has bool, err error) {
	if w == (reading.ArchiveWrite{}) {
		return true, nil
	}
	const query = "SELECT writes >= $2 FROM archive_terms WHERE epoch = $1"
	err = r.query(ctx, "read the writes of the archive", query, []any{int64(w.Term), int64(w.Number)},
		func(rows *sql.Rows) error { return rows.Scan(&has) })
	return has, err
}

// Days returns the days of which the archive holds any.
func (r *ArchiveReader) Days(ctx context.Context) (days []int32, err error) {
	// One descent of the index for each day; DISTINCT would read every row.
	const query = `WITH RECURSIVE days (day) AS (
			SELECT min(day) FROM reading_parts
			UNION ALL
			SELECT (SELECT min(p.day) FROM reading_parts AS p WHERE p.day > days.day) FROM days WHERE day IS NOT NULL
		) SELECT day FROM days WHERE day IS NOT NULL ORDER BY day`
	err = r.query(ctx, "list the archive's days", query, nil, func(rows *sql.Rows) error {
		var day int32
		if err := rows.Scan(&day); err != nil {
			return err
		}
		days = append(days, day)
		return nil
	})
	return days, err
}

// DeviceDays calls fn for a device's device-days among the given days, in order.
func (r *ArchiveReader) DeviceDays(ctx context.Context, t tenant.ID, d device.ID, life string, days []int32,
	fn func(*reading.ArchivedDay) error) error {
	// The state is read with the rows: of an archive that is not complete, some might be missing.
	const query = `SELECT a.complete AND a.life = $3, p.day, p.position, p.digest, p.aggregates, p.segments
		FROM archives AS a LEFT JOIN reading_parts AS p ON p.tenant_id = $1 AND p.device_id = $2 AND p.day = ANY ($4)
		WHERE a.shard = 0 ORDER BY p.day`
	complete := false
	ref := device.Ref{Tenant: t, ID: d}
	err := r.query(ctx, "read the archive", query, []any{int64(t), int64(d), life, days}, func(rows *sql.Rows) error {
		var day sql.NullInt32
		var position, digest sql.NullInt64
		one := reading.ArchivedDay{Ref: ref}
		err := rows.Scan(&complete, &day, &position, &digest, &one.Aggregates, &one.Segments)
		if err != nil || !complete || !day.Valid {
			return err
		}
		one.Day, one.Position, one.Digest = day.Int32, uint64(position.Int64), uint64(digest.Int64)
		return fn(&one)
	})
	if err == nil && !complete {
		err = fmt.Errorf("cluster: %w", reading.ErrArchiveIncomplete)
	}
	return err
}

// DayAfter returns device-days of a day after a device.
func (r *ArchiveReader) DayAfter(
	ctx context.Context,
	day int32,
	after device.Ref,
	most int,
) (list []reading.ArchivedDay, err error) {
	const query = `SELECT tenant_id, device_id, position, digest, aggregates, segments FROM reading_parts
		WHERE day = $1 AND (tenant_id, device_id) > ($2, $3) ORDER BY tenant_id, device_id LIMIT $4`
	args := []any{day, int64(after.Tenant), int64(after.ID), most}
	err = r.query(ctx, "read a day of the archive", query, args, func(rows *sql.Rows) error {
		one := reading.ArchivedDay{Day: day}
		var position, digest int64
		err := rows.Scan(&one.Ref.Tenant, &one.Ref.ID, &position, &digest, &one.Aggregates, &one.Segments)
		one.Position, one.Digest = uint64(position), uint64(digest)
		list = append(list, one)
		return err
	})
	return list, err
}

// LatestAfter returns latest values after a device.
func (r *ArchiveReader) LatestAfter(
	ctx context.Context,
	after device.Ref,
	most int,
) (list []reading.ArchivedLatest, err error) {
	const query = `SELECT tenant_id, device_id, position, digest, latest_values FROM reading_latest
		WHERE (tenant_id, device_id) > ($1, $2) ORDER BY tenant_id, device_id LIMIT $3`
	args := []any{int64(after.Tenant), int64(after.ID), most}
	err = r.query(ctx, "read the archive's latest values", query, args, func(rows *sql.Rows) error {
		var one reading.ArchivedLatest
		var position, digest int64
		err := rows.Scan(&one.Ref.Tenant, &one.Ref.ID, &position, &digest, &one.Values)
		one.Position, one.Digest = uint64(position), uint64(digest)
		list = append(list, one)
		return err
	})
	return list, err
}

// NoteDamaged asks the node that leads to write a device-day, or a device's latest values, anew.
func (r *ArchiveReader) NoteDamaged(ctx context.Context, t tenant.ID, d device.ID, day int32) error {
	pool, err := r.open()
	if err == nil {
		_, err = pool.ExecContext(ctx, `INSERT INTO damaged_parts (day, tenant_id, device_id) VALUES ($1, $2, $3)
			ON CONFLICT DO NOTHING`, day, int64(t), int64(d))
	}
	return wrap("note a damaged day of the archive", err)
}
