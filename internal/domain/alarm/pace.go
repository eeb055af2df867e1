package alarm

import (
	"maps"
	"math"
	"slices"
)

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
	// lasted is how much time passed in gaps of each length, by twoDigits, ms. Longer gaps than the
	// longest window are not counted: the device was silent.
	lasted map[int64]int64
}

func (p *pacer) add(at int64) {
	if p.count > 0 {
		gap := at - p.times[(p.count-1)%len(p.times)]
		if gap > 0 && gap <= Windows[len(Windows)-1].Milliseconds() {
			if p.lasted == nil {
				p.lasted = map[int64]int64{}
			}
			p.lasted[twoDigits(gap)] += gap
		}
	}
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

// usual is the interval at which half of the time was measured or more often, ms; 0: too few
// samples. Other than Pace it tells of all samples: a device may have measured at another interval
// until yesterday.
func (p *pacer) usual() int64 {
	if p.count <= fewestGaps {
		return 0
	}
	all, so := int64(0), int64(0)
	for _, time := range p.lasted {
		all += time
	}
	for _, gap := range slices.Sorted(maps.Keys(p.lasted)) {
		if so += p.lasted[gap]; 2*so >= all {
			return gap
		}
	}
	return 0
}

// twoDigits rounds a positive number up to two significant digits.
func twoDigits(n int64) int64 {
	unit := int64(math.Pow10(max(0, int(math.Log10(float64(n)))-1)))
	return (n + unit - 1) / unit * unit
}
