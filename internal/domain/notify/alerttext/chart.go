package alerttext

import (
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
)

// chartedCondition gives the condition whose property a mail's picture shows: the first one that
// compares with a number.
func chartedCondition(a *alertmsg.Alarm) (c alertmsg.Condition, limit float64, ok bool) {
	for _, c := range a.Conditions {
		if limit, ok := c.Value.(float64); ok {
			return c, limit, true
		}
	}
	return alertmsg.Condition{}, 0, false
}

// ChartedProperty gives the property whose readings a mail's picture shows; empty: the mail has no
// picture.
func ChartedProperty(a *alertmsg.Alarm) string {
	c, _, _ := chartedCondition(a)
	return c.Property
}

// ChartLimit gives the limit that the readings of a mail's picture were compared with.
func ChartLimit(a *alertmsg.Alarm) float64 {
	_, limit, _ := chartedCondition(a)
	return limit
}

// MatchesCharted tells whether a reading of the picture's property meets the charted condition. It
// is rounded to the decimals that the property had then.
func MatchesCharted(a *alertmsg.Alarm, value float64) bool {
	c, limit, ok := chartedCondition(a)
	return ok && comparator.Of(c.Operator).HoldsNumber(value, limit, a.Properties[c.Property].Decimals)
}
