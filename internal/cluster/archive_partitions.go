package cluster

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"tilth/internal/domain/reading"
)

// partitionOf returns the number of the partition that holds a day: its first day, by ten.
func partitionOf(day int32) int32 {
	n := day / daysInPartition
	if day%daysInPartition < 0 {
		n--
	}
	return n
}

// partitionName is the name of a partition; a minus before 1970 becomes an m.
func partitionName(n int32) string {
	return "reading_parts_" + strings.Replace(fmt.Sprint(n), "-", "m", 1)
}

// makePartition makes the partition for a day, unless it is there. A table is made by itself and attached:
// making it as a partition would keep readers of the others waiting.
func (a *Archive) makePartition(ctx context.Context, day int32) error {
	n := partitionOf(day)
	if a.made[n] {
		return nil
	}
	name := partitionName(n)
	err := a.session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			if err := a.term.checkEpoch(ctx, tx); err != nil {
				return err
			}
			var there bool
			err := tx.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", name).Scan(&there)
			if err != nil || there {
				return err
			}
			for _, statement := range []string{
				fmt.Sprintf("SET LOCAL lock_timeout = '%dms'", partitionPatience.Milliseconds()),
				"CREATE TABLE " + name + " (LIKE reading_parts INCLUDING ALL)",
				fmt.Sprintf("ALTER TABLE reading_parts ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)",
					name, int64(n)*daysInPartition, (int64(n)+1)*daysInPartition),
			} {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err == nil {
		a.made[n] = true
	}
	return wrap("make a table of the archive", err)
}

// partitionsBefore lists the partitions whose days are all before a day.
func partitionsBefore(ctx context.Context, tx pgx.Tx, before int64) ([]string, error) {
	// The first day of a partition follows from its name.
	rows, err := tx.Query(ctx, `SELECT name FROM (SELECT c.relname AS name,
			replace(substring(c.relname FROM 'reading_parts_(m?[0-9]+)$'), 'm', '-')::bigint AS number
		FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'reading_parts'::regclass) AS p
		WHERE (number + 1) * $1 <= $2`, daysInPartition, before)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Expire drops the partitions whose days are all before a day. One that somebody reads is dropped the
// next time.
func (a *Archive) Expire(ctx context.Context, before int32) (reading.ArchiveWrite, error) {
	clear(a.made)
	return a.write(ctx, "drop old days of the archive", func(ctx context.Context, tx pgx.Tx) error {
		names, err := partitionsBefore(ctx, tx, int64(before))
		if err != nil || len(names) == 0 {
			return err
		}
		if _, err := tx.Exec(
			ctx,
			fmt.Sprintf("SET LOCAL lock_timeout = '%dms'", partitionPatience.Milliseconds()),
		); err != nil {
			return err
		}
		for _, name := range names {
			err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, "DROP TABLE "+name)
				return err
			})
			if err != nil && !hasCode(err, lockNotAvailable) {
				return err
			}
		}
		return nil
	})
}
