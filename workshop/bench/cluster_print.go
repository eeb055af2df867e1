package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// print prints the figures of all rounds: the median, and the smallest and the largest.
func (c *clusterLoads) print(out io.Writer, o ClusterOptions) error {
	fmt.Fprintf(out, "\n%d rounds of %s: full load by %d connections with %d messages in flight; %s messages/s by %d "+
		"connections; %d values a message; median (smallest to largest)\n", o.Rounds, o.Duration, o.Connections, o.Window,
		thousands(float64(o.Rate)), pacedConnections, o.Values)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\t%s\t%s\t%s\n", clusterKinds[serverAlone], clusterKinds[nodeAlone], clusterKinds[nodeWithStandby])
	row := func(name string, from int, cell func(all []clusterLoad) string) {
		fmt.Fprint(w, name)
		for kind := range clusterKinds {
			text := ""
			if kind >= from {
				text = cell(c[kind])
			}
			fmt.Fprint(w, "\t", text)
		}
		fmt.Fprintln(w)
	}
	count := func(of func(l clusterLoad) float64) func([]clusterLoad) string {
		return func(all []clusterLoad) string { return spread(all, of, thousands) }
	}
	took := func(of func(l clusterLoad) time.Duration) func([]clusterLoad) string {
		return func(all []clusterLoad) string { return spread(all, of, short) }
	}
	row("full load, messages/s", 0, count(func(l clusterLoad) float64 { return l.full.Rate() }))
	row("  of one server alone, by round", nodeAlone, func(all []clusterLoad) string {
		var ratios []float64
		for i := range all {
			ratios = append(ratios, all[i].full.Rate()/c[serverAlone][i].full.Rate())
		}
		return spread(
			ratios,
			func(r float64) float64 { return r },
			func(r float64) string { return fmt.Sprintf("%.2f", r) },
		)
	})
	row("  processor time a message", 0, took(func(l clusterLoad) time.Duration { return l.full.PerMessage() }))
	row("  to the acknowledgement, p50", 0, took(func(l clusterLoad) time.Duration { return l.full.P50 }))
	row("  p99", 0, took(func(l clusterLoad) time.Duration { return l.full.P99 }))
	row("  PostgreSQL's log, bytes a message", nodeAlone, count(func(l clusterLoad) float64 { return l.fullWAL }))
	row("  the standby behind, entries", nodeWithStandby, count(func(l clusterLoad) float64 { return l.lag.entries }))
	row("  at most", nodeWithStandby, count(func(l clusterLoad) float64 { return l.lag.mostEntries }))
	row("  the standby behind, time", nodeWithStandby, took(func(l clusterLoad) time.Duration { return l.lag.time }))
	row("  at most", nodeWithStandby, took(func(l clusterLoad) time.Duration { return l.lag.longest }))
	row("fixed rate, p50", 0, took(func(l clusterLoad) time.Duration { return l.paced.P50 }))
	row("  p99", 0, took(func(l clusterLoad) time.Duration { return l.paced.P99 }))
	row("  PostgreSQL's log, bytes a message", nodeAlone, count(func(l clusterLoad) float64 { return l.pacedWAL }))
	return w.Flush()
}

// printTakeovers prints how long nodes took to take over.
func printTakeovers(out io.Writer, all []takeoverResult) error {
	fmt.Fprintln(out, "\nTaking over; median (smallest to largest)")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(
		w,
		"devices\tpairs\tkill -9 to acknowledgement\tto evaluation\thand-over, unanswered\tfrom the request\tread back",
	)
	same := func(d time.Duration) time.Duration { return d }
	for _, r := range all {
		fmt.Fprintf(
			w,
			"%s\t%s\t%s\t%s\t%s\t%s\t%d values, %d lost\n",
			thousands(float64(r.size.Devices)),
			thousands(float64(r.pairs)),
			spread(
				r.kills,
				same,
				short,
			),
			spread(r.judged, same, short),
			spread(r.yields, same, short),
			spread(r.asked, same, short),
			r.checked.Checked,
			r.checked.Lost,
		)
	}
	return w.Flush()
}

// spread writes the median of what was measured and its range, or both if there are two.
func spread[T any, N cmp.Ordered](all []T, of func(T) N, write func(N) string) string {
	var found []N
	for _, x := range all {
		found = append(found, of(x))
	}
	switch len(found) {
	case 0:
		return "not measured"
	case 1:
		return write(found[0])
	case 2:
		return fmt.Sprintf("%s and %s", write(slices.Min(found)), write(slices.Max(found)))
	}
	return fmt.Sprintf("%s (%s to %s)", write(median(found)), write(slices.Min(found)), write(slices.Max(found)))
}

// median returns the middle one, the lower of two.
func median[N cmp.Ordered](all []N) N {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)-1)/2]
}
