package bench

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Print prints the result of a run.
func (h *History) Print(out io.Writer) error {
	r := h.Records
	fmt.Fprintf(
		out,
		"\nOver the network: %d devices, %d days, a reading every %s, %d properties: %s values. Asked about one device at a time,\n"+
			"timed by the client from the question to the last value read; every answer was compared with what was written.\n",
		len(r.Devices),
		r.Days,
		r.Step,
		len(r.Properties),
		thousands(float64(r.Total())),
	)
	for i, name := range h.Stores[1:] {
		fmt.Fprintf(out, "Loading %s took %s.\n", name, short(h.Loading[i+1]))
	}
	for _, a := range h.Asked {
		if err := h.printAsked(out, &a); err != nil {
			return err
		}
	}
	fmt.Fprintf(
		out,
		"\n%d days as a spreadsheet (%d rows, %s): p50 %s, p95 %s\n",
		r.Days,
		h.Rows,
		kibibytes(int64(h.Bytes)),
		short(h.Export.P50),
		short(h.Export.P95),
	)
	if h.Years == nil {
		return nil
	}
	return h.printYears(out)
}

func (h *History) printYears(out io.Writer) error {
	fmt.Fprintln(
		out,
		"\nYears, over the network: low, mean and high of each hour or day, compared with what was written.",
	)
	for _, r := range []*Records{h.Years.Year, h.Years.Ten} {
		fmt.Fprintf(
			out,
			"%d devices, %d days, a reading every %s, properties: %d; %s values.\n",
			len(r.Devices),
			r.Days,
			r.Step,
			len(r.Properties),
			thousands(float64(r.Total())),
		)
	}
	for i, name := range h.Stores[1:] {
		if h.LoadingYears[i+1] > 0 {
			fmt.Fprintf(out, "Loading %s took %s.\n", name, short(h.LoadingYears[i+1]))
		}
	}
	for _, a := range h.AskedYears {
		if err := h.printAsked(out, &a); err != nil {
			return err
		}
	}
	return nil
}

func (h *History) printAsked(out io.Writer, a *QuestionResult) error {
	fmt.Fprintf(out, "\n%s\n", a.Question)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tfirst p50\tp95\twarm p50\tp95\tof tilth's\t\n")
	for i, t := range a.Times {
		if t.Failed != nil || t.LeftOut {
			why := "failed"
			if t.LeftOut {
				why = "left out"
			}
			fmt.Fprintf(w, "%s\t-\t-\t-\t-\t%s\t\n", h.Stores[i], why)
			continue
		}
		ratio := ""
		if own := a.Times[0].Warm.P50; own > 0 {
			ratio = fmt.Sprintf("%.2f", t.Warm.P50.Seconds()/own.Seconds())
		}
		fmt.Fprintf(
			w,
			"%s\t%s\t%s\t%s\t%s\t%s\t\n",
			h.Stores[i],
			short(t.First.P50),
			short(t.First.P95),
			short(t.Warm.P50),
			short(t.Warm.P95),
			ratio,
		)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	warm, ratio := a.Fastest(false)
	if warm < 0 {
		return nil
	}
	first, firstRatio := a.Fastest(true)
	fmt.Fprintf(
		out,
		"Faster than the fastest peer: %.2f times warm (%s), %.2f times the first time (%s)",
		ratio,
		h.Stores[warm],
		firstRatio,
		h.Stores[first],
	)
	if a.Goal > 0 {
		fmt.Fprintf(out, "; wanted: %.0f", a.Goal)
	}
	_, err := fmt.Fprintln(out)
	return err
}
