package server

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// describeProcess publishes what a process has that serves nobody itself, such as a standby of a
// cluster, too: the version, readiness, disk, memory and connections.
func (s *Server) describeProcess(ready func(context.Context) error) {
	m := s.metrics
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "tilth_build_info", Help: "The version that runs; always 1.",
		ConstLabels: prometheus.Labels{"version": Version, "commit": BuiltFrom(), "go": runtime.Version()},
	}, func() float64 { return 1 }))
	m.gauge("tilth_ready", "1 while the server is ready, as /readyz says.", func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
		defer cancel()
		if ready(ctx) != nil {
			return 0
		}
		return 1
	})
	s.describeDisk()
	s.describeMemory()
	s.describeListeners()
}

// describeOperation publishes what else an operator asks for: sizes, and the time of the last backup.
func (s *Server) describeOperation() {
	m, st := s.metrics, s.Stores
	m.gauge(
		"tilth_devices",
		"Devices of all tenants.",
		func() float64 { return float64(st.Registry.Total()) },
	)
	m.gauge(
		"tilth_devices_online",
		"Devices of all tenants that are online.",
		func() float64 { return float64(st.Presence.TotalOnline()) },
	)
	m.gauge(
		"tilth_database_bytes",
		"Size of the database's files, including its log.",
		func() float64 { return s.databaseBytes() },
	)
	m.gauge(
		"tilth_backup_last_timestamp_seconds",
		"When tilth backup last took a complete backup; 0: never of this folder.",
		func() float64 {
			return float64(s.lastBackup.unix())
		},
	)
}

// databaseBytes is the size of the database's files; NaN if it is not known.
func (s *Server) databaseBytes() float64 {
	if s.set.DatabaseURL != "" {
		return s.postgresBytes()
	}
	var sum int64
	for _, name := range []string{"tilth.db", "tilth.db-wal"} {
		info, err := os.Stat(filepath.Join(s.set.DataDir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			s.logger.Warn("the database's size is not known", "error", err)
			return math.NaN()
		default:
			sum += info.Size()
		}
	}
	return float64(sum)
}

// postgresBytes is the size of a PostgreSQL database in bytes; NaN if it is not known.
func (s *Server) postgresBytes() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	bytes, err := s.Stores.DB.ServerSize(ctx)
	if err != nil {
		return math.NaN() // other log lines report the failure already
	}
	return float64(bytes)
}
