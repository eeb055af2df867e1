package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgres has one wide table, with rows in the order of its primary key: device (a number, which
// is shorter than a name) and time (epoch ms). Statements are prepared once, and results are binary
// and need no conversion.
type postgres struct {
	conn    *pgx.Conn
	records *Records
	table   string
	list    string // of columns
}

func openPostgres(ctx context.Context, address string, r *Records) (*postgres, error) {
	opening, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := pgx.Connect(opening, address)
	if err != nil {
		return nil, err
	}
	return newPostgres(conn, "station", r), nil
}

func newPostgres(conn *pgx.Conn, table string, r *Records) *postgres {
	var names []string
	for _, p := range r.Properties {
		names = append(names, pgx.Identifier{p}.Sanitize())
	}
	return &postgres{conn: conn, records: r, table: table, list: strings.Join(names, ",")}
}

// withYears returns the store with a table of its own for these records.
func (p *postgres) withYears(r *Records) aggregateStore {
	return newPostgres(p.conn, fmt.Sprintf("station_%d_days", r.Days), r)
}

// Close ends the connection.
func (p *postgres) Close() error { return p.conn.Close(context.Background()) }

func (p *postgres) load(ctx context.Context) error {
	columns := strings.ReplaceAll(p.list, ",", " double precision NOT NULL,") + " double precision NOT NULL"
	create := "CREATE TABLE " + p.table + " (device int NOT NULL, time bigint NOT NULL," + columns + ")"
	if _, err := p.conn.Exec(ctx, create); err != nil {
		return err
	}
	r := p.records
	row := make([]any, 2+len(r.Properties))
	d, n := 0, -1
	_, err := p.conn.CopyFrom(
		ctx,
		pgx.Identifier{p.table},
		append([]string{"device", "time"}, r.Properties...),
		pgx.CopyFromFunc(func() ([]any, error) {
			if n++; n == r.Count() {
				d, n = d+1, 0
			}
			if d == len(r.Devices) {
				return nil, nil
			}
			row[0], row[1] = int32(d), r.Time(n).UnixMilli()
			for i := range r.Properties {
				row[2+i] = r.Values[d][i][n]
			}
			return row, nil
		}),
	)
	if err != nil {
		return err
	}
	for _, statement := range []string{
		"ALTER TABLE " + p.table + " ADD PRIMARY KEY (device, time)",
		"VACUUM (FREEZE, ANALYZE) " + p.table,
	} {
		if _, err := p.conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// int8Of and float8Of decode PostgreSQL's binary numbers.
func int8Of(b []byte) int64     { return int64(binary.BigEndian.Uint64(b)) }
func float8Of(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) }

var errShape = errors.New("a column is not 8 bytes long")

// ask runs a query whose columns are all 8 bytes long.
func (p *postgres) ask(ctx context.Context, row func(values [][]byte) error, query string, args ...any) error {
	rows, err := p.conn.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values := rows.RawValues()
		for _, v := range values {
			if len(v) != 8 {
				return errShape
			}
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (p *postgres) points(ctx context.Context, device int, s span, a *answer) error {
	return p.ask(ctx, func(values [][]byte) error {
		at := int8Of(values[0])
		for i, v := range values[1:] {
			a.points[i] = append(a.points[i], point{at, float8Of(v)})
		}
		return nil
	}, "SELECT time,"+p.list+" FROM "+p.table+" WHERE device=$1 AND time BETWEEN $2 AND $3 ORDER BY time",
		int32(device), s.from, s.to)
}

func (p *postgres) minMax(ctx context.Context, device int, a *answer) error {
	s := p.records.all()
	var columns strings.Builder
	for name := range strings.SplitSeq(p.list, ",") {
		fmt.Fprintf(&columns, ",min(%s),max(%s)", name, name)
	}
	return p.ask(ctx, func(values [][]byte) error {
		n := int8Of(values[0])
		if n < 0 || n >= int64(p.records.buckets()) {
			return fmt.Errorf("bucket %d is beyond the range", n)
		}
		for i := range a.buckets {
			a.buckets[i][n] = bucket{float8Of(values[1+2*i]), float8Of(values[2+2*i]), true}
		}
		return nil
	}, p.grouped(columns.String()), int32(device), s.from, s.to, p.records.width())
}

// grouped returns the query for columns of each bucket. Its parameters are the device, the range and
// the length of a bucket in ms.
func (p *postgres) grouped(columns string) string {
	return "SELECT (time-$2::bigint)/$4::bigint" + columns + " FROM " + p.table +
		" WHERE device=$1 AND time BETWEEN $2 AND $3 GROUP BY 1 ORDER BY 1"
}

func (p *postgres) aggregates(ctx context.Context, device int, step time.Duration, a *answer) error {
	s := p.records.all()
	var columns strings.Builder
	for name := range strings.SplitSeq(p.list, ",") {
		fmt.Fprintf(&columns, ",min(%s),avg(%s),max(%s)", name, name, name)
	}
	return p.ask(ctx, func(values [][]byte) error {
		n := int8Of(values[0])
		if n < 0 || n >= int64(p.records.steps(step)) {
			return fmt.Errorf("bucket %d is beyond the range", n)
		}
		for i := range a.aggregates {
			own := values[1+3*i:]
			a.aggregates[i][n] = aggregate{low: float8Of(own[0]), mean: float8Of(own[1]), high: float8Of(own[2])}
		}
		return nil
	}, p.grouped(columns.String()), int32(device), s.from, s.to, step.Milliseconds())
}
