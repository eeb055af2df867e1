package bench

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// Print prints the result of a run.
func (r *Result) Print(out io.Writer) error {
	o := r.Options
	fmt.Fprintf(
		out,
		"\n%s: %d connections, window %d, %d values in %d bytes, MQTT %s, QoS 1, %s\n",
		r.Target,
		o.Connections,
		o.Window,
		r.Values,
		r.Payload,
		map[byte]string{4: "3.1.1", 5: "5"}[o.Protocol],
		o.Duration,
	)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, format string, a ...any) { fmt.Fprintf(w, "  %s\t%s\n", name, fmt.Sprintf(format, a...)) }
	row("acknowledged", "%s messages/s, %s values/s", thousands(r.Rate()), thousands(r.Rate()*float64(r.Values)))
	row("latency", "p50 %s, p99 %s, longest %s", short(r.P50), short(r.P99), short(r.Max))
	row("connected", "in %s", short(r.Connecting))
	if r.ProcessUnknown != nil {
		row("processors", "not known: %v", r.ProcessUnknown)
	} else {
		r.printProcess(row)
	}
	if r.Commits > 0 {
		row(
			"commits",
			"%s, %s messages each, waiting %s for the disk; %s not yet judged at the end",
			thousands(r.Commits),
			thousands(float64(r.Acknowledged)/r.Commits),
			short(r.CommitWait),
			thousands(r.Unevaluated),
		)
	}
	if r.DiskBlocks > 0 {
		row("the disk alone", "%s appends of that size a second, each made durable: %s messages/s",
			thousands(r.DiskBlocks), thousands(r.DiskBlocks*float64(r.Acknowledged)/r.Commits))
	}
	if r.Screen {
		row("live stream", "%s readings told, cut off %d times for not keeping up, told to fetch anew %d times",
			thousands(float64(r.LiveReadings)), r.LiveCuts, r.LiveResets)
	}
	row("in all", "%s sent, %s acknowledged, %s refused, %d connections broke",
		thousands(float64(r.Sent)), thousands(float64(r.Acknowledged)), thousands(float64(r.Refused)), r.Broken)
	if v := r.Verdict; v != nil {
		row("read back", "%s acknowledged values in %s: %d lost, %d wrong, %d extra",
			thousands(float64(v.Checked)), short(v.Took), v.Lost, v.Wrong, v.Extra)
	} else {
		row("read back", "nothing")
	}
	return w.Flush()
}

func (r *Result) printProcess(row func(name, format string, a ...any)) {
	if r.MemoryBefore == 0 {
		row("processors", "generator %.2f; the server's are not known", r.OwnCPU)
		return
	}
	row(
		"processors",
		"server %.2f (%s of them a message), generator %.2f",
		r.ServerCPU,
		short(r.PerMessage()),
		r.OwnCPU,
	)
	row(
		"memory",
		"%s before the connections, %s with them (%s each), %s at the end",
		mebibytes(r.MemoryBefore),
		mebibytes(r.MemoryOpen),
		kibibytes((r.MemoryOpen-r.MemoryBefore)/int64(r.Options.Connections)),
		mebibytes(r.MemoryEnd),
	)
}

// Pair is two runs that differ only in their target.
type Pair struct{ Own, Peer *Result }

// Compare prints the pairs' throughput in one table.
func Compare(out io.Writer, pairs []Pair) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i, p := range pairs {
		if i == 0 {
			fmt.Fprintf(
				w,
				"\nwindow\t%s messages/s\t%s messages/s\tratio\t%s p99\t%s p99\t%s CPU/message\t%s CPU/message\t\n",
				p.Own.Target,
				p.Peer.Target,
				p.Own.Target,
				p.Peer.Target,
				p.Own.Target,
				p.Peer.Target,
			)
		}
		fmt.Fprintf(
			w,
			"%d\t%s\t%s\t%.2f\t%s\t%s\t%s\t%s\t\n",
			p.Own.Options.Window,
			thousands(p.Own.Rate()),
			thousands(p.Peer.Rate()),
			p.Own.Rate()/p.Peer.Rate(),
			short(p.Own.P99),
			short(p.Peer.P99),
			perMessage(p.Own),
			perMessage(p.Peer),
		)
	}
	return w.Flush()
}

func perMessage(r *Result) string {
	if r.ServerCPU == 0 {
		return "not known"
	}
	return short(r.PerMessage())
}

// thousands writes a number without fraction and with commas.
func thousands(f float64) string {
	digits := fmt.Sprintf("%.0f", f)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// short writes a duration with about three digits.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= 100*time.Millisecond:
		return d.Round(time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	case d >= 100*time.Microsecond:
		return d.Round(time.Microsecond).String()
	}
	return d.Round(100 * time.Nanosecond).String()
}

func mebibytes(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }

func kibibytes(n int64) string { return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10)) }
