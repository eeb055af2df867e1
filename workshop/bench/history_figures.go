package bench

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// StoreResult is how the store of readings performs inside a process, without network and server.
type StoreResult struct {
	Values  int           // written
	Writing time.Duration // to write all values in batches, each made durable
	Sealing time.Duration // to seal them while nothing else runs
	Bytes   int64         // of the sealed readings
	Folder  int64         // bytes of the whole folder on disk, including what a compaction will remove

	// Frames that the store takes in a second: while a day is being sealed, and before and after.
	SealingRate, PlainRate float64

	Series, Downsampled, Range Percentiles // one device, all properties, the whole range
	Points                     int         // of Downsampled

	Years []GoalResult // hours and days of years of one device
}

// GoalResult is how long a question took, and how long it should take at most.
type GoalResult struct {
	Question string
	Took     Percentiles
	Goal     time.Duration // 0: no goal
}

// Measure calls a function so many times and returns the percentiles of its durations.
func Measure(times int, f func(n int) error) (Percentiles, error) {
	var h histogram
	for n := range times {
		began := time.Now()
		if err := f(n); err != nil {
			return Percentiles{}, err
		}
		h.add(time.Since(began))
	}
	return percentilesOf(&h), nil
}

// Print prints the result.
func (f *StoreResult) Print(out io.Writer) error {
	fmt.Fprintln(out, "\nInside one process, without network and server")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, format string, a ...any) { fmt.Fprintf(w, "  %s\t%s\n", name, fmt.Sprintf(format, a...)) }
	spread := func(s Percentiles) string { return fmt.Sprintf("p50 %s, p95 %s", short(s.P50), short(s.P95)) }
	row(
		"written",
		"%s values in %s: %s values/s",
		thousands(float64(f.Values)),
		short(f.Writing),
		thousands(float64(f.Values)/f.Writing.Seconds()),
	)
	row("sealed", "in %s, with nothing else going on", short(f.Sealing))
	row(
		"on disk",
		"%.2f bytes a value sealed (%s); wanted: 0.8 at most",
		float64(f.Bytes)/float64(f.Values),
		kibibytes(f.Bytes),
	)
	row(
		"",
		"%.2f the whole folder (%s): later compactions clear away what was sealed",
		float64(f.Folder)/float64(f.Values),
		kibibytes(f.Folder),
	)
	row("taken in", "%s frames/s while sealing, %s otherwise: %.0f %%; wanted: 80 %% at least",
		thousands(f.SealingRate), thousands(f.PlainRate), 100*f.SealingRate/f.PlainRate)
	row("every reading", "%s; wanted: 10ms", spread(f.Series))
	row(fmt.Sprintf("points=%d", f.Points), "%s", spread(f.Downsampled))
	row("frame by frame", "%s", spread(f.Range))
	for _, y := range f.Years {
		goal := ""
		if y.Goal > 0 {
			goal = "; wanted: under " + y.Goal.String()
		}
		row(y.Question, "%s%s", spread(y.Took), goal)
	}
	return w.Flush()
}
