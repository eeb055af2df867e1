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

// influxDB has one measurement with a tag for the device and a field for each
// property.
type influxDB struct {
	*httpStore
	records *Records
}

const (
	influxLines = 5_000 // in one call, as InfluxDB's documentation advises
	measurement = "station"
)

func (i *influxDB) load(ctx context.Context) error {
	create := "/query?" + url.Values{"q": {"CREATE DATABASE bench"}}.Encode()
	if _, err := i.ask(ctx, http.MethodPost, create, nil, nil); err != nil {
		return err
	}
	r := i.records
	var lines []byte
	for d, device := range r.Devices {
		for n := range r.Count() {
			lines = append(append(append(lines, measurement+",device="...), device...), ' ')
			for p, property := range r.Properties {
				if p > 0 {
					lines = append(lines, ',')
				}
				lines = strconv.AppendFloat(append(append(lines, property...), '='), r.Values[d][p][n], 'f', -1, 64)
			}
			lines = append(strconv.AppendInt(append(lines, ' '), r.Time(n).UnixMilli(), 10), '\n')
			if (n+1)%influxLines != 0 && n+1 != r.Count() {
				continue
			}
			body := bytes.NewReader(lines)
			if _, err := i.ask(ctx, http.MethodPost, "/write?db=bench&precision=ms", nil, body); err != nil {
				return err
			}
			lines = lines[:0]
		}
	}
	return nil
}

// withYears returns nil: the years are not compared with InfluxDB.
func (i *influxDB) withYears(*Records) aggregateStore { return nil }

func (i *influxDB) query(ctx context.Context, columns string, device int, s span, end string) (*scanner, error) {
	q := fmt.Sprintf(
		"SELECT %s FROM %s WHERE device='%s' AND time>=%dms AND time<=%dms%s",
		columns,
		measurement,
		i.records.Devices[device],
		s.from,
		s.to,
		end,
	)
	path := "/query?" + url.Values{"db": {"bench"}, "epoch": {"ms"}, "q": {q}}.Encode()
	return i.ask(ctx, http.MethodGet, path, nil, nil)
}

func (i *influxDB) points(ctx context.Context, device int, s span, a *answer) error {
	in, err := i.query(ctx, strings.Join(i.records.Properties, ","), device, s, "")
	if err != nil {
		return err
	}
	return readInflux(in, func(at int64) {
		for p := range a.points {
			in.more(']')
			a.points[p] = append(a.points[p], point{at, in.number()})
		}
	})
}

func (i *influxDB) minMax(ctx context.Context, device int, a *answer) error {
	s, width := i.records.all(), i.records.width()
	var columns []string
	for _, p := range i.records.Properties {
		columns = append(columns, "min("+p+"),max("+p+")")
	}
	group := fmt.Sprintf(" GROUP BY time(%dms) fill(none)", width)
	in, err := i.query(ctx, strings.Join(columns, ","), device, s, group)
	if err != nil {
		return err
	}
	return readInflux(in, func(at int64) {
		n := (at - s.from) / width
		if n < 0 || n >= int64(i.records.buckets()) {
			in.fail("time of a bucket")
			return
		}
		for p := range a.buckets {
			in.more(']')
			low := in.number()
			in.more(']')
			a.buckets[p][n] = bucket{low, in.number(), true}
		}
	})
}

// readInflux reads {"results":[{"series":[{"values":[[time,…],…]}]}]}; row reads the values after a
// row's time.
func readInflux(in *scanner, row func(at int64)) error {
	in.member("results", func() {
		in.take('[')
		for in.more(']') {
			in.member("series", func() {
				in.take('[')
				for in.more(']') {
					in.member("values", func() {
						in.take('[')
						for in.more(']') {
							in.take('[')
							row(int64(in.number()))
							in.take(']')
						}
					})
				}
			})
		}
	})
	return in.err
}
