package farm

import "math"

// Value is one reading: a float64, a bool or a string under its property's
// identifier.
type Value struct {
	Identifier string
	Value      any
}

// sensor makes a device's reading from a true value.
type sensor struct {
	accuracy
	noise    noise
	min, max float64
	decimals float64 // ten to the power of the decimals
}

// read returns reading number i of a true value.
func (s *sensor) read(truth float64, i int64) float64 {
	if s.sigma > 0 {
		spread := s.sigma
		if s.share {
			spread *= truth
		}
		truth += spread * s.noise.normal(i)
	}
	return s.rounded(max(s.min, min(s.max, truth)))
}

// rounded returns v rounded to the sensor's steps and decimals.
func (s *sensor) rounded(v float64) float64 {
	if s.step > 0 {
		v = math.Round(v/s.step) * s.step
	}
	// Adding zero turns a negative zero into zero.
	return math.Round(v*s.decimals)/s.decimals + 0
}

// frame collects what one device reports at one instant.
type frame struct {
	device *Device
	index  int64 // epoch milliseconds; selects the sensors' noise
	values []Value
}

// number adds a reading and returns it. A property that the product's thing
// model does not list is not reported.
func (f *frame) number(identifier string, truth float64) float64 {
	s := f.device.sensors[identifier]
	if s == nil {
		return truth
	}
	v := s.read(truth, f.index)
	if identifier == "windDirection" && v == 360 {
		v = 0
	}
	f.values = append(f.values, Value{identifier, v})
	return v
}

func (f *frame) boolean(identifier string, truth bool) {
	if f.device.sensors[identifier] != nil {
		f.values = append(f.values, Value{identifier, truth})
	}
}
