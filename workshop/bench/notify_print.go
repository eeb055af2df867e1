package bench

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Print prints the result of the run.
func (r *NotifyResult) Print(out io.Writer) error {
	o, m := r.Options, &r.Mails
	fmt.Fprintf(
		out,
		"\n%s: %d tenants of %d users with a screen each, two addresses a tenant, %s notices a volley, %d volleys, one in %s, "+
			"which end after %s; --digest-after %d\n",
		r.Target,
		o.Tenants,
		o.Users,
		thousands(float64(o.Notices)),
		o.Volleys,
		o.Every,
		o.Hold,
		o.DigestAfter,
	)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, format string, a ...any) { fmt.Fprintf(w, "  %s\t%s\n", name, fmt.Sprintf(format, a...)) }
	row("as much as is taken, without", "%s", r.Without.String())
	row("with volleys", "%s; generator %.2f", r.With.String(), r.OwnCPU)
	row("ratio", "%.2f", r.With.Rate/r.Without.Rate)
	row(
		"while notices began or ended",
		"%s messages/s acknowledged, ratio %.2f",
		thousands(r.During),
		r.During/r.Without.Rate,
	)
	var spans []string
	for _, s := range r.Spans {
		spans = append(spans, short(s))
	}
	row("readings that begin a volley", "acknowledged within %s", strings.Join(spans, ", "))
	row("in the list", "%s; it is asked for every %s", r.Listed.String(), listPollInterval)
	row("notices on the screens", "%s", r.Noticed.String())
	row("messages on the screens", "%s", r.Messages.String())
	if m.Single.Count > 0 {
		row("mails of one notice", "p50 %s, p99 %s, longest %s after the acknowledgement, of %s",
			short(m.Single.P50), short(m.Single.P99), short(m.Single.Max), thousands(float64(m.Single.Count)))
	}
	for i, v := range m.Volleys {
		if v.Count > 0 {
			row("", "volley %d: p50 %s, p99 %s, longest %s", i+1, short(v.P50), short(v.P99), short(v.Max))
		}
	}
	if m.Digests > 0 {
		row(
			"mails of several notices",
			"%s, with what %s mails of one would tell",
			thousands(float64(m.Digests)),
			thousands(float64(m.Told-m.Single.Count)),
		)
	}
	row("the outbox", "%s", r.emptied())
	row("memory", "%s with the screens open, %s before the volleys, %s after them, %s when the outbox was empty",
		mebibytes(r.MemoryOpen), mebibytes(r.Without.Memory), mebibytes(r.With.Memory), mebibytes(r.MemoryEmpty))
	row(
		"in all",
		"%s notices began and ended; %d were not recorded, %d not expected; %d events told twice, %d of nothing; "+
			"screens were cut off %d times, told to fetch anew %d times",
		thousands(float64(r.Notices)),
		r.Unrecorded,
		r.Stray,
		r.Duplicates,
		r.Unknown,
		r.Cuts,
		r.Resets,
	)
	row(
		"mails",
		"%s; they tell %s of %s things: %d lost, %d told twice, %d stray",
		thousands(float64(m.Mails)),
		thousands(float64(m.Told)),
		thousands(float64(m.Wanted)),
		m.Lost,
		m.Twice,
		m.Stray,
	)
	return w.Flush()
}

func (r *NotifyResult) emptied() string {
	if !r.Emptied {
		return fmt.Sprintf(
			"not empty %s after the last volley: %s deliveries wait",
			r.Options.Patience,
			thousands(float64(r.Queued)),
		)
	}
	return fmt.Sprintf("empty, the last mail came %s after the last acknowledgement", short(r.Mails.Last))
}
