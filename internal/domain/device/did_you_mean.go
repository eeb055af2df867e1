package device

import "strings"

// aliases are names that many devices send, and the property that they mean.
var aliases = map[string]string{
	"temp": "airTemperature", "temperature": "airTemperature",
	"hum": "airHumidity", "humidity": "airHumidity", "rh": "airHumidity",
	"pressure": "airPressure",
	"batt":     "batteryVoltage", "battery": "batteryVoltage",
}

const (
	mostTypos    = 2
	shortName    = 5 // letters; a shorter name has at most one typo
	longestTyped = 64
)

// DidYouMean gives the identifier of the measured property that a name probably means; empty if none or
// several come into question.
func (p *Product) DidYouMean(sent string) string {
	typed := plain(sent)
	if typed == "" || len(sent) > longestTyped {
		return ""
	}
	if x := p.Property(aliases[typed]); x != nil && !x.Derived() && p.nearest(typed, 0) == "" {
		return x.Identifier
	}
	if len([]rune(typed)) < shortName {
		return p.nearest(typed, mostTypos-1)
	}
	return p.nearest(typed, mostTypos)
}

// nearest gives the measured property whose identifier has the fewest typos, at most most; empty if two
// have as many.
func (p *Product) nearest(typed string, most int) (identifier string) {
	fewest := most + 1
	for i := range p.Properties {
		x := &p.Properties[i]
		if x.Derived() {
			continue
		}
		switch n := typos(typed, plain(x.Identifier)); {
		case n < fewest:
			identifier, fewest = x.Identifier, n
		case n == fewest:
			identifier = ""
		}
	}
	return identifier
}

// plain gives a name without case, separators and blanks.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// typos counts how many letters must be inserted, deleted, replaced or swapped with their neighbour to
// make b of a (Damerau-Levenshtein, in its form in which no letter is touched twice).
func typos(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, above := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			replaced := above[j-1]
			if x[i-1] != y[j-1] {
				replaced++
			}
			row[j] = min(replaced, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above = above, row
	}
	return above[len(y)]
}
