package farm

import "time"

// randomWalks makes values for a thing model that the simulator does not know.
type randomWalks []randomWalk

type randomWalk struct {
	sensor     *sensor
	identifier string
	boolean    bool
}

// Bounds of a number whose property gives none.
const (
	walkMin = 0.
	walkMax = 100.
)

func newWalk(seed uint64, device string, properties []Property) randomWalks {
	var w randomWalks
	for _, p := range properties {
		if p.Formula != "" || p.DataType != "" && p.DataType != "number" && p.DataType != "boolean" {
			continue
		}
		s := p.sensor(seed, device, accuracy{})
		switch {
		case p.Min == nil && p.Max == nil:
			s.min, s.max = walkMin, walkMax
		case p.Min == nil:
			s.min = *p.Max - (walkMax - walkMin)
		case p.Max == nil:
			s.max = *p.Min + (walkMax - walkMin)
		}
		w = append(w, randomWalk{sensor: s, identifier: p.Identifier, boolean: p.DataType == "boolean"})
	}
	return w
}

// measure returns the values at t. They move over the whole range within hours and change a little
// within minutes.
func (w randomWalks) measure(t time.Time, _ time.Duration) ([]Value, bool) {
	seconds := float64(t.UnixMilli()) / 1000
	values := make([]Value, len(w))
	for i, x := range w {
		n := x.sensor.noise
		if x.boolean {
			values[i] = Value{x.identifier, n.smooth(seconds, 1800) > .5}
			continue
		}
		// The share of normal numbers below a normal number is evenly distributed over 0..1.
		share := normalShare(.9*n.smooth(seconds, 4*3600) + .436*n.smooth(seconds, 600))
		values[i] = Value{x.identifier, x.sensor.rounded(x.sensor.min + share*(x.sensor.max-x.sensor.min))}
	}
	return values, true
}
