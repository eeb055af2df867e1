package alarm

import (
	"slices"

	"tilth/internal/device"
	"tilth/internal/reading"
)

// Stand is how the conditions of a notice on readings stand by the newest readings of
// its device.
type Stand struct {
	Holds  bool // the conditions hold, as while a notice is open: up to the recovery values
	Newest NoticeSample
}

// StandOf compares the newest values of a device with the conditions that a notice of
// it began with; its sample has the time of the newest of them. nil: there is none, or
// the notice is on being offline.
func StandOf(was *RuleCopy, c *device.Catalog, newest []reading.Newest) (*Stand, error) {
	if len(was.Conditions) == 0 {
		return nil, nil
	}
	test, err := testOf(was, c)
	if err != nil || test == nil {
		return nil, err
	}
	s := &Stand{Newest: NoticeSample{Values: map[string]reading.Value{}}}
	values := make([]reading.Value, len(test.properties))
	for _, l := range newest {
		i, looked := slices.BinarySearch(test.properties, l.Property)
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
	s.Holds = test.holds(values, true)
	return s, nil
}
