package console

import (
	"context"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// maxSwitchPhases is how many phases an answer holds at most.
const maxSwitchPhases = 2000

// GetOnTimes answers when a switch was on.
func (s *server) GetOnTimes(
	ctx context.Context,
	r wire.GetOnTimesRequestObject,
) (wire.GetOnTimesResponseObject, error) {
	p := r.Params
	h, err := s.cachedDevice(ctx, p.DeviceName)
	if err != nil {
		return nil, err
	}
	from, to, err := parseRange(p.StartTime, p.EndTime, maxCoverageRange)
	if err != nil {
		return nil, err
	}
	prop := h.product.Property(trimmed(p.YeuSign))
	if prop == nil || prop.DataType != device.Boolean {
		return nil, errs.New(errs.Refused, "invalid.unknown", "value", p.YeuSign).WithField("yeuSign")
	}
	zone, err := s.zone(ctx)
	if err != nil {
		return nil, err
	}
	to = max(from, min(to, s.Now().UnixMilli()))
	sum := newOnTimes(from, to, zone)
	silentAfter := h.product.OfflineAfter
	if err := s.Readings.Phases(ctx, h.ref.Tenant, h.ref.ID, prop.ID, from, to, silentAfter, sum.add); err != nil {
		return nil, err
	}
	return wire.GetOnTimes200JSONResponse{Code: success, Data: &sum.data}, nil
}

// onTimes sums up the phases of a switch.
type onTimes struct {
	data    wire.OnTimes
	zone    *time.Location
	nextDay int64 // when the day after the last one begins, epoch milliseconds
	before  reading.SwitchState
}

func newOnTimes(from, to int64, zone *time.Location) *onTimes {
	data := wire.OnTimes{StartTime: from, EndTime: to, Days: []wire.OnTimesDay{}, Phases: &[]wire.SwitchPhase{}}
	return &onTimes{data: data, zone: zone}
}

var switchStates = map[reading.SwitchState]wire.SwitchPhaseState{
	reading.SwitchUnknown: wire.SwitchUnknown,
	reading.SwitchOff:     wire.SwitchOff,
	reading.SwitchOn:      wire.SwitchOn,
}

// add adds the next phase.
func (o *onTimes) add(p reading.Phase) error {
	d := &o.data
	switch {
	case d.Phases == nil:
	case len(*d.Phases) == maxSwitchPhases:
		d.Phases = nil
	default:
		*d.Phases = append(*d.Phases, wire.SwitchPhase{From: p.From, State: switchStates[p.State]})
	}
	switch p.State {
	case reading.SwitchOn:
		d.LongestOn = longer(d.LongestOn, p)
	case reading.SwitchOff:
		d.LongestOff = longer(d.LongestOff, p)
	}
	o.countChange(&d.Total, p.State)
	o.countChange(&o.day(p.From).Sum, p.State)
	for at := p.From; at < p.To; {
		day := o.day(at)
		end := min(p.To, o.nextDay)
		addPhase(&d.Total, p.State, end-at)
		addPhase(&day.Sum, p.State, end-at)
		at = end
	}
	o.before = p.State
	return nil
}

// countChange counts the change to a state. What follows an unknown state is no change that was seen.
func (o *onTimes) countChange(sum *wire.OnTimesSum, state reading.SwitchState) {
	switch {
	case o.before == reading.SwitchOff && state == reading.SwitchOn:
		sum.Starts++
	case o.before == reading.SwitchOn && state == reading.SwitchOff:
		sum.Stops++
	}
}

func addPhase(sum *wire.OnTimesSum, state reading.SwitchState, ms int64) {
	switch state {
	case reading.SwitchOn:
		sum.On += ms
	case reading.SwitchOff:
		sum.Off += ms
	default:
		sum.Unknown += ms
	}
}

func longer(longest *wire.TimeSpan, p reading.Phase) *wire.TimeSpan {
	if longest != nil && longest.To-longest.From >= p.To-p.From {
		return longest
	}
	return &wire.TimeSpan{From: p.From, To: p.To}
}

// day returns the day of a time, which is not before the last one.
func (o *onTimes) day(at int64) *wire.OnTimesDay {
	if days := o.data.Days; len(days) > 0 && at < o.nextDay {
		return &days[len(days)-1]
	}
	begin, end := tenant.DayBounds(at, o.zone)
	o.nextDay = end
	o.data.Days = append(o.data.Days, wire.OnTimesDay{Time: begin})
	return &o.data.Days[len(o.data.Days)-1]
}
