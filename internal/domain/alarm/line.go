package alarm

import "math"

// point is a value at a time (ms, from any origin).
type point struct{ t, v float64 }

// line is the straight line that is closest to points by least squares.
type line struct {
	slope float64 // of v, per ms
	at0   float64 // v at t = 0
	fit   float64 // share of the variance that it explains (R²), 0..1
}

// extrapolable returns the line of points, oldest first, if they follow it closely enough to
// extrapolate: enough of them over enough time, little scatter, and neither half much faster or slower
// than the whole, as when a curve flattens. The thresholds are in outlook.go.
func extrapolable(points []point) (line, bool) {
	n := len(points)
	if n < trendLeast || points[n-1].t-points[0].t < float64(trendSpread.Milliseconds()) {
		return line{}, false
	}
	whole := lineOf(points)
	if !(whole.fit >= trendFit) {
		return line{}, false
	}
	for _, half := range [][]point{points[:n/2], points[n/2:]} {
		if ratio := lineOf(half).slope / whole.slope; !(ratio >= 1./trendUneven && ratio <= trendUneven) {
			return line{}, false
		}
	}
	return whole, true
}

// lineOf fits a line. All its fields are NaN where the points do not differ in time. Its fit is NaN
// where they do not differ in value.
func lineOf(points []point) line {
	n := float64(len(points))
	var t, v float64
	for _, p := range points {
		t += p.t / n
		v += p.v / n
	}
	var tt, tv, vv float64
	for _, p := range points {
		tt += (p.t - t) * (p.t - t)
		tv += (p.t - t) * (p.v - v)
		vv += (p.v - v) * (p.v - v)
	}
	slope := tv / tt
	fit := math.NaN()
	if vv > 0 {
		fit = slope * tv / vv
	}
	return line{slope: slope, at0: v - slope*t, fit: fit}
}
