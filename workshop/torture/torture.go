// Package torture injects faults into real servers, as machines and networks cause them: it kills
// them, fills their disks and turns them read-only, tears their logs, steps their clocks, opens
// thousands of connections, and makes mail servers and SMS gateways fail. Then it compares what the
// servers have with all that they acknowledged. It uses only their network interfaces.
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

// Options say which servers are tested, how often, and with which faults.
type Options struct {
	Binary          string   // path of tilth
	SteppedBinary   string   // path of a tilth whose clock can be stepped; empty: clock steps are not run
	Dir             string   // an empty folder for all files
	Rounds          int      // of the faults that repeat
	IdleConnections int      // idle connections, and slow ones
	Only            []string // names of faults; empty: all
	Out             io.Writer
	// ReleaseHung makes the mail server or SMS gateway close its hung connections at the end of the
	// fault, so that no sender waits for its time-out.
	ReleaseHung bool
}

// Row is the result of one fault.
type Row struct {
	Fault     string
	Rounds    int
	Checked   int           // acknowledged readings, notices, mails and SMS that were checked
	Lost      int           // of these, missing
	Repeated  int           // mails and SMS that arrived again
	InFlight  int           // how many may arrive again: those in flight at a kill
	Recovered time.Duration // the longest time from the fault's end until everything worked
	Remark    string
	NotRun    string // why the fault was not run; empty if it was
}

// Err returns an error if the row breaks a promise: something was lost, or more came again than
// may.
func (r *Row) Err() error {
	switch {
	case r.NotRun != "":
		return nil
	case r.Checked == 0:
		return fmt.Errorf("%s: nothing was checked", r.Fault)
	case r.Lost > 0:
		return fmt.Errorf("%s: %d lost", r.Fault, r.Lost)
	case r.Repeated > r.InFlight:
		return fmt.Errorf("%s: %d arrived again, at most %d were in flight at kills", r.Fault, r.Repeated, r.InFlight)
	}
	return nil
}

// errNotRun is wrapped in the error of a fault that this machine cannot run.
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

// Run runs the faults one after the other, prints the table, and returns an error for each broken
// promise.
func Run(ctx context.Context, o Options) error {
	for _, name := range o.Only {
		if !slices.ContainsFunc(faults, func(f fault) bool { return f.name == name }) {
			return fmt.Errorf("no fault is called %q", name)
		}
	}
	var rows []Row
	var failed error
	for _, f := range faults {
		if len(o.Only) > 0 && !slices.Contains(o.Only, f.name) {
			continue
		}
		fmt.Fprintf(o.Out, "%s …\n", f.name)
		r, err := runFault(ctx, &o, f)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", f.name, err))
			r.Remark = "ended badly"
		}
		failed = errors.Join(failed, r.Err())
		rows = append(rows, *r)
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(Print(o.Out, rows), failed)
}

// runFault runs a fault in a folder of its own.
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

// Print prints rows as the table in docs/faults.md.
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
