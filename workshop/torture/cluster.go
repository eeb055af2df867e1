package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// ClusterOptions say how a cluster is tested.
type ClusterOptions struct {
	Binary string   // path of tilth
	Dir    string   // an empty folder with a short path
	Rounds int      // of the faults that repeat
	Only   []string // names of faults; empty: all
	Fsync  bool     // PostgreSQL waits for the disk
	Paced  bool     // orderlyLimit grows with what a kill took in this run: the machine's speed is not known
	Out    io.Writer
}

// ClusterRow is the result of one fault of a cluster.
type ClusterRow struct {
	Row
	Before  float64       // messages acknowledged in a second before the fault
	Again   time.Duration // from the fault until a message that was sent after it was acknowledged
	Quiet   time.Duration // the longest time without any acknowledgement after the fault began
	Silence time.Duration // the longest time in which one device got no acknowledgement
	Page    time.Duration // from the fault until a page showed readings of whoever leads then
	Limit   time.Duration // of Again and Quiet
}

// deviceMargin is how much longer than all together one device may be without an answer: it may have
// waited in vain twice before.
const deviceMargin = 2 * (devicePatience + devicePause)

// Err returns an error if the row breaks a promise.
func (r *ClusterRow) Err() error {
	err := r.Row.Err()
	if r.NotRun != "" {
		return err
	}
	for _, t := range []struct {
		what        string
		took, limit time.Duration
	}{
		{"a message was acknowledged again after", r.Again, r.Limit},
		{"nothing was acknowledged for", r.Quiet, r.Limit},
		{"a page showed no readings for", r.Page, r.Limit + deviceMargin},
		{"one device got no acknowledgement for", r.Silence, r.Limit + deviceMargin},
	} {
		if t.took > t.limit {
			err = errors.Join(err, fmt.Errorf("%s: %s %s, more than %s",
				r.Fault, t.what, t.took.Round(time.Millisecond), t.limit.Round(time.Millisecond)))
		}
	}
	return err
}

// note adds what devices noticed of one round.
func (r *ClusterRow) note(f *faultWatch) {
	r.Again = max(r.Again, f.again())
	r.Quiet = max(r.Quiet, f.quiet)
	r.Silence = max(r.Silence, f.silence)
}

// RunCluster runs the faults of a cluster, prints the table, and returns an error for each broken
// promise. The faults share a cluster; after one that ends badly, the next gets a new one.
func RunCluster(ctx context.Context, o ClusterOptions) error {
	for _, name := range o.Only {
		if !slices.ContainsFunc(clusterFaults, func(f clusterFault) bool { return f.name == name }) {
			return fmt.Errorf("no fault of a cluster is called %q", name)
		}
	}
	if err := os.Chmod(o.Dir, 0o755); err != nil { // PostgreSQL may run as another user
		return err
	}
	var rows []ClusterRow
	var failed error
	var killed time.Duration // until another node led after a kill
	var bed *clusterBed
	defer func() { // after a panic, too
		if bed != nil {
			_ = bed.close()
		}
	}()
	for _, f := range clusterFaults {
		if len(o.Only) > 0 && !slices.Contains(o.Only, f.name) {
			continue
		}
		if bed == nil {
			fmt.Fprintln(o.Out, "starting PostgreSQL, its copy and the nodes …")
			var err error
			if bed, err = openClusterBed(ctx, &o); err != nil {
				return errors.Join(failed, err)
			}
		}
		began := time.Now()
		fmt.Fprintf(o.Out, "%s … ", f.name)
		r := &ClusterRow{Row: Row{Fault: f.name}, Limit: f.limit}
		if o.Paced && f.limit == orderlyLimit {
			r.Limit = max(orderlyLimit, orderlyPerKill*killed)
		}
		err := bed.runFault(ctx, f, r)
		if f.name == "leader killed" {
			killed = r.Again
		}
		fmt.Fprintln(o.Out, time.Since(began).Round(100*time.Millisecond))
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", f.name, err))
			r.Remark = "ended badly"
			fmt.Fprintf(o.Out, "%s ended badly: %v\n%v\n", f.name, err, bed.logs())
			failed = errors.Join(failed, bed.close())
			bed = nil
		}
		failed = errors.Join(failed, r.Err())
		rows = append(rows, *r)
		if ctx.Err() != nil {
			break
		}
	}
	if bed != nil {
		failed = errors.Join(failed, bed.close())
		bed = nil
	}
	return errors.Join(PrintCluster(o.Out, rows), failed)
}

// runFault runs the rounds of a fault, and then compares everything that was acknowledged.
func (b *clusterBed) runFault(ctx context.Context, f clusterFault, r *ClusterRow) error {
	r.Remark = f.remark
	var broken error
	rounds := 1
	if f.repeats {
		rounds = b.options.Rounds
	}
	for range rounds {
		err := f.make(ctx, b, r)
		switch {
		case errors.Is(err, errNotRun):
			r.NotRun = strings.TrimPrefix(err.Error(), errNotRun.Error()+": ")
			return nil
		case errors.Is(err, errBroken):
			broken = errors.Join(broken, err)
		case err != nil:
			return err
		}
		r.Rounds++
		r.InFlight += f.inFlight
		if err := b.awaitWhole(ctx); err != nil {
			broken = errors.Join(broken, err)
			break // what was acknowledged is read back all the same
		}
	}
	return errors.Join(broken, b.verify(ctx, r))
}

// errBroken is wrapped by the error of a fault that breaks a promise while the cluster goes on: then
// everything is read back all the same.
var errBroken = errors.New("a promise is broken")

// PrintCluster prints rows as the table in docs/faults.md.
func PrintCluster(out io.Writer, rows []ClusterRow) error {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| fault\t| rounds\t| acks/s before\t| again after\t| all quiet\t| one device\t| page\t| limit\t"+
		"| checked\t| lost\t| repeated\t| \t|")
	fmt.Fprintln(w, "|---\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|---\t|")
	seconds := func(d time.Duration) string {
		if d == 0 {
			return "–"
		}
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	for _, r := range rows {
		if r.NotRun != "" {
			fmt.Fprintf(w, "| %s\t| \t| \t| \t| \t| \t| \t| \t| \t| \t| \t| not run: %s\t|\n", r.Fault, r.NotRun)
			continue
		}
		fmt.Fprintf(w, "| %s\t| %d\t| %.0f\t| %s\t| %s\t| %s\t| %s\t| %s\t| %d\t| %d\t| %d\t| %s\t|\n",
			r.Fault, r.Rounds, r.Before, seconds(r.Again), seconds(r.Quiet), seconds(r.Silence), seconds(r.Page),
			seconds(r.Limit),
			r.Checked, r.Lost, r.Repeated, r.Remark)
	}
	return w.Flush()
}
