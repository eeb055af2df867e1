package alarm

import "slices"

const (
	paceGaps   = 50 // how many of the newest gaps between samples tell the usual interval
	fewestGaps = 5  // with fewer gaps the usual interval is unknown
)

// Pace is how often a rule's device measures a property that the rule uses.
type Pace struct {
	Interval int64 // ms between samples, the median of the last 50; 0: too few samples
	// Fits is false where, at that interval, fewer than the rule's Hits samples fall into its
	// Window: the rule could hardly ever trigger.
	Fits bool
}

// pacer collects the times of samples, oldest first.
type pacer struct {
	times [paceGaps + 1]int64 // epoch ms
	count int
}

func (p *pacer) add(at int64) {
	p.times[p.count%len(p.times)] = at
	p.count++
}

// pace is what the newest samples say about a rule's window.
func (p *pacer) pace(r Rule) Pace {
	times := slices.Clone(p.times[:min(p.count, len(p.times))])
	slices.Sort(times)
	if len(times) <= fewestGaps {
		return Pace{Fits: true}
	}
	gaps := make([]int64, len(times)-1)
	for i := range gaps {
		gaps[i] = times[i+1] - times[i]
	}
	slices.Sort(gaps)
	usual := gaps[len(gaps)/2]
	return Pace{Interval: usual, Fits: int64(r.Hits-1)*usual < r.Window.Milliseconds()}
}
