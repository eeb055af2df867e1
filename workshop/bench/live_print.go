package bench

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Print prints the result of the run.
func (r *LiveResult) Print(out io.Writer) error {
	o := r.Options
	fmt.Fprintf(out, "\n%s: %s open screens of %d tenants, %d values in a reading, parts of %s\n",
		r.Target, thousands(float64(o.Screens)), o.Tenants, o.Values, o.Duration)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, format string, a ...any) { fmt.Fprintf(w, "  %s\t%s\n", name, fmt.Sprintf(format, a...)) }
	row("opened", "in %s", short(r.Opening))
	row("quiet", "%s before the screens, %s with them, %s each; server %.2f processors, %s of a second each",
		mebibytes(r.MemoryBefore), mebibytes(r.MemoryOpen), kibibytes(r.each(r.MemoryOpen)), r.Quiet, r.share(r.Quiet))
	for _, p := range r.Parts {
		r.printPart(row, &p)
	}
	if o.Slow > 0 {
		row("screens that never read", "%s", r.slowly())
	}
	row(
		"in all",
		"%d events lost, %d told twice, %d of no reading; screens that read were cut off %d times, told to fetch anew %d times",
		r.lost(),
		r.Duplicates,
		r.Unknown,
		r.Cuts,
		r.Resets,
	)
	return w.Flush()
}

func (r *LiveResult) printPart(row func(name, format string, a ...any), p *LivePart) {
	seconds := r.Options.Duration.Seconds()
	row(
		p.Name,
		"%s readings/s, %s events/s; server %.2f processors, %s of a second a screen; generator %.2f",
		thousands(float64(p.Readings)/seconds),
		thousands(float64(p.Events())/seconds),
		p.ServerCPU,
		r.share(p.ServerCPU),
		p.OwnCPU,
	)
	row("", "memory %s, %s a screen", mebibytes(p.Memory), kibibytes(r.each(p.Memory)))
	if p.Others.Count > 0 {
		row("", "on screens of the other tenants: %s", p.Others.String())
	}
	if p.Busy.Count > 0 {
		row("", "on screens of the last tenant: %s", p.Busy.String())
	}
}

// slowly says how many of the screens that never read were cut off, and when.
func (r *LiveResult) slowly() string {
	at := "not known when"
	if r.SlowFor > 0 {
		at = "the last after " + short(r.SlowFor)
	}
	return fmt.Sprintf("%d of %d cut off, %s", r.SlowCut, r.Options.Slow, at)
}

func (r *LiveResult) lost() (n int) {
	for _, p := range r.Parts {
		n += p.Others.Missing + p.Busy.Missing
	}
	return n
}

// each returns how many bytes a screen has added to the server's memory.
func (r *LiveResult) each(memory int64) int64 {
	return (memory - r.MemoryBefore) / int64(r.Options.Screens)
}

// share returns the processor time of one screen in a second.
func (r *LiveResult) share(cores float64) string {
	return short(time.Duration(cores / float64(r.Options.Screens) * float64(time.Second)))
}
