package console

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/errs"
)

const (
	// maxRange is the longest range of readings that one call may ask for.
	maxRange = 30 * 24 * time.Hour
	// maxCoverageRange is the longest range for which a call may ask on which days there are
	// readings.
	maxCoverageRange = 400 * 24 * time.Hour
)

// historyQuery is a query for a device's readings.
type historyQuery struct {
	ref      device.Ref
	device   *device.Device // nil after cachedHistory
	product  *device.Product
	from, to int64              // epoch milliseconds, both included
	props    []*device.Property // each once, in the order of the call
}

// deviceHistory finds the caller's device, and checks the range and the properties that a call
// names.
func (s *server) deviceHistory(
	ctx context.Context,
	name string,
	start, end *int64,
	signs *[]string,
) (h historyQuery, err error) {
	if h.device, h.product, err = s.deviceByName(ctx, name); err != nil {
		return h, err
	}
	h.ref = device.Ref{Tenant: h.device.Tenant, ID: h.device.ID}
	err = h.parse(start, end, signs, nil)
	return h, err
}

// cachedHistory is deviceHistory without the device's names and texts, so that memory answers and
// not the database.
func (s *server) cachedHistory(
	ctx context.Context,
	name string,
	start, end *int64,
	signs *[]string,
) (h historyQuery, err error) {
	if h, err = s.cachedDevice(ctx, name); err != nil {
		return h, err
	}
	err = h.parse(start, end, signs, nil)
	return h, err
}

// cachedHistoryWithFormer is cachedHistory that also finds properties which the product no longer
// has: an old notice still has readings of them.
func (s *server) cachedHistoryWithFormer(
	ctx context.Context,
	name string,
	start, end *int64,
	signs *[]string,
) (h historyQuery, err error) {
	if h, err = s.cachedDevice(ctx, name); err != nil {
		return h, err
	}
	err = h.parse(start, end, signs, func(identifier string) *device.Property {
		if id, ever := s.Catalog.Number(identifier); ever {
			return &device.Property{ID: id, Identifier: identifier}
		}
		return nil
	})
	return h, err
}

// cachedDevice finds the caller's device in memory, and in the database if memory does not have it
// yet.
func (s *server) cachedDevice(ctx context.Context, name string) (historyQuery, error) {
	if e := s.Registry.Find(caller(ctx).Tenant, trimmed(name)); e != nil && e.Product != nil {
		return historyQuery{ref: e.Ref, product: e.Product}, nil
	}
	d, p, err := s.deviceByName(ctx, name)
	if err != nil {
		return historyQuery{}, err
	}
	return historyQuery{ref: device.Ref{Tenant: d.Tenant, ID: d.ID}, product: p}, nil
}

// parse checks the range and the properties; former, unless nil, finds properties that the product
// no longer has.
func (h *historyQuery) parse(
	start, end *int64,
	signs *[]string,
	former func(identifier string) *device.Property,
) (err error) {
	if h.from, h.to, err = parseRange(start, end, maxRange); err != nil {
		return err
	}
	h.props, err = selectProperties(h.product, signs, former)
	return err
}

func (h *historyQuery) ids() []device.PropertyID {
	ids := make([]device.PropertyID, len(h.props))
	for i, p := range h.props {
		ids[i] = p.ID
	}
	return ids
}

// checkOrder refuses a range that ends before it starts; either end may be open.
func checkOrder(start, end *int64) error {
	if start != nil && end != nil && *start > *end {
		return errs.New(errs.Refused, "history.rangeOrder")
	}
	return nil
}

// parseRange checks a range of history of at most longest, in epoch milliseconds.
func parseRange(start, end *int64, longest time.Duration) (from, to int64, err error) {
	if from, to, err = parseAnyRange(start, end); err != nil {
		return 0, 0, err
	}
	if to-from > longest.Milliseconds() {
		return 0, 0, errs.New(errs.Refused, "history.rangeTooLong")
	}
	return from, to, nil
}

// parseAnyRange is parseRange for a range of any length.
func parseAnyRange(start, end *int64) (from, to int64, err error) {
	if start == nil || end == nil {
		return 0, 0, errs.New(errs.Refused, "history.rangeRequired")
	}
	return *start, *end, checkOrder(start, end)
}

// selectProperties finds the properties that a call names. It refuses an empty list and a property
// that neither the product nor former has.
func selectProperties(
	p *device.Product,
	signs *[]string,
	former func(identifier string) *device.Property,
) ([]*device.Property, error) {
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
func (s *server) GetTimeIntervalDataMap(
	ctx context.Context,
	r wire.GetTimeIntervalDataMapRequestObject,
) (wire.GetTimeIntervalDataMapResponseObject, error) {
	p := r.Params
	ctx = withValues(ctx, p.Values)
	h, err := s.cachedHistoryWithFormer(ctx, p.DeviceName, p.StartTime, p.EndTime, p.YeuSignList)
	if err != nil {
		return nil, err
	}
	if p.Points == nil {
		return s.sendSeries(ctx, &h, s.sendAllJSON, func(out *pointWriter, prop *device.Property) error {
			// One pass for each property, so that memory does not grow with the range.
			curve := s.curvesIn(ctx, &h)[prop.ID]
			return s.Readings.Range(
				reading.WithRaw(ctx),
				h.ref.Tenant,
				h.ref.ID,
				h.from,
				h.to,
				[]device.PropertyID{prop.ID},
				func(at int64, fields []reading.Field) error {
					return out.writeCorrected(at, fields[0].Value, curve)
				},
			)
		}), nil
	}
	ds := s.newDownsampler(&h, *p.Points)
	send := func(ctx context.Context, w http.ResponseWriter, write func(out *httpbase.StreamWriter) error) error {
		defer ds.release()
		return s.sendJSON(ctx, w, write)
	}
	return s.sendSeries(ctx, &h, send, func(out *pointWriter, prop *device.Property) error {
		if !isBuffered(prop) {
			return s.Readings.DownsampleRows(
				ctx,
				h.ref.Tenant,
				h.ref.ID,
				h.from,
				h.to,
				[]device.PropertyID{prop.ID},
				*p.Points,
				func(int64) {},
				func(at int64, fields []reading.Field) error {
					return out.write(at, fields[0].Value, reading.Value{})
				},
			)
		}
		o, err := ds.downsampled(ctx, prop)
		if err != nil {
			return err
		}
		raws, err := s.rawAt(ctx, &h, prop, &o)
		if err != nil {
			return err
		}
		for i, at := range o.Times {
			if err := out.write(at, o.Value(i), rawOf(raws, i)); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// isBuffered tells whether the downsampled readings of a property are held in memory while they are
// sent. Only those of numbers are; others take more memory, texts much more.
func isBuffered(p *device.Property) bool { return p.DataType == device.Number }

// maxBufferedPoints is how many points an answer holds at a time: 16 bytes each.
const maxBufferedPoints = 10_000

// downsampler returns the downsampled readings of number properties one after the other. One pass
// over the stored readings serves as many properties as may be held at a time.
type downsampler struct {
	server    *server
	query     *historyQuery
	points    int
	remaining []device.PropertyID // not read yet
	loaded    []device.PropertyID // read in the last pass
	results   map[device.PropertyID]reading.Downsampled
}

func (s *server) newDownsampler(h *historyQuery, points int) *downsampler {
	t := &downsampler{server: s, query: h, points: points}
	for _, p := range h.props {
		if isBuffered(p) {
			t.remaining = append(t.remaining, p.ID)
		}
	}
	return t
}

// downsampled returns the readings of the next property of the query. They are valid until the call
// for the property after it.
func (t *downsampler) downsampled(ctx context.Context, p *device.Property) (_ reading.Downsampled, err error) {
	if !slices.Contains(t.loaded, p.ID) {
		t.release()
		t.loaded = t.remaining[:min(len(t.remaining), max(1, maxBufferedPoints/t.points))]
		t.remaining = t.remaining[len(t.loaded):]
		h := t.query
		store := t.server.Readings
		t.results, err = store.Downsample(ctx, h.ref.Tenant, h.ref.ID, h.from, h.to, t.loaded, t.points)
		if err != nil {
			return reading.Downsampled{}, err
		}
	}
	return t.results[p.ID], nil
}

// release gives back the memory of the readings that are held.
func (t *downsampler) release() { reading.Release(t.results) }

// sendFunc is sendAllJSON or sendJSON.
type sendFunc func(ctx context.Context, w http.ResponseWriter, write func(out *httpbase.StreamWriter) error) error

// sendSeries sends the points that write writes for each property.
func (s *server) sendSeries(
	ctx context.Context,
	h *historyQuery,
	send sendFunc,
	write func(*pointWriter, *device.Property) error,
) streamedResponse {
	return streamedResponse(func(w http.ResponseWriter) error {
		return send(ctx, w, func(out *httpbase.StreamWriter) error {
			for i, prop := range h.props {
				out.Buf = append(append(append(out.Buf, "{,"[min(i, 1)]), jsonString(prop.Identifier)...), ":["...)
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
	out     *httpbase.StreamWriter
	started bool
}

// writeCorrected writes a reading that arrived as raw, corrected by a curve; nil: by none.
func (p *pointWriter) writeCorrected(at int64, raw reading.Value, curve *reading.Curve) error {
	v, applies := curve.Correct(at, raw)
	if !applies {
		raw = reading.Value{}
	}
	return p.write(at, v, raw)
}

// write writes a reading, and as what it arrived if it is corrected; otherwise raw is of no kind.
func (p *pointWriter) write(at int64, v, raw reading.Value) error {
	if p.started {
		p.out.Buf = append(p.out.Buf, ',')
	}
	p.started = true
	p.out.Buf = append(p.out.Buf, `{"time":`...)
	p.out.Buf = strconv.AppendInt(p.out.Buf, at, 10)
	p.out.Buf = append(p.out.Buf, `,"value":`...)
	p.out.Buf = v.AppendJSON(p.out.Buf)
	if raw.Kind() != reading.KindNone {
		p.out.Buf = raw.AppendJSON(append(p.out.Buf, `,"raw":`...))
	}
	p.out.Buf = append(p.out.Buf, '}')
	return p.out.FlushIfFull()
}

// jsonString returns a text as a JSON string.
func jsonString(s string) []byte {
	b, _ := json.Marshal(s) // never fails for a string
	return b
}

// GetDeviceCoverage answers on which days a device has readings.
func (s *server) GetDeviceCoverage(
	ctx context.Context,
	r wire.GetDeviceCoverageRequestObject,
) (wire.GetDeviceCoverageResponseObject, error) {
	d, _, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	from, to, err := parseRange(r.Params.StartTime, r.Params.EndTime, maxCoverageRange)
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
