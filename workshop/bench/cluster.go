package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// ClusterOptions are the options of RunCluster.
type ClusterOptions struct {
	Binary string   // path of tilth
	Dir    string   // an empty folder for everything that the run makes
	Args   []string // further settings of every server
	Out    io.Writer

	// Rounds is how often each of the three is loaded, one after the other.
	Rounds      int
	Duration    time.Duration // of one measurement
	Connections int           // at full load
	Window      int           // messages of a connection in flight at full load
	Values      int           // in a message
	Rate        int           // messages a second of the fixed rate
	// RuledShare is the share of the devices that have a rule when nodes take over: one in so many.
	RuledShare int
	// Takeovers are the numbers of devices with which nodes take over, and how often in each way.
	Takeovers []ClusterSize

	// Apply hands a provider's file to the server with this admin address.
	Apply func(ctx context.Context, admin, token string, file []byte) error
	// StartDatabase starts PostgreSQL with a synchronous copy in a new folder.
	StartDatabase func(ctx context.Context, dir string) (ClusterDatabase, error)
	// CopyRules writes running rules into a data folder that no server has open.
	CopyRules func(ctx context.Context, dir string, copies []RuleCopies) error
	// MoveDatabase moves the database of such a folder to PostgreSQL.
	MoveDatabase func(ctx context.Context, dir, url string) error
}

// ClusterSize is a number of registered devices, and how often a node takes over with them.
type ClusterSize struct{ Devices, Times int }

// ClusterDatabase is a PostgreSQL server with a copy.
type ClusterDatabase interface {
	URL() string
	Stop() error
}

const (
	pacedConnections = 200 // connections with the fixed rate
	// fillStart is the time within which a server with many devices must start.
	fillStart = 5 * time.Minute
)

type clusterBench struct{ ClusterOptions }

// RunCluster measures one server alone, a node of a cluster, and a node with a standby, one after the
// other, and then how long a node takes to take over. It prints what it measures.
func RunCluster(ctx context.Context, o ClusterOptions) error {
	b := &clusterBench{o}
	var loads clusterLoads
	for round := range o.Rounds {
		for kind := range clusterKinds {
			began := time.Now()
			l, err := b.load(ctx, kind)
			if err != nil {
				return fmt.Errorf("%s, round %d: %w", clusterKinds[kind], round+1, err)
			}
			loads[kind] = append(loads[kind], l)
			b.printf("round %d, %s: %s messages/s, p99 %s at %s messages/s (%s)\n", round+1, clusterKinds[kind],
				thousands(l.full.Rate()), short(l.paced.P99), thousands(float64(o.Rate)), short(time.Since(began)))
		}
	}
	var takeovers []takeoverResult
	for _, size := range o.Takeovers {
		r, err := b.takeovers(ctx, size)
		if err != nil {
			return fmt.Errorf("take over with %d devices: %w", size.Devices, err)
		}
		takeovers = append(takeovers, *r)
	}
	if o.Rounds > 0 {
		if err := loads.print(b.Out, o); err != nil {
			return err
		}
	}
	if len(takeovers) == 0 {
		return nil
	}
	return printTakeovers(b.Out, takeovers)
}

func (b *clusterBench) printf(format string, a ...any) { fmt.Fprintf(b.Out, format, a...) }

// inFolder calls f with a new folder, which is deleted afterwards.
func (b *clusterBench) inFolder(name string, f func(dir string) error) (err error) {
	dir := filepath.Join(b.Dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil { // PostgreSQL runs as another user than root
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return f(dir)
}

// withDatabase calls f with a new database in a folder, and stops it afterwards.
func (b *clusterBench) withDatabase(ctx context.Context, dir string, f func(url string) error) (err error) {
	d, err := b.StartDatabase(ctx, filepath.Join(dir, "pg"))
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	defer func() { err = errors.Join(err, d.Stop()) }()
	return f(d.URL())
}

// newToken makes a provider's token, which must be longer than a device's secret.
func newToken() string { return rand.Text() + rand.Text() }
