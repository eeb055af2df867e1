package bench

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// tilthStore is tilth, queried as a browser does. Its readings were written before it started.
type tilthStore struct {
	*httpStore
	token   string
	records *Records
	times   []int64 // of the piece that is being read, or the numbers of its hours or days
}

func openTilthStore(ctx context.Context, t Target, r *Records) (*tilthStore, error) {
	person, err := signIn(ctx, t.Console, t.Tenant)
	if err != nil {
		return nil, err
	}
	return &tilthStore{httpStore: newHTTPStore(t.Console), token: person.token, records: r}, nil
}

func (o *tilthStore) load(context.Context) error { return nil }

func (o *tilthStore) path(call string, device int, s span, points int) string {
	query := o.query(device, s)
	if points > 0 {
		query.Set("points", strconv.Itoa(points))
	}
	return callBase + call + "?" + query.Encode()
}

const callBase = "/admin-api/client/pc/device/"

// query returns the parameters that all calls have.
func (o *tilthStore) query(device int, s span) url.Values {
	return url.Values{
		"deviceName":  {o.records.Devices[device]},
		"startTime":   {strconv.FormatInt(s.from, 10)},
		"endTime":     {strconv.FormatInt(s.to, 10)},
		"yeuSignList": {strings.Join(o.records.Properties, ",")},
	}
}

func (o *tilthStore) header() http.Header { return http.Header{"Authorization": {"Bearer " + o.token}} }

const columnsCall = "get/columns/time-interval-data"

func (o *tilthStore) points(ctx context.Context, device int, s span, a *answer) error {
	in, err := o.ask(ctx, http.MethodGet, o.path(columnsCall, device, s, 0), o.header(), nil)
	if err != nil {
		return err
	}
	return o.readColumns(in, func(p int, at point) { a.points[p] = append(a.points[p], at) })
}

func (o *tilthStore) minMax(ctx context.Context, device int, a *answer) error {
	s := o.records.all()
	in, err := o.ask(ctx, http.MethodGet, o.path(columnsCall, device, s, 2*o.records.buckets()), o.header(), nil)
	if err != nil {
		return err
	}
	width := o.records.width()
	return o.readColumns(in, func(p int, at point) {
		if n := (at.Time - s.from) / width; at.Time >= s.from && at.Time <= s.to {
			a.buckets[p][n].add(at.Value)
		}
	})
}

// readColumns reads {"code":200,"data":[{"times":[…],"values":{"property":[…],…}},…]}.
func (o *tilthStore) readColumns(in *scanner, take func(property int, p point)) error {
	in.take('{')
	for in.more('}') {
		switch string(in.key()) {
		case "code":
			if code := in.number(); code != 200 {
				return fmt.Errorf("%w: %.300s", errAnswer, in.raw)
			}
		case "data":
			in.take('[')
			for in.more(']') {
				o.readPiece(in, take)
			}
		default:
			in.skip()
		}
	}
	return in.err
}

// readPiece reads some times, each after the first as the difference from the one before, and then
// the properties' values at these times.
func (o *tilthStore) readPiece(in *scanner, take func(property int, p point)) {
	o.times = o.times[:0]
	in.take('{')
	for in.more('}') {
		switch string(in.key()) {
		case "times":
			in.take('[')
			for at := int64(0); in.more(']'); {
				at += int64(in.number())
				o.times = append(o.times, at)
			}
		case "values":
			in.take('{')
			for in.more('}') {
				property := o.records.property(in.key())
				if property < 0 {
					in.fail("known property")
				}
				in.take('[')
				n := 0
				for ; in.more(']'); n++ {
					if n == len(o.times) {
						in.fail("as many values as times")
						break
					}
					take(property, point{o.times[n], in.number()})
				}
				if n < len(o.times) {
					in.fail("as many values as times")
				}
			}
		default:
			in.skip()
		}
	}
}

// withYears returns the same signed-in client for other devices.
func (o *tilthStore) withYears(r *Records) aggregateStore {
	return &tilthStore{httpStore: o.httpStore, token: o.token, records: r}
}

func (o *tilthStore) aggregates(ctx context.Context, device int, step time.Duration, a *answer) error {
	query := o.query(device, o.records.all())
	query.Set("resolution", "hour")
	if step == dayStep {
		query.Set("resolution", "day")
	}
	path := callBase + "get/columns/aggregated-data?" + query.Encode()
	in, err := o.ask(ctx, http.MethodGet, path, o.header(), nil)
	if err != nil {
		return err
	}
	return o.readAggregates(in, step, a)
}

// readAggregates reads {"code":200,"data":{"aggregates":[{"identifier":"property","times":[…],
// "count":[…],"low":[…],…},…]}}.
func (o *tilthStore) readAggregates(in *scanner, step time.Duration, a *answer) error {
	in.take('{')
	for in.more('}') {
		switch string(in.key()) {
		case "code":
			if code := in.number(); code != 200 {
				return fmt.Errorf("%w: %.300s", errAnswer, in.raw)
			}
		case "data":
			in.member("aggregates", func() {
				in.take('[')
				for in.more(']') {
					o.readAggregatesPiece(in, step, a)
				}
			})
		default:
			in.skip()
		}
	}
	return in.err
}

// readAggregatesPiece reads some hours or days of a property: its identifier, their times, each after
// the first as the difference from the one before, and then their columns.
func (o *tilthStore) readAggregatesPiece(in *scanner, step time.Duration, a *answer) {
	var own []aggregate // of the piece's property
	o.times = o.times[:0]
	in.take('{')
	for in.more('}') {
		switch name := string(in.key()); name {
		case "identifier":
			property := o.records.property(in.text())
			if property < 0 {
				in.fail("known property")
				return
			}
			own = a.aggregates[property]
		case "times":
			in.take('[')
			at := -o.records.Start.UnixMilli()
			for in.more(']') {
				at += int64(in.number())
				n := at / step.Milliseconds()
				if at < 0 || at%step.Milliseconds() != 0 || n >= int64(len(own)) {
					in.fail("time of an hour or day")
					return
				}
				o.times = append(o.times, n)
			}
		default:
			o.readAggregatesColumn(in, name, int(step/o.records.Step), own)
		}
	}
}

// readAggregatesColumn reads a column of as many values as there are times. Each hour or day has
// readings in all of its steps.
func (o *tilthStore) readAggregatesColumn(in *scanner, name string, readings int, own []aggregate) {
	in.take('[')
	n := 0
	for ; in.more(']') && n < len(o.times); n++ {
		value := in.number()
		switch at := &own[o.times[n]]; name {
		case "count":
			if value != float64(readings) {
				in.fail(fmt.Sprintf("count %d", readings))
			}
		case "low":
			at.low = value
		case "mean":
			at.mean = value
		case "high":
			at.high = value
		}
	}
	if n != len(o.times) || len(o.times) == 0 || in.err == nil && in.raw[in.at-1] != ']' {
		in.fail("as many values as times")
	}
}

// export requests all readings of a device as a spreadsheet and returns the file, valid until the
// next request.
func (o *tilthStore) export(ctx context.Context, device int) ([]byte, error) {
	path := o.path("export-device-data-excel", device, o.records.all(), 0)
	in, err := o.ask(ctx, http.MethodGet, path, o.header(), nil)
	if err != nil {
		return nil, err
	}
	return in.raw, nil
}

// sheetRows counts the rows of a spreadsheet's first sheet.
func sheetRows(file []byte) (rows int, err error) {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return 0, fmt.Errorf("the export is not a spreadsheet: %w: %.200s", err, file)
	}
	f, err := z.Open("xl/worksheets/sheet1.xml")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	raw, err := io.ReadAll(f)
	return bytes.Count(raw, []byte("<row ")), err
}
