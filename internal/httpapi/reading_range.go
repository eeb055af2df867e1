package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"tilth/internal/device"
	"tilth/internal/errs"
	"tilth/internal/httpapi/wire"
	"tilth/internal/httpbase"
	"tilth/internal/reading"
)

const (
	// longestRange is how much history one call may ask for.
	longestRange = 30 * 24 * time.Hour
	// longestCoverage is over how long a call may ask where there is history.
	longestCoverage = 400 * 24 * time.Hour
)

// history is what a call asks of a device's readings.
type history struct {
	ref      device.Ref
	device   *device.Device // not of past
	product  *device.Product
	from, to int64              // epoch milliseconds, both included
	props    []*device.Property // each once, as they were named
}

// history finds the caller's device, and checks the range and the properties
// that a call names.
func (s *server) history(ctx context.Context, name string, start, end *int64, signs *[]string) (h history, err error) {
	if h.device, h.product, err = s.known(ctx, name); err != nil {
		return h, err
	}
	h.ref = device.Ref{Tenant: h.device.Tenant, ID: h.device.ID}
	err = h.asked(start, end, signs, nil)
	return h, err
}

// past is history without what people say of the device, so that memory answers
// and not the database.
func (s *server) past(ctx context.Context, name string, start, end *int64, signs *[]string) (h history, err error) {
	if h, err = s.remembered(ctx, name); err != nil {
		return h, err
	}
	err = h.asked(start, end, signs, nil)
	return h, err
}

// longPast is past of properties too that the product has no more: an old notice
// still has its readings.
func (s *server) longPast(ctx context.Context, name string, start, end *int64, signs *[]string) (h history, err error) {
	if h, err = s.remembered(ctx, name); err != nil {
		return h, err
	}
	err = h.asked(start, end, signs, func(identifier string) *device.Property {
		if id, ever := s.Catalog.Number(identifier); ever {
			return &device.Property{ID: id, Identifier: identifier}
		}
		return nil
	})
	return h, err
}

// remembered finds the caller's device in memory, if it is there yet.
func (s *server) remembered(ctx context.Context, name string) (history, error) {
	if e := s.Registry.Find(caller(ctx).Tenant, trimmed(name)); e != nil && e.Product != nil {
		return history{ref: e.Ref, product: e.Product}, nil
	}
	d, p, err := s.known(ctx, name)
	if err != nil {
		return history{}, err
	}
	return history{ref: device.Ref{Tenant: d.Tenant, ID: d.ID}, product: p}, nil
}

// asked checks the range and the properties; former, where it is given, finds
// those that the product has no more.
func (h *history) asked(start, end *int64, signs *[]string, former func(identifier string) *device.Property) (err error) {
	if h.from, h.to, err = span(start, end, longestRange); err != nil {
		return err
	}
	h.props, err = chosen(h.product, signs, former)
	return err
}

func (h *history) ids() []device.PropertyID {
	ids := make([]device.PropertyID, len(h.props))
	for i, p := range h.props {
		ids[i] = p.ID
	}
	return ids
}

// inOrder refuses a range that ends before it starts; either end may be open.
func inOrder(start, end *int64) error {
	if start != nil && end != nil && *start > *end {
		return errs.New(errs.Refused, "history.rangeOrder")
	}
	return nil
}

// span checks a range of history, in epoch milliseconds.
func span(start, end *int64, longest time.Duration) (from, to int64, err error) {
	if start == nil || end == nil {
		return 0, 0, errs.New(errs.Refused, "history.rangeRequired")
	}
	if err := inOrder(start, end); err != nil {
		return 0, 0, err
	}
	if *end-*start > longest.Milliseconds() {
		return 0, 0, errs.New(errs.Refused, "history.rangeTooLong")
	}
	return *start, *end, nil
}

// chosen finds the properties that a call names; none, or one that neither the
// product nor former has, is refused.
func chosen(p *device.Product, signs *[]string, former func(identifier string) *device.Property) ([]*device.Property, error) {
	if signs == nil || len(*signs) == 0 {
		return nil, errs.New(errs.Refused, "history.attrRequired")
	}
	props := make([]*device.Property, 0, len(*signs))
	for _, sign := range *signs {
		prop := p.Property(trimmed(sign))
		if prop == nil && former != nil {
			prop = former(trimmed(sign))
		}
		if prop == nil {
			return nil, errs.New(errs.Refused, "invalid.unknown", "value", sign).WithField("yeuSignList")
		}
		if !slices.ContainsFunc(props, func(other *device.Property) bool { return other.ID == prop.ID }) {
			props = append(props, prop)
		}
	}
	return props, nil
}

// GetTimeIntervalDataMap answers a device's readings over a range, by property.
func (s *server) GetTimeIntervalDataMap(ctx context.Context, r wire.GetTimeIntervalDataMapRequestObject) (wire.GetTimeIntervalDataMapResponseObject, error) {
	p := r.Params
	h, err := s.longPast(ctx, p.DeviceName, p.StartTime, p.EndTime, p.YeuSignList)
	if err != nil {
		return nil, err
	}
	if p.Points == nil {
		return s.seriesByProperty(ctx, &h, s.sendEvery, func(out *pointWriter, prop *device.Property) error {
			// A pass for each property, so that memory does not grow with the range.
			return s.Readings.Range(ctx, h.ref.Tenant, h.ref.ID, h.from, h.to, []device.PropertyID{prop.ID}, func(at int64, fields []reading.Field) error {
				return out.point(at, fields[0].Value)
			})
		}), nil
	}
	thinned := s.thinning(&h, *p.Points)
	send := func(ctx context.Context, w http.ResponseWriter, write func(out *httpbase.Answer) error) error {
		defer thinned.release()
		return s.sendJSON(ctx, w, write)
	}
	return s.seriesByProperty(ctx, &h, send, func(out *pointWriter, prop *device.Property) error {
		if !outlined(prop) {
			return s.Readings.OutlineRows(ctx, h.ref.Tenant, h.ref.ID, h.from, h.to, []device.PropertyID{prop.ID}, *p.Points, func(int64) {}, func(at int64, fields []reading.Field) error {
				return out.point(at, fields[0].Value)
			})
		}
		o, err := thinned.outline(ctx, prop)
		if err != nil {
			return err
		}
		for i, at := range o.Times {
			if err := out.point(at, o.Value(i)); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// outlined tells whether the outline of a property is held while it is sent: of
// numbers alone. Others take more memory, texts by much.
func outlined(p *device.Property) bool { return p.DataType == device.Number }

// pointsHeld is how many points an answer holds at a time: 16 bytes each.
const pointsHeld = 10_000

// thinning gives the outlines of properties of numbers one after the other: as
// many in one pass over the readings as may be held at a time.
type thinning struct {
	s      *server
	h      *history
	points int
	left   []device.PropertyID // to be read yet
	asked  []device.PropertyID // read in the last pass
	held   map[device.PropertyID]reading.Outline
}

func (s *server) thinning(h *history, points int) *thinning {
	t := &thinning{s: s, h: h, points: points}
	for _, p := range h.props {
		if outlined(p) {
			t.left = append(t.left, p.ID)
		}
	}
	return t
}

// outline is that of the next property of the history, valid until the one after
// it is asked for.
func (t *thinning) outline(ctx context.Context, p *device.Property) (_ reading.Outline, err error) {
	if !slices.Contains(t.asked, p.ID) {
		t.release()
		t.asked = t.left[:min(len(t.left), max(1, pointsHeld/t.points))]
		t.left = t.left[len(t.asked):]
		h := t.h
		if t.held, err = t.s.Readings.Outlines(ctx, h.ref.Tenant, h.ref.ID, h.from, h.to, t.asked, t.points); err != nil {
			return reading.Outline{}, err
		}
	}
	return t.held[p.ID], nil
}

// release gives back the memory of what is held.
func (t *thinning) release() { reading.Release(t.held) }

// sending is sendEvery or sendJSON.
type sending func(ctx context.Context, w http.ResponseWriter, write func(out *httpbase.Answer) error) error

// seriesByProperty sends for each property the points that write gives.
func (s *server) seriesByProperty(ctx context.Context, h *history, send sending, write func(*pointWriter, *device.Property) error) longResponse {
	return longResponse(func(w http.ResponseWriter) error {
		return send(ctx, w, func(out *httpbase.Answer) error {
			for i, prop := range h.props {
				out.Buf = append(append(append(out.Buf, "{,"[min(i, 1)]), quoted(prop.Identifier)...), ":["...)
				if err := write(&pointWriter{out: out}, prop); err != nil {
					return err
				}
				out.Buf = append(out.Buf, ']')
			}
			out.Buf = append(out.Buf, '}')
			return nil
		})
	})
}

// pointWriter writes a list of readings, one by one.
type pointWriter struct {
	out  *httpbase.Answer
	some bool
}

func (p *pointWriter) point(at int64, v reading.Value) error {
	if p.some {
		p.out.Buf = append(p.out.Buf, ',')
	}
	p.some = true
	p.out.Buf = append(p.out.Buf, `{"time":`...)
	p.out.Buf = strconv.AppendInt(p.out.Buf, at, 10)
	p.out.Buf = append(p.out.Buf, `,"value":`...)
	p.out.Buf = append(v.AppendJSON(p.out.Buf), '}')
	return p.out.Next()
}

// quoted is a text as JSON has it.
func quoted(s string) []byte {
	b, _ := json.Marshal(s) // a string never fails
	return b
}

// GetDeviceCoverage answers on which days a device has readings.
func (s *server) GetDeviceCoverage(ctx context.Context, r wire.GetDeviceCoverageRequestObject) (wire.GetDeviceCoverageResponseObject, error) {
	d, _, err := s.known(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	from, to, err := span(r.Params.StartTime, r.Params.EndTime, longestCoverage)
	if err != nil {
		return nil, err
	}
	zone, err := s.zone(ctx)
	if err != nil {
		return nil, err
	}
	covered, err := s.Readings.Coverage(ctx, d.Tenant, d.ID, from, to, zone)
	if err != nil {
		return nil, err
	}
	days := make([]wire.CoverageDay, len(covered))
	for i, c := range covered {
		days[i] = wire.CoverageDay{Day: c.String(), Frames: c.Frames, First: c.First, Last: c.Last}
	}
	return wire.GetDeviceCoverage200JSONResponse{Code: success, Data: &days}, nil
}
