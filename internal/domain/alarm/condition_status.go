package alarm

import (
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// ConditionStatus says whether the conditions of a notice on readings hold for the newest readings
// of its device.
type ConditionStatus struct {
	Holds  bool // the conditions hold; the recovery values apply, as while a notice is open
	Newest NoticeSample
}

// CurrentStatus compares the newest values of a device with the conditions that a notice of it
// began with. The time of its sample is that of the newest value. It returns nil where there is no
// value, or where the notice is on being offline.
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
