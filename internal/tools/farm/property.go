package farm

import "math"

// Property is one entry of a product's thing model, as in the file that `tilth apply` reads.
type Property struct {
	Identifier   string   `yaml:"identifier"`
	FunctionName string   `yaml:"functionName,omitempty"`
	ElementUnit  string   `yaml:"elementUnit,omitempty"`
	ElementData  string   `yaml:"elementData,omitempty"`
	DataType     string   `yaml:"dataType,omitempty"`  // number (also when empty), boolean or text
	Precision    *int     `yaml:"precision,omitempty"` // decimals; nil: not given
	Min          *float64 `yaml:"min,omitempty"`
	Max          *float64 `yaml:"max,omitempty"`
	Clamp        *float64 `yaml:"clamp,omitempty"` // the most that a simulated sensor shows; nil: Max

	// The server computes a property with a formula; devices do not report it.
	Formula    string             `yaml:"formula,omitempty"`
	Inputs     []string           `yaml:"inputs,omitempty"`
	Parameters map[string]float64 `yaml:"parameters,omitempty"`
}

// finestDecimals is the number of decimals if a property gives no precision.
const finestDecimals = 6

func (p Property) sensor(seed uint64, device string, a accuracy) *sensor {
	s := &sensor{
		accuracy: a,
		noise:    namedNoise(seed, device, p.Identifier),
		min:      math.Inf(-1),
		max:      math.Inf(1),
		decimals: math.Pow10(finestDecimals),
	}
	if p.Precision != nil {
		s.decimals = math.Pow10(*p.Precision)
	}
	if p.Min != nil {
		s.min = *p.Min
	}
	if p.Max != nil {
		s.max = *p.Max
	}
	if p.Clamp != nil {
		s.max = *p.Clamp
	}
	return s
}
