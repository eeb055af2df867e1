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
)

// own is tilth, as a browser asks it. Its data was there before it started.
type own struct {
	*web
	token   string
	records *Records
}

func openOwn(ctx context.Context, t Target, r *Records) (*own, error) {
	person, err := signIn(ctx, t.Console, t.World)
	if err != nil {
		return nil, err
	}
	return &own{web: newWeb(t.Console), token: person.token, records: r}, nil
}

func (o *own) load(context.Context) error { return nil }

func (o *own) path(call string, device int, s span, points int) string {
	query := url.Values{
		"deviceName": {o.records.Devices[device]}, "startTime": {strconv.FormatInt(s.from, 10)}, "endTime": {strconv.FormatInt(s.to, 10)},
		"yeuSignList": {strings.Join(o.records.Properties, ",")},
	}
	if points > 0 {
		query.Set("points", strconv.Itoa(points))
	}
	return "/admin-api/client/pc/device/" + call + "?" + query.Encode()
}

func (o *own) header() http.Header { return http.Header{"Authorization": {"Bearer " + o.token}} }

const seriesCall = "get/format-map/time-interval-data"

func (o *own) points(ctx context.Context, device int, s span, a *answer) error {
	in, err := o.ask(ctx, http.MethodGet, o.path(seriesCall, device, s, 0), o.header(), nil)
	if err != nil {
		return err
	}
	return o.records.readOwn(in, func(p int, at point) { a.points[p] = append(a.points[p], at) })
}

func (o *own) lowHigh(ctx context.Context, device int, a *answer) error {
	s := o.records.all()
	in, err := o.ask(ctx, http.MethodGet, o.path(seriesCall, device, s, 2*buckets), o.header(), nil)
	if err != nil {
		return err
	}
	width := o.records.width()
	return o.records.readOwn(in, func(p int, at point) {
		if n := (at.Time - s.from) / width; n >= 0 && n < buckets {
			a.buckets[p][n].add(at.Value)
		}
	})
}

// readOwn reads {"code":200,"data":{"property":[{"time":…,"value":…},…],…}}.
func (r *Records) readOwn(in *scanner, take func(property int, p point)) error {
	in.take('{')
	for in.more('}') {
		switch string(in.key()) {
		case "code":
			if code := in.number(); code != 200 {
				return fmt.Errorf("%w: %.300s", errAnswer, in.raw)
			}
		case "data":
			in.take('{')
			for in.more('}') {
				property := r.property(in.key())
				if property < 0 {
					in.fail("known property")
				}
				in.take('[')
				for in.more(']') {
					take(property, in.point())
				}
			}
		default:
			in.skip()
		}
	}
	return in.err
}

// point reads {"time":…,"value":…}.
func (s *scanner) point() (p point) {
	begin := s.at
	if s.goOver(`{"time":`) { // as tilth writes it
		p.Time = int64(s.number())
		if s.goOver(`,"value":`) {
			p.Value = s.number()
			if s.goOver(`}`) {
				return p
			}
		}
	}
	if s.err == nil {
		s.at = begin
	}
	s.take('{')
	for s.more('}') {
		switch string(s.key()) {
		case "time":
			p.Time = int64(s.number())
		case "value":
			p.Value = s.number()
		default:
			s.skip()
		}
	}
	return p
}

// export asks for all of a device's readings as a spreadsheet and answers the
// file, valid until the next question.
func (o *own) export(ctx context.Context, device int) ([]byte, error) {
	in, err := o.ask(ctx, http.MethodGet, o.path("export-device-data-excel", device, o.records.all(), 0), o.header(), nil)
	if err != nil {
		return nil, err
	}
	return in.raw, nil
}

// sheetRows counts the rows of a spreadsheet's first sheet.
func sheetRows(file []byte) (rows int, err error) {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return 0, fmt.Errorf("the export is no spreadsheet: %w: %.200s", err, file)
	}
	f, err := z.Open("xl/worksheets/sheet1.xml")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	raw, err := io.ReadAll(f)
	return bytes.Count(raw, []byte("<row ")), err
}
