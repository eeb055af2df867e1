package bench

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// victoriaMetrics has a metric for each property and a label for the device.
// Readings come from its export, which is its quickest answer to "everything";
// buckets from one range query that computes both in one pass.
type victoriaMetrics struct {
	*httpStore
	records *Records
}

func (v *victoriaMetrics) load(ctx context.Context) error {
	r := v.records
	var times strings.Builder
	for n := range r.Count() {
		fmt.Fprintf(&times, ",%d", r.Time(n).UnixMilli())
	}
	var line []byte
	for d, device := range r.Devices {
		line = line[:0]
		for p, property := range r.Properties {
			line = fmt.Appendf(line, `{"metric":{"__name__":%q,"device":%q},"values":[`, property, device)
			for n, value := range r.Values[d][p] {
				if n > 0 {
					line = append(line, ',')
				}
				line = strconv.AppendFloat(line, value, 'f', -1, 64)
			}
			line = append(append(append(line, `],"timestamps":[`...), times.String()[1:]...), "]}\n"...)
		}
		if _, err := v.ask(ctx, http.MethodPost, "/api/v1/import", nil, bytes.NewReader(line)); err != nil {
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
	s, width := v.records.all(), v.records.width()
	// VictoriaMetrics' windows end at their time and do not contain their beginning.
	query := url.Values{
		"query": {
			fmt.Sprintf(
				`aggr_over_time(("min_over_time","max_over_time"),{device=%q}[%dms]) keep_metric_names`,
				v.records.Devices[device],
				width,
			),
		},
		"start": {seconds(s.from + width)},
		"end":   {seconds(s.to + 1)},
		"step":  {strconv.FormatInt(width, 10) + "ms"},
	}
	in, err := v.ask(ctx, http.MethodGet, "/api/v1/query_range?"+query.Encode(), nil, nil)
	if err != nil {
		return err
	}
	return v.records.readMatrix(in, a)
}

// readMatrix reads the result of the range query: two series for each property,
// [[seconds,"value"],…], which the label rollup distinguishes.
func (r *Records) readMatrix(in *scanner, a *answer) error {
	in.member("data", func() {
		in.member("result", func() {
			in.take('[')
			for in.more(']') {
				r.readRollup(in, a)
			}
		})
	})
	return in.err
}

func (r *Records) readRollup(in *scanner, a *answer) {
	property, highest := -1, false
	in.take('{')
	for in.more('}') {
		switch string(in.key()) {
		case "metric":
			property = r.metric(in, func(label, value []byte) {
				if string(label) == "rollup" {
					highest = string(value) == "max_over_time"
				}
			})
			if property < 0 {
				in.fail("known metric")
				return
			}
		case "values":
			in.take('[')
			for in.more(']') {
				in.take('[')
				in.more(']')
				at := int64(in.number() * 1000)
				in.more(']')
				value := in.quoted()
				in.take(']')
				n := (at-r.Start.UnixMilli())/r.width() - 1
				if n < 0 || n >= int64(r.buckets()) {
					in.fail("time of a bucket")
					return
				}
				b := &a.buckets[property][n]
				if b.filled = true; highest {
					b.high = value
				} else {
					b.low = value
				}
			}
		default:
			in.skip()
		}
	}
}
