package command

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress shows how far a walk through time has come: as a line that is rewritten on a terminal,
// else as one line at the end.
type progress struct {
	out        io.Writer
	title      string
	start, end time.Time
	moving     bool
	shown      int // per cent
}

func newProgress(out io.Writer, title string, start, end time.Time) *progress {
	p := &progress{out: out, title: title, start: start, end: end, shown: -1}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.moving = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

func (p *progress) at(t time.Time) {
	percent := int(100 * t.Sub(p.start) / p.end.Sub(p.start))
	if !p.moving || percent <= p.shown {
		return
	}
	p.shown = percent
	fmt.Fprintf(p.out, "\r%s: %d %%", p.title, percent)
}

// stop ends the line of a walk that does not come to its end.
func (p *progress) stop() {
	if p.moving && p.shown >= 0 {
		fmt.Fprintln(p.out)
	}
}

func (p *progress) done(summary string) {
	if p.moving {
		fmt.Fprint(p.out, "\r")
	}
	fmt.Fprintf(p.out, "%s: %s\n", p.title, summary)
}
