package bench

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// victoriaMetrics has a metric for each property and a label for the device.
// Readings come from its export, which is its quickest answer to "everything";
// buckets from one range query that computes both in one pass.
type victoriaMetrics struct {
	*httpStore
	records *Records
}

func (v *victoriaMetrics) load(ctx context.Context) error {
	for first := 0; first < v.records.Count(); first += importReadings {
		if err := v.importReadings(ctx, first, min(v.records.Count(), first+importReadings)); err != nil {
			return err
		}
	}
	// The imported readings can be queried after the flush, and are stored as they will be after a
	// while.
	for _, call := range []string{"/internal/force_flush", "/internal/force_merge"} {
		if _, err := v.ask(ctx, http.MethodGet, call, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// importReadings is how many readings of a property are in one line. By default VictoriaMetrics takes
// lines of up to 10 MiB; a month of one-minute readings is a tenth of that.
const importReadings = 50_000

// importReadings writes every device's readings from number first to before end.
func (v *victoriaMetrics) importReadings(ctx context.Context, first, end int) error {
	r := v.records
	var times strings.Builder
	for n := first; n < end; n++ {
		fmt.Fprintf(&times, ",%d", r.Time(n).UnixMilli())
	}
	var lines []byte
	for d, device := range r.Devices {
		lines = lines[:0]
		for p, property := range r.Properties {
			lines = fmt.Appendf(lines, `{"metric":{"__name__":%q,"device":%q},"values":[`, property, device)
			for n, value := range r.Values[d][p][first:end] {
				if n > 0 {
					lines = append(lines, ',')
				}
				lines = strconv.AppendFloat(lines, value, 'f', -1, 64)
			}
			lines = append(append(append(lines, `],"timestamps":[`...), times.String()[1:]...), "]}\n"...)
		}
		if _, err := v.ask(ctx, http.MethodPost, "/api/v1/import", nil, bytes.NewReader(lines)); err != nil {
			return err
		}
	}
	return nil
}

// withYears returns the same server for other devices.
func (v *victoriaMetrics) withYears(r *Records) aggregateStore {
	return &victoriaMetrics{httpStore: v.httpStore, records: r}
}

// seconds formats epoch ms as VictoriaMetrics takes times.
func seconds(ms int64) string { return fmt.Sprintf("%d.%03d", ms/1000, ms%1000) }

func (v *victoriaMetrics) points(ctx context.Context, device int, s span, a *answer) error {
	query := url.Values{
		"match[]": {fmt.Sprintf("{device=%q}", v.records.Devices[device])},
		"start":   {seconds(s.from)},
		"end":     {seconds(s.to)},
	}
	in, err := v.ask(ctx, http.MethodGet, "/api/v1/export?"+query.Encode(), nil, nil)
	if err != nil {
		return err
	}
	return v.records.readExport(in, a)
}

// readExport reads a line {"metric":{…},"values":[…],"timestamps":[…]} for each
// property, the parts in this order.
func (r *Records) readExport(in *scanner, a *answer) error {
	for in.peek() == '{' {
		in.take('{')
		property, n := -1, 0
		for in.more('}') {
			switch string(in.key()) {
			case "metric":
				if property = r.metric(in, nil); property < 0 {
					in.fail("known metric")
					return in.err
				}
				n = len(a.points[property])
			case "values":
				in.take('[')
				for in.more(']') {
					a.points[property] = append(a.points[property], point{Value: in.number()})
				}
			case "timestamps":
				in.take('[')
				for ; in.more(']'); n++ {
					if at := int64(in.number()); n < len(a.points[property]) {
						a.points[property][n].Time = at
					}
				}
			default:
				in.skip()
			}
		}
		if in.err == nil && n != len(a.points[property]) {
			in.fail("as many times as values")
		}
	}
	if in.err == nil && in.at != len(in.raw) {
		in.fail("end")
	}
	return in.err
}

// metric reads a metric's labels and returns the property that its name is; it calls other with
// each other label.
func (r *Records) metric(in *scanner, other func(label, value []byte)) (property int) {
	property = -1
	in.take('{')
	for in.more('}') {
		label := in.key()
		value := in.text()
		if string(label) == "__name__" {
			property = r.property(value)
		} else if other != nil {
			other(label, value)
		}
	}
	return property
}

func (v *victoriaMetrics) minMax(ctx context.Context, device int, a *answer) error {
	width := v.records.width()
	in, err := v.rollups(ctx, device, width, `"min_over_time","max_over_time"`)
	if err != nil {
		return err
	}
	return v.records.readMatrix(in, width, func(property, n int, rollup rollup, value float64) {
		b := &a.buckets[property][n]
		if b.filled = true; rollup == rollupHigh {
			b.high = value
		} else {
			b.low = value
		}
	})
}

func (v *victoriaMetrics) aggregates(ctx context.Context, device int, step time.Duration, a *answer) error {
	in, err := v.rollups(ctx, device, step.Milliseconds(), `"min_over_time","avg_over_time","max_over_time"`)
	if err != nil {
		return err
	}
	return v.records.readMatrix(in, step.Milliseconds(), func(property, n int, rollup rollup, value float64) {
		g := &a.aggregates[property][n]
		switch rollup {
		case rollupLow:
			g.low = value
		case rollupMean:
			g.mean = value
		case rollupHigh:
			g.high = value
		}
	})
}

// rollups asks for functions of each bucket of a device's whole range; width is in ms.
func (v *victoriaMetrics) rollups(ctx context.Context, device int, width int64, functions string) (*scanner, error) {
	s := v.records.all()
	// VictoriaMetrics' windows end at their time and do not contain their beginning.
	query := url.Values{
		"query": {
			fmt.Sprintf(
				`aggr_over_time((%s),{device=%q}[%dms]) keep_metric_names`,
				functions,
				v.records.Devices[device],
				width,
			),
		},
		"start": {seconds(s.from + width)},
		"end":   {seconds(s.to + 1)},
		"step":  {strconv.FormatInt(width, 10) + "ms"},
	}
	return v.ask(ctx, http.MethodGet, "/api/v1/query_range?"+query.Encode(), nil, nil)
}

// rollup is what a series of a range query has of each bucket.
type rollup int

const (
	rollupUnknown rollup = iota
	rollupLow
	rollupMean
	rollupHigh
)

func rollupOf(function []byte) rollup {
	switch string(function) {
	case "min_over_time":
		return rollupLow
	case "avg_over_time":
		return rollupMean
	case "max_over_time":
		return rollupHigh
	}
	return rollupUnknown
}

// readMatrix reads the result of a range query over the whole range in buckets of width ms: a series
// for each property and rollup, [[seconds,"value"],…]. It calls take with each value and the number
// of its bucket.
func (r *Records) readMatrix(in *scanner, width int64, take func(property, n int, rollup rollup, value float64)) error {
	buckets := int64(r.Days) * 24 * 3_600_000 / width
	in.member("data", func() {
		in.member("result", func() {
			in.take('[')
			for in.more(']') {
				property, kind := -1, rollupUnknown
				in.take('{')
				for in.more('}') {
					switch string(in.key()) {
					case "metric":
						property, kind = r.series(in)
					case "values":
						if property < 0 {
							in.fail("metric")
							return
						}
						r.readSeries(in, width, buckets, func(n int, value float64) { take(property, n, kind, value) })
					default:
						in.skip()
					}
				}
			}
		})
	})
	return in.err
}

// series reads a series' labels.
func (r *Records) series(in *scanner) (property int, kind rollup) {
	property = r.metric(in, func(label, value []byte) {
		if string(label) == "rollup" {
			kind = rollupOf(value)
		}
	})
	if property < 0 {
		in.fail("known metric")
	} else if kind == rollupUnknown {
		in.fail("known rollup")
	}
	return property, kind
}

// readSeries reads a series' values. VictoriaMetrics gives a bucket the time of its end.
func (r *Records) readSeries(in *scanner, width, buckets int64, take func(n int, value float64)) {
	in.take('[')
	for in.more(']') {
		in.take('[')
		in.more(']')
		at := int64(in.number() * 1000)
		in.more(']')
		value := in.quoted()
		in.take(']')
		if in.err != nil {
			return
		}
		n := (at-r.Start.UnixMilli())/width - 1
		if n < 0 || n >= buckets {
			in.fail("time of a bucket")
			return
		}
		take(int(n), value)
	}
}
