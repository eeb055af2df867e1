package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

// The three that are loaded.
const (
	serverAlone = iota
	nodeAlone
	nodeWithStandby
)

var clusterKinds = [...]string{
	serverAlone:     "one server alone",
	nodeAlone:       "a node",
	nodeWithStandby: "a node and a standby",
}

// clusterLoads are the results of all rounds, by kind.
type clusterLoads [len(clusterKinds)][]clusterLoad

// clusterLoad is the result of loading one of them.
type clusterLoad struct {
	paced, full       *Result
	pacedWAL, fullWAL float64 // bytes of PostgreSQL's log for a message
	lag               lagFigures
}

// load starts one of the kinds anew, and loads it at the fixed rate and then fully.
func (b *clusterBench) load(ctx context.Context, kind int) (l clusterLoad, err error) {
	tenant := NewTenant(pacedConnections+b.Connections, b.Values)
	err = b.inFolder("load", func(dir string) error {
		if kind == serverAlone {
			s, err := Start(ctx, ServerOptions{
				Binary: b.Binary, Dir: filepath.Join(dir, "data"), Args: b.Args, Tenant: tenant, Apply: b.Apply,
			})
			if err != nil {
				return err
			}
			s.Target.Name, s.Target.Dir = clusterKinds[kind], ""
			l, err = b.loadBoth(ctx, s.Target, nil, nil)
			return errors.Join(err, s.Stop())
		}
		return b.withDatabase(ctx, dir, func(url string) error {
			l, err = b.loadNode(ctx, dir, url, tenant, kind == nodeWithStandby)
			return err
		})
	})
	return l, err
}

// loadNode loads a node, with a standby or without.
func (b *clusterBench) loadNode(
	ctx context.Context,
	dir, url string,
	tenant Tenant,
	withStandby bool,
) (l clusterLoad, err error) {
	leader, err := b.newNode(dir, "node1", url, newToken(), tenant)
	if err != nil {
		return l, err
	}
	file, err := tenant.File()
	if err != nil {
		return l, err
	}
	if err := leader.start(ctx); err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, leader.Stop()) }()
	if err := b.Apply(ctx, leader.admin, leader.token, file); err != nil {
		return l, err
	}
	if err := leader.restart(ctx); err != nil { // as one server alone is restarted
		return l, err
	}
	var standby *clusterNode
	if withStandby {
		if standby, err = b.newNode(dir, "node2", url, leader.token, tenant); err != nil {
			return l, err
		}
		if err := standby.join(ctx, leader); err != nil {
			return l, err
		}
		if err := standby.standBy(ctx, leader); err != nil {
			return l, err
		}
		defer func() { err = errors.Join(err, standby.Stop()) }()
	}
	wal, err := openWAL(ctx, url)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, wal.conn.Close(ctx)) }()
	l, err = b.loadBoth(ctx, leader.Target, standby, wal)
	return l, err
}

// loadBoth loads a server at the fixed rate and fully, each with devices of its own, so that both can be
// read back.
func (b *clusterBench) loadBoth(
	ctx context.Context,
	t Target,
	standby *clusterNode,
	wal *walMeter,
) (l clusterLoad, err error) {
	devices := t.Tenant.Devices
	t.Tenant.Devices = devices[:pacedConnections]
	l.paced, l.pacedWAL, err = wal.measure(ctx, func() (*Result, error) {
		return Run(ctx, Options{
			Connections: pacedConnections, Window: 1, Rate: b.Rate, Duration: b.Duration, Protocol: 4,
		}, t)
	})
	if err != nil {
		return l, fmt.Errorf("at the fixed rate: %w", err)
	}
	t.Tenant.Devices = devices[pacedConnections:]
	lag := startLagMeter(ctx, t, standby)
	l.full, l.fullWAL, err = wal.measure(ctx, func() (*Result, error) {
		return Run(ctx, Options{Connections: b.Connections, Window: b.Window, Duration: b.Duration, Protocol: 4}, t)
	})
	lagErr := lag.stop()
	if err := errors.Join(err, lagErr); err != nil {
		return l, fmt.Errorf("at full load: %w", err)
	}
	l.lag = lag.figures()
	return l, nil
}

// walMeter reads how much PostgreSQL has written to its log. A nil one measures nothing.
type walMeter struct{ conn *pgx.Conn }

func openWAL(ctx context.Context, url string) (*walMeter, error) {
	conn, err := pgx.Connect(ctx, url)
	return &walMeter{conn}, err
}

// measure runs a load that must count, and returns its result and the bytes of PostgreSQL's log for a
// message. What is read back writes little.
func (w *walMeter) measure(ctx context.Context, load func() (*Result, error)) (*Result, float64, error) {
	before, err := w.written(ctx)
	if err != nil {
		return nil, 0, err
	}
	r, err := load()
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		return nil, 0, err
	}
	after, err := w.written(ctx)
	return r, (after - before) / float64(r.Acknowledged), err
}

func (w *walMeter) written(ctx context.Context) (bytes float64, err error) {
	if w == nil {
		return 0, nil
	}
	err = w.conn.QueryRow(ctx, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8").Scan(&bytes)
	return bytes, err
}
