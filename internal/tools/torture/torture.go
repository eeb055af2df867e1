// Package torture does to real servers what machines and networks do to them:
// it kills them, fills and takes away their disks, tears their logs, steps their
// clocks, crowds them, and lets mail servers and gateways fail; and then
// compares what they have with all that they acknowledged. It speaks to them
// from outside alone.
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

// Options say how long and with what servers are tortured.
type Options struct {
	Binary          string   // of tilth
	SteppedBinary   string   // of tilth with a clock that can be stepped; empty: the clock is left alone
	Dir             string   // an empty folder for everything
	Rounds          int      // of the faults that are repeated
	IdleConnections int      // idle connections, and slow ones
	Only            []string // names of faults; none: all
	Out             io.Writer
	// ReleaseHung lets far ends that hang hang up in the end, so that no time-out is
	// waited for.
	ReleaseHung bool
}

// Row is what one fault has shown.
type Row struct {
	Fault     string
	Rounds    int
	Checked   int           // acknowledged readings, notices, mails and SMS that were looked for
	Lost      int           // of these, not there
	Repeated  int           // mails and SMS that came again
	InFlight  int           // how many of them may: those that were in flight at a kill
	Recovered time.Duration // the longest, from the fault's end until all worked again
	Remark    string
	NotRun    string // why the fault was not made; empty: it was
}

// Err is what of a row must not be; nil when it is as promised.
func (r *Row) Err() error {
	switch {
	case r.NotRun != "":
		return nil
	case r.Checked == 0:
		return fmt.Errorf("%s: nothing was checked", r.Fault)
	case r.Lost > 0:
		return fmt.Errorf("%s: %d lost", r.Fault, r.Lost)
	case r.Repeated > r.InFlight:
		return fmt.Errorf("%s: %d came again, at most %d were in flight at kills", r.Fault, r.Repeated, r.InFlight)
	}
	return nil
}

// errNotRun is wrapped by a fault that cannot be made on this machine.
var errNotRun = errors.New("not run")

type fault struct {
	name string
	make func(ctx context.Context, o *Options, r *Row) error
}

var faults = []fault{
	{"kill -9", kills},
	{"disk full", fullDisk},
	{"disk turns read-only", brokenDisk},
	{"torn last log record", tornLogs},
	{"clock steps", clockSteps},
	{"slow and half-open", slowClients},
	{"idle connections", idleClients},
	{"mail server fails", mailFails},
	{"SMS gateway fails", smsFails},
}

// Run makes the faults one after the other, prints the table, and answers what
// was not as promised.
func Run(ctx context.Context, o Options) error {
	for _, name := range o.Only {
		if !slices.ContainsFunc(faults, func(f fault) bool { return f.name == name }) {
			return fmt.Errorf("no fault is called %q", name)
		}
	}
	var rows []Row
	var trouble error
	for _, f := range faults {
		if len(o.Only) > 0 && !slices.Contains(o.Only, f.name) {
			continue
		}
		fmt.Fprintf(o.Out, "%s …\n", f.name)
		r, err := runFault(ctx, &o, f)
		if err != nil {
			trouble = errors.Join(trouble, fmt.Errorf("%s: %w", f.name, err))
			r.Remark = "ended badly"
		}
		trouble = errors.Join(trouble, r.Err())
		rows = append(rows, *r)
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(Print(o.Out, rows), trouble)
}

// runFault makes a fault in a folder of its own.
func runFault(ctx context.Context, o *Options, f fault) (r *Row, err error) {
	r = &Row{Fault: f.name}
	faultOptions := *o
	if faultOptions.Dir, err = os.MkdirTemp(o.Dir, "fault-"); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(faultOptions.Dir)) }()
	err = f.make(ctx, &faultOptions, r)
	if errors.Is(err, errNotRun) {
		r.NotRun, err = strings.TrimPrefix(err.Error(), errNotRun.Error()+": "), nil
	}
	return r, err
}

// Print prints rows as the table that docs/faults.md shows.
func Print(out io.Writer, rows []Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| fault\t| rounds\t| checked\t| lost\t| repeated\t| recovered in\t| \t|")
	fmt.Fprintln(w, "|---\t|--:\t|--:\t|--:\t|--:\t|--:\t|---\t|")
	for _, r := range rows {
		if r.NotRun != "" {
			fmt.Fprintf(w, "| %s\t| \t| \t| \t| \t| \t| not run: %s\t|\n", r.Fault, r.NotRun)
			continue
		}
		fmt.Fprintf(w, "| %s\t| %d\t| %d\t| %d\t| %d\t| %s\t| %s\t|\n",
			r.Fault, r.Rounds, r.Checked, r.Lost, r.Repeated, r.Recovered.Round(10*time.Millisecond), r.Remark)
	}
	return w.Flush()
}
