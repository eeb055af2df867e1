package bench

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Print prints the result of the run.
func (r *AlarmResult) Print(out io.Writer) error {
	o := r.Options
	fmt.Fprintf(
		out,
		"\n%s: %s rules on %s devices, %d values in a message, %s messages/s offered, %s\n",
		r.Target,
		thousands(float64(o.Rules)),
		thousands(float64(r.Devices)),
		r.Values,
		thousands(float64(o.Rate)),
		o.Duration,
	)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, format string, a ...any) { fmt.Fprintf(w, "  %s\t%s\n", name, fmt.Sprintf(format, a...)) }
	row("rules", "made in %s, run in %s", short(r.Making), short(r.Running))
	row("without", "%s", r.Without.String())
	row("with them running", "%s", r.With.String())
	row("ratio", "%.2f", r.With.Rate/r.Without.Rate)
	if o.FlatOut > 0 {
		row("as much as is taken, without", "%s", r.FlatWithout.String())
		row("as much as is taken, with", "%s", r.FlatWith.String())
		row("ratio", "%.2f", r.FlatWith.Rate/r.FlatWithout.Rate)
	}
	row("notices", "%.0f/s began, %.0f/s ended", r.With.Opened, r.With.Resolved)
	row("on an open screen", "%s", r.Live.String())
	row("in the list", "%s; it is asked for every %s", r.Listed.String(), listEvery)
	row("memory", "%s before the rules ran, %s when they did, %s at the end of it",
		mebibytes(r.MemoryWithout), mebibytes(r.MemoryWith), mebibytes(r.With.Memory))
	row(
		"in all",
		"%s notices were to begin and %s to end; %s and %s were recorded; the screen was cut off %d times",
		thousands(float64(r.Opened)),
		thousands(float64(r.Resolved)),
		thousands(float64(r.RecordedOpened)),
		thousands(float64(r.RecordedResolved)),
		r.Cuts,
	)
	return w.Flush()
}

// String returns the part in one line.
func (p Part) String() string {
	return fmt.Sprintf("%s messages/s acknowledged, p50 %s, p99 %s, longest %s; server %.2f processors",
		thousands(p.Rate), short(p.P50), short(p.P99), short(p.Max), p.ServerCPU)
}

// String returns the delay in one line.
func (d Delay) String() string {
	return fmt.Sprintf("p50 %s, p99 %s, longest %s after the acknowledgement, of %s; %d missing",
		short(d.P50), short(d.P99), short(d.Max), thousands(float64(d.Count)), d.Missing)
}
