package console

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/edge/console/wire"
	"tilth/internal/edge/httpbase"
)

// rehearsed is how far back a rehearsal goes.
const rehearsed = 30 * 24 * time.Hour

// rehearsalOptions returns the data on which the caller's rules are rehearsed: the last 30 days.
func (s *server) rehearsalOptions(ctx context.Context) (*alarm.RehearsalOptions, error) {
	owner, err := s.Tenants.Get(ctx, caller(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	to := s.Now().UnixMilli()
	return &alarm.RehearsalOptions{
		Readings:   s.Stores.Readings,
		Status:     s.Status,
		MaxPerHour: s.MaxNoticesPerHour,
		From:       to - rehearsed.Milliseconds(),
		To:         to,
		Zone:       owner.TimeZone,
	}, nil
}

// RehearseAlarmRule answers what a rule would have recorded in the last 30
// days.
func (s *server) RehearseAlarmRule(
	ctx context.Context,
	r wire.RehearseAlarmRuleRequestObject,
) (wire.RehearseAlarmRuleResponseObject, error) {
	on, err := s.RuleForms.FirstDeviceRule(ctx, caller(ctx).Tenant, ruleForm(r.Body))
	if err != nil {
		return nil, err
	}
	o, err := s.rehearsalOptions(ctx)
	if err != nil {
		return nil, err
	}
	h, err := alarm.RehearseDevice(ctx, o, &on)
	if err != nil {
		return nil, err
	}
	return wire.RehearseAlarmRule200JSONResponse{Code: success, Data: wireRehearsal(h)}, nil
}

func wireRehearsal(h *alarm.Rehearsal) *wire.Rehearsal {
	w := &wire.Rehearsal{
		StartTime:     h.From,
		EndTime:       h.To,
		Samples:       h.Samples,
		Total:         h.Total,
		Fits:          &h.Pace.Fits,
		UsualInterval: omitZero(h.Pace.Interval),
		KnownFrom:     omitZero(h.KnownFrom),
		Notices:       make([]wire.RehearsedNotice, len(h.Notices)),
		Days:          make([]wire.RehearsedDay, len(h.Days)),
		Advice:        wireAdvice(h.Advice),
	}
	if h.Attribute != "" {
		w.TslAttribute = &h.Attribute
	}
	for i, n := range h.Notices {
		w.Notices[i] = wire.RehearsedNotice{StartTime: n.Start, EndTime: omitZero(n.End), Night: n.Night, Told: n.Told}
		if n.Unsteady {
			w.Notices[i].Unsteady = new(true)
		}
	}
	for i, d := range h.Days {
		w.Days[i] = wire.RehearsedDay{Day: d.Day, Min: d.Min, Max: d.Max}
	}
	return w
}

// wireAdvice writes the changes as the wire has them; nil if there are none.
func wireAdvice(list []alarm.RehearsalAdvice) *[]wire.RehearsalAdvice {
	if len(list) == 0 {
		return nil
	}
	advice := make([]wire.RehearsalAdvice, len(list))
	for i, a := range list {
		advice[i] = wire.RehearsalAdvice{
			Kind:        a.Kind,
			Notices:     a.Notices,
			Without:     a.Without,
			KeepsLonger: a.KeepsLonger.Milliseconds(),
			Kept:        a.Kept,
			KeptNights:  omitZero(a.KeptNights),
			Dropped:     a.Dropped,
		}
		if a.Kind == alarm.AdviseHits {
			advice[i].HitCounts, advice[i].Durations = new(a.Hits), new(a.Window.Milliseconds())
		} else {
			advice[i].Condition, advice[i].TslAttribute = new(a.Condition), new(a.Attribute)
			advice[i].Recovery = new(a.Recovery)
		}
	}
	return &advice
}

// rehearsedDevice is the contract's RehearsedDevice. The code generator makes no types for the
// elements of a stream.
type rehearsedDevice struct {
	DeviceName string `json:"deviceName"`
	NoteName   string `json:"noteName"`
	Of         int    `json:"of"`
	Samples    int    `json:"samples"`
	Total      int    `json:"total"`
	Told       int    `json:"told"`
	Nights     int    `json:"nights"`
	Longest    int64  `json:"longest"`
	LastTime   int64  `json:"lastTime,omitempty"`
	Fits       bool   `json:"fits"`
}

// rehearsalSummary is the contract's RehearsedAll.
type rehearsalSummary struct {
	Devices int                     `json:"devices"`
	Total   int                     `json:"total"`
	Advice  *[]wire.RehearsalAdvice `json:"advice,omitempty"`
}

// RehearseAlarmRuleDevices answers what a rule would have recorded on each of its devices. It sends
// one line for each device as soon as that device's result is known.
func (s *server) RehearseAlarmRuleDevices(
	ctx context.Context,
	r wire.RehearseAlarmRuleDevicesRequestObject,
) (wire.RehearseAlarmRuleDevicesResponseObject, error) {
	all, err := s.RuleForms.DeviceRules(ctx, caller(ctx).Tenant, ruleForm(r.Body))
	if err != nil {
		return nil, err
	}
	o, err := s.rehearsalOptions(ctx)
	if err != nil {
		return nil, err
	}
	leave, err := s.acquireStreamSlot(ctx)
	if err != nil {
		return nil, err
	}
	header := http.Header{
		"Content-Type":      {"application/x-ndjson"},
		"X-Accel-Buffering": {"no"}, // a buffering proxy would deliver all lines at the end
	}
	return streamedResponse(func(w http.ResponseWriter) error {
		defer leave()
		return s.edge.Stream(ctx, w, httpbase.StreamOptions{Header: header}, func(out *httpbase.StreamWriter) error {
			each := func(j *alarm.DeviceRule, h *alarm.Rehearsal) error {
				return writeLine(out, wireRehearsedDevice(j, h, len(all)))
			}
			keepAlive := func() error { return writeLine(out, nil) }
			sum, err := alarm.RehearseAll(ctx, o, all, each, keepAlive)
			if err != nil {
				return err
			}
			return writeLine(
				out,
				rehearsalSummary{Devices: sum.Devices, Total: sum.Total, Advice: wireAdvice(sum.Advice)},
			)
		})
	}), nil
}

// writeLine sends one line of JSON at once; nil sends an empty line.
func writeLine(out *httpbase.StreamWriter, v any) error {
	if v != nil {
		line, err := json.Marshal(v)
		if err != nil {
			return err
		}
		out.Buf = append(out.Buf, line...)
	}
	out.Buf = append(out.Buf, '\n')
	return out.FlushNow()
}

func wireRehearsedDevice(j *alarm.DeviceRule, h *alarm.Rehearsal, of int) rehearsedDevice {
	sum := h.Sum()
	return rehearsedDevice{
		DeviceName: j.TargetDevice.Name,
		NoteName:   j.TargetDevice.NoteName,
		Of:         of,
		Samples:    h.Samples,
		Total:      h.Total,
		Fits:       h.Pace.Fits,
		Told:       sum.Told,
		Nights:     sum.Nights,
		Longest:    sum.Longest,
		LastTime:   sum.Last,
	}
}
