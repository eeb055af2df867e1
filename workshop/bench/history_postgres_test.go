package bench

import (
	"encoding/binary"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// fakePostgres speaks PostgreSQL's protocol and answers queries about the second device from the
// records.
type fakePostgres struct {
	t       *testing.T
	records *Records
	narrow  bool          // answers with numbers of four bytes
	step    time.Duration // of the last query for buckets

	mu      sync.Mutex
	queries []string
	rows    int // rows that were copied in
}

func (f *fakePostgres) start() (address string) {
	f.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		nc, err := l.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		b := pgproto3.NewBackend(nc, nc)
		if _, err := b.ReceiveStartupMessage(); err != nil {
			f.t.Error(err)
			return
		}
		b.Send(&pgproto3.AuthenticationOk{})
		f.serve(b)
	}()
	f.t.Cleanup(func() { l.Close(); <-ended })
	return "postgres://bench@" + l.Addr().String() + "/bench?sslmode=disable"
}

func (f *fakePostgres) serve(b *pgproto3.Backend) {
	query := ""
	ready := func() {
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		if err := b.Flush(); err != nil {
			f.t.Error(err)
		}
	}
	ready()
	for {
		received, err := b.Receive()
		if err != nil {
			return // the client has disconnected
		}
		switch m := received.(type) {
		case *pgproto3.Query:
			if f.record(m.String); strings.HasPrefix(m.String, "copy") {
				f.copy(b)
			}
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte("OK")})
			ready()
		case *pgproto3.Parse:
			query = m.Query
			f.record(query)
			b.Send(&pgproto3.ParseComplete{})
		case *pgproto3.Describe:
			b.Send(
				&pgproto3.ParameterDescription{
					ParameterOIDs: []uint32{23, 20, 20, 20}[:strings.Count(strings.ReplaceAll(query, "$2::", ""), "$")],
				},
			)
			b.Send(f.columns(query))
		case *pgproto3.Bind:
			if last := len(m.Parameters) - 1; last == 3 {
				f.step = time.Duration(binary.BigEndian.Uint64(m.Parameters[last])) * time.Millisecond
			}
			b.Send(&pgproto3.BindComplete{})
		case *pgproto3.Execute:
			f.answer(b, query)
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT")})
		case *pgproto3.Sync:
			ready()
		case *pgproto3.Terminate:
			return
		}
	}
}

func (f *fakePostgres) record(query string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queries = append(f.queries, query)
}

// copy receives the copied rows, each column with its length.
func (f *fakePostgres) copy(b *pgproto3.Backend) {
	columns := 2 + len(f.records.Properties)
	b.Send(&pgproto3.CopyInResponse{OverallFormat: 1, ColumnFormatCodes: make([]uint16, columns)})
	if err := b.Flush(); err != nil {
		f.t.Error(err)
	}
	const header = 19
	size := 2 + 8 + 12 + 12*len(f.records.Properties) // of a row
	bytes := 0
	for {
		received, err := b.Receive()
		if err != nil {
			f.t.Error(err)
			return
		}
		if d, is := received.(*pgproto3.CopyData); is {
			bytes += len(d.Data)
			continue
		}
		f.mu.Lock()
		f.rows = (bytes - header) / size
		f.mu.Unlock()
		return
	}
}

const (
	oidInt4   = 23
	oidInt8   = 20
	oidFloat8 = 701
)

func (f *fakePostgres) columns(query string) *pgproto3.RowDescription {
	var d pgproto3.RowDescription
	add := func(oid uint32) {
		d.Fields = append(
			d.Fields,
			pgproto3.FieldDescription{Name: []byte("c"), DataTypeOID: oid, DataTypeSize: 8, TypeModifier: -1},
		)
	}
	if strings.HasPrefix(query, "select \"device\"") {
		add(oidInt4)
	}
	add(oidInt8)
	for range f.records.Properties {
		add(oidFloat8)
		for range strings.Count(query, "(\"warmth\")") - 1 { // the functions of each property
			add(oidFloat8)
		}
	}
	return &d
}

func (f *fakePostgres) answer(b *pgproto3.Backend, query string) {
	r := f.records
	row := func(first int64, values ...float64) {
		all := [][]byte{binary.BigEndian.AppendUint64(nil, uint64(first))}
		for _, v := range values {
			all = append(all, binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
		}
		if f.narrow {
			all[1] = all[1][:4]
		}
		b.Send(&pgproto3.DataRow{Values: all})
	}
	if strings.Contains(query, "avg(") {
		f.answerAggregates(row)
		return
	}
	a := newAnswer(len(r.Properties))
	fillAnswer(r, 1, r.all(), a)
	if !strings.Contains(query, "GROUP BY") {
		for n, p := range a.points[0] {
			row(p.Time, p.Value, a.points[1][n].Value)
		}
		return
	}
	for n, low := range a.buckets[0] {
		if high := a.buckets[1][n]; low.filled {
			row(int64(n), low.low, low.high, high.low, high.high)
		}
	}
}

func (f *fakePostgres) answerAggregates(row func(first int64, values ...float64)) {
	var all [][]aggregate
	for p := range f.records.Properties {
		all = append(all, f.records.aggregates(1, p, f.step))
	}
	for n := range all[0] {
		var values []float64
		for p := range all {
			g := all[p][n]
			values = append(values, g.low, g.mean, g.high)
		}
		row(int64(n), values...)
	}
}

func TestPostgres(t *testing.T) {
	r := someRecords(t)
	f := &fakePostgres{t: t, records: r}
	store, err := openPostgres(t.Context(), f.start(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := newAnswer(2)
	if err := store.points(t.Context(), 1, r.all(), a); err != nil {
		t.Error(err)
	}
	if err := r.checkPoints(1, r.all(), a); err != nil {
		t.Error(err)
	}
	a.clear()
	if err := store.minMax(t.Context(), 1, a); err != nil {
		t.Error(err)
	}
	if err := r.checkBuckets(1, a); err != nil {
		t.Error(err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rows != 240 {
		t.Errorf("%d rows were copied", f.rows)
	}
	queries := strings.Join(f.queries, "\n")
	for _, part := range []string{
		`(device int NOT NULL, time bigint NOT NULL,` +
			`"warmth" double precision NOT NULL,"rain" double precision NOT NULL)`,
		"PRIMARY KEY (device, time)",
		"VACUUM",
		`SELECT time,"warmth","rain" FROM station WHERE device=$1`,
		`max("rain") FROM station`,
	} {
		if !strings.Contains(queries, part) {
			t.Errorf("no query contains %q:\n%s", part, queries)
		}
	}
}

// A column of another length is an error; nothing is read beyond its end.
func TestPostgresWithOtherColumns(t *testing.T) {
	r := someRecords(t)
	f := &fakePostgres{t: t, records: r, narrow: true}
	store, err := openPostgres(t.Context(), f.start(), r)
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"points": store.points(t.Context(), 1, r.all(), newAnswer(2)),
		"minMax": store.minMax(t.Context(), 1, newAnswer(2)),
	} {
		if err == nil || !strings.Contains(err.Error(), "8 bytes") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}
