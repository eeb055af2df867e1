package letter

import "tilth/internal/news"

// charted is the condition whose property a letter's picture shows: the first
// on a number.
func charted(a *news.Alarm) (c news.Condition, limit float64, ok bool) {
	for _, c := range a.Conditions {
		if limit, ok := c.Value.(float64); ok {
			return c, limit, true
		}
	}
	return news.Condition{}, 0, false
}

// Charted is the property whose readings a letter's picture shows; empty where
// it has none.
func Charted(a *news.Alarm) string {
	c, _, _ := charted(a)
	return c.Property
}

// Limit is what the readings of a letter's picture were compared with.
func Limit(a *news.Alarm) float64 {
	_, limit, _ := charted(a)
	return limit
}

// Holds tells whether a reading of the picture's property is an alarm by
// itself.
func Holds(a *news.Alarm, value float64) bool {
	c, limit, ok := charted(a)
	switch c.Operator {
	case ">":
		return value > limit
	case ">=":
		return value >= limit
	case "<":
		return value < limit
	case "<=":
		return value <= limit
	case "=":
		return ok && value == limit
	case "!=":
		return value != limit
	}
	return false
}
