package alarm

import (
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// ConditionStatus is how the conditions of a notice on readings stand by the newest readings of
// its device.
type ConditionStatus struct {
	Holds  bool // the conditions hold, as while a notice is open: up to the recovery values
	Newest NoticeSample
}

// CurrentStatus compares the newest values of a device with the conditions that a notice of
// it began with; its sample has the time of the newest of them. nil: there is none, or
// the notice is on being offline.
func CurrentStatus(was *RuleCopy, c *device.Catalog, newest []reading.Newest) (*ConditionStatus, error) {
	if len(was.Conditions) == 0 {
		return nil, nil
	}
	predicate, err := predicateOfCopy(was, c)
	if err != nil || predicate == nil {
		return nil, err
	}
	s := &ConditionStatus{Newest: NoticeSample{Values: map[string]reading.Value{}}}
	values := make([]reading.Value, len(predicate.properties))
	for _, l := range newest {
		i, looked := slices.BinarySearch(predicate.properties, l.Property)
		if !looked || l.Value.Kind() == reading.KindNone {
			continue
		}
		values[i] = l.Value
		s.Newest.Time = max(s.Newest.Time, l.Time)
		s.Newest.Values[c.Identifier(l.Property)] = l.Value
	}
	if len(s.Newest.Values) == 0 {
		return nil, nil
	}
	s.Holds = predicate.holds(values, true)
	return s, nil
}
