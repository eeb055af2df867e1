package alarm

import (
	"context"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// RehearsalOptions say on what rules are rehearsed.
type RehearsalOptions struct {
	Readings   *reading.Store
	Status     *device.StatusStore
	MaxPerHour int            // as for NewPredicate
	From, To   int64          // epoch ms, both inclusive
	Zone       *time.Location // of days, nights and the period
}

// RehearsalTotal sums up the rehearsals of a rule on several devices.
type RehearsalTotal struct {
	Devices int
	Total   int // of their notices
	Advice  []RehearsalAdvice
}

// RehearseDevice rehearses a rule on one of its devices. Its errors are those of Rehearse.
func RehearseDevice(ctx context.Context, o *RehearsalOptions, j *DeviceRule) (*Rehearsal, error) {
	if j.Trigger == DeviceOffline {
		return RehearseOffline(ctx, o.Status, j.Rule, o.MaxPerHour, o.From, o.To, o.Zone, coordinatesOf(j.TargetDevice))
	}
	return Rehearse(ctx, o.Readings, j.Rule, j.Product, o.MaxPerHour, o.From, o.To, o.Zone,
		coordinatesOf(j.TargetDevice))
}

// RehearseAll rehearses a rule on each of its devices, one after the other in their order, and
// hands each rehearsal to each as soon as it is made. Those have no Advice; the total has. Where
// there are many notices, one more pass reads the devices that have some. goesOn is called before
// each of these. The error is that of either function, or as of Rehearse.
func RehearseAll(ctx context.Context, o *RehearsalOptions, all []DeviceRule, each func(*DeviceRule, *Rehearsal) error,
	goesOn func() error) (*RehearsalTotal, error) {
	sum := &RehearsalTotal{Devices: len(all)}
	builder := adviceBuilder{}
	noticed := make([]bool, len(all))
	for i := range all {
		h, err := rehearseInto(ctx, o, &all[i], &builder)
		if err != nil {
			return nil, err
		}
		sum.Total += h.Total
		noticed[i] = h.Total > 0
		if err := each(&all[i], h); err != nil {
			return nil, err
		}
	}
	changes := builder.candidates()
	if len(changes) == 0 {
		return sum, nil
	}
	everywhere := builder.mayAdd(changes)
	for i, j := range all {
		if !noticed[i] && !everywhere {
			continue
		}
		if err := goesOn(); err != nil {
			return nil, err
		}
		if err := builder.count(ctx, o, changes, j.Rule, j.Product, coordinatesOf(j.TargetDevice)); err != nil {
			return nil, err
		}
	}
	sum.Advice = builder.best(changes)
	return sum, nil
}

// rehearseInto rehearses a rule on one device, and adds the result to builder.
func rehearseInto(ctx context.Context, o *RehearsalOptions, j *DeviceRule, builder *adviceBuilder) (*Rehearsal, error) {
	if j.Trigger == DeviceOffline {
		return RehearseDevice(ctx, o, j)
	}
	h, err := rehearse(ctx, o, j.Rule, j.Product, coordinatesOf(j.TargetDevice))
	if err != nil {
		return nil, err
	}
	builder.add(h, j.Product)
	return &h.Rehearsal, nil
}

// CountRehearsed returns how many notices a rule would have had on all of its devices. The error is
// as of Rehearse.
func CountRehearsed(ctx context.Context, o *RehearsalOptions, all []DeviceRule) (total int, err error) {
	for i := range all {
		h, err := rehearseInto(ctx, o, &all[i], &adviceBuilder{})
		if err != nil {
			return 0, err
		}
		total += h.Total
	}
	return total, nil
}

// RehearsalSum sums up the listed notices of a rehearsal.
type RehearsalSum struct {
	Told, Nights int
	Longest      int64 // ms; an open notice counts up to the rehearsal's end
	Last         int64 // when the newest began, epoch ms; 0: there is none
}

// Sum sums up the newest 500 notices.
func (h *Rehearsal) Sum() (s RehearsalSum) {
	for _, n := range h.Notices {
		if n.Told {
			s.Told++
		}
		if n.Night {
			s.Nights++
		}
		end := n.End
		if end == 0 {
			end = h.To
		}
		s.Longest = max(s.Longest, end-n.Start)
		s.Last = n.Start
	}
	return s
}
