package openapi

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/httpbase/cell"
	"tilth/internal/edge/openapi/wire"
)

// sendJSON sends a page of history.
func (s *server) sendJSON(ctx context.Context, w http.ResponseWriter, h *historyQuery) error {
	return s.edge.Stream(
		ctx,
		w,
		httpbase.StreamOptions{Header: http.Header{"Content-Type": {"application/json"}}},
		func(out *httpbase.StreamWriter) error {
			row, before := objectWriter(h), `{"items":[`
			next, err := s.eachRow(ctx, h, func(at int64, fields []reading.Field) error {
				out.Buf = row(append(out.Buf, before...), at, fields)
				before = ","
				return out.FlushIfFull()
			})
			if err != nil {
				return err
			}
			if before != "," {
				out.Buf = append(out.Buf, before...)
			}
			out.Buf = append(out.Buf, ']')
			if next != nil {
				// The cursor is base64url: there is nothing to escape.
				out.Buf = append(append(append(out.Buf, `,"nextCursor":"`...), *next...), '"')
			}
			out.Buf = append(out.Buf, '}', '\n')
			return nil
		},
	)
}

// sendNDJSON sends history as one object for each line.
func (s *server) sendNDJSON(ctx context.Context, w http.ResponseWriter, h *historyQuery) error {
	return s.sendRows(
		ctx,
		w,
		h,
		"ndjson",
		"application/x-ndjson",
		func(out *httpbase.StreamWriter) func(int64, []reading.Field) error {
			row := objectWriter(h)
			return func(at int64, fields []reading.Field) error {
				out.Buf = append(row(out.Buf, at, fields), '\n')
				return out.FlushIfFull()
			}
		},
	)
}

// sendCSV sends history as a table with a head.
func (s *server) sendCSV(ctx context.Context, w http.ResponseWriter, h *historyQuery) error {
	return s.sendRows(
		ctx,
		w,
		h,
		"csv",
		"text/csv; charset=utf-8; header=present",
		func(out *httpbase.StreamWriter) func(int64, []reading.Field) error {
			out.Buf = append(out.Buf, "time"...)
			column := make(map[device.PropertyID]int, len(h.props))
			for i, p := range h.props {
				column[p.ID] = i
				out.Buf = cell.AppendCSV(append(out.Buf, ','), p.Identifier)
			}
			out.Buf = append(out.Buf, "\r\n"...)
			cells := make([]reading.Value, len(h.props))
			return func(at int64, fields []reading.Field) error {
				clear(cells)
				for _, f := range fields {
					cells[column[f.Property]] = f.Value
				}
				out.Buf, _ = wire.Moment(at).AppendText(out.Buf) // never fails
				for _, v := range cells {
					out.Buf = append(out.Buf, ',')
					switch v.Kind() {
					case reading.KindText:
						out.Buf = cell.AppendCSV(out.Buf, v.String())
					case reading.KindNumber, reading.KindBoolean:
						out.Buf = v.AppendJSON(out.Buf)
					case reading.KindNone: // not measured at that time
					}
				}
				out.Buf = append(out.Buf, "\r\n"...)
				return out.FlushIfFull()
			}
		},
	)
}

// sendRows sends rows and then, at their end, where to go on.
func (s *server) sendRows(ctx context.Context, w http.ResponseWriter, h *historyQuery, format, contentType string,
	rows func(out *httpbase.StreamWriter) func(at int64, fields []reading.Field) error) error {
	header := http.Header{
		"Content-Type": {contentType}, "Trailer": {"Link"},
		"Content-Disposition": {`attachment; filename="history.` + format + `"`},
	}
	return s.edge.Stream(ctx, w, httpbase.StreamOptions{Header: header}, func(out *httpbase.StreamWriter) error {
		next, err := s.eachRow(ctx, h, rows(out))
		if err != nil || next == nil {
			return err
		}
		if err := out.FlushBuffer(); err != nil { // the trailer comes after everything else
			return err
		}
		w.Header().Set("Link", "<"+requestFrom(ctx).nextPage(*next, format)+`>; rel="next"`)
		return nil
	})
}

// nextPage returns the address of the page after an answer, relative to the answer's.
func (r *request) nextPage(cursor, format string) string {
	query := maps.Clone(r.query)
	query.Set("cursor", cursor)
	query.Set("format", format)
	return "?" + query.Encode()
}

// objectWriter returns a function that writes a row as a JSON object.
func objectWriter(h *historyQuery) func(buf []byte, at int64, fields []reading.Field) []byte {
	keys := make(map[device.PropertyID][]byte, len(h.props))
	for _, p := range h.props {
		key, _ := json.Marshal(p.Identifier) // a text always marshals
		keys[p.ID] = append(key, ':')
	}
	return func(buf []byte, at int64, fields []reading.Field) []byte {
		buf = append(buf, `{"time":"`...)
		buf, _ = wire.Moment(at).AppendText(buf) // never fails
		buf = append(buf, `","values":{`...)
		for i := range fields {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = append(buf, keys[fields[i].Property]...)
			buf = fields[i].Value.AppendJSON(buf)
		}
		return append(buf, "}}"...)
	}
}
