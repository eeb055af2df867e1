package openapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/platform/errs"
)

const (
	defaultJSONRows = 10_000 // rows of an answer if the program gives no limit
	maxJSONRows     = 50_000
)

// historyQuery is a query for a device's readings.
type historyQuery struct {
	device    *device.Device
	from, to  int64              // epoch milliseconds, both included
	props     []*device.Property // each once, in the order of the columns
	limit     int                // rows; 0: all
	queryHash string
}

// parseHistory checks the query of a request.
func (s *server) parseHistory(
	ctx context.Context,
	r wire.GetHistoryRequestObject,
	format wire.GetHistoryParamsFormat,
) (*historyQuery, error) {
	p := r.Params
	d, product, err := s.deviceByName(ctx, r.DeviceName)
	if err != nil {
		return nil, err
	}
	h := &historyQuery{device: d, limit: orDefault(p.Limit, 0)}
	if format == wire.Json {
		if h.limit > maxJSONRows {
			return nil, invalid("invalid.max", "limit", "limit", strconv.Itoa(maxJSONRows))
		}
		if h.limit == 0 {
			h.limit = defaultJSONRows
		}
	}
	if h.from, err = parseTime("from", p.From); err != nil {
		return nil, err
	}
	to, err := parseOptionalTime("to", p.To)
	if err != nil {
		return nil, err
	}
	end := orDefault(to, s.Now().UnixMilli())
	if to != nil && h.from > end {
		return nil, invalid("history.rangeOrder", "to")
	}
	h.to = end - 1
	if h.props, err = selectProperties(product, p.Properties); err != nil {
		return nil, err
	}
	asked := []string{d.Name, strconv.FormatInt(int64(d.ID), 10), strconv.FormatInt(h.from, 10), formatOptional(to)}
	if p.Values != nil {
		asked = append(asked, "values="+*p.Values) // no identifier
	}
	if p.Properties != nil {
		for _, prop := range h.props {
			asked = append(asked, prop.Identifier)
		}
	}
	h.queryHash = hashQuery(requestFrom(ctx), asked...)
	at, err := readCursor(p.Cursor, h.queryHash)
	if at != nil {
		h.from = max(h.from, at.Time)
	}
	return h, err
}

// withValues makes readers of the context return numbers as they arrived, if a request asks for that.
func withValues(ctx context.Context, asked *string) context.Context {
	if optional(asked) == "raw" {
		return reading.WithRaw(ctx)
	}
	return ctx
}

// selectProperties finds the properties that a request names, or all.
func selectProperties(p *device.Product, identifiers *[]string) (props []*device.Property, err error) {
	if identifiers == nil {
		for i := range p.Properties {
			props = append(props, &p.Properties[i])
		}
		return props, nil
	}
	seen := map[string]bool{}
	for _, identifier := range *identifiers {
		identifier = strings.TrimSpace(identifier)
		prop := p.Property(identifier)
		if prop == nil {
			return nil, invalid("invalid.unknown", "properties", "value", identifier)
		}
		if !seen[identifier] {
			props = append(props, prop)
		}
		seen[identifier] = true
	}
	return props, nil
}

// errLimitReached ends a range when enough rows were written.
var errLimitReached = errors.New("enough rows")

// eachRow calls row for each row of the history up to its limit, and returns where to go on; nil at
// the end.
func (s *server) eachRow(
	ctx context.Context,
	h *historyQuery,
	row func(at int64, fields []reading.Field) error,
) (next *string, err error) {
	ids := make([]device.PropertyID, len(h.props))
	for i, p := range h.props {
		ids[i] = p.ID
	}
	rows, last := 0, int64(0)
	err = s.Readings.Range(
		ctx,
		h.device.Tenant,
		h.device.ID,
		h.from,
		h.to,
		ids,
		func(at int64, fields []reading.Field) error {
			if h.limit > 0 && rows == h.limit {
				return errLimitReached
			}
			rows, last = rows+1, at
			return row(at, fields)
		},
	)
	if errors.Is(err, errLimitReached) {
		return new(cursor{QueryHash: h.queryHash, Time: last + 1}.String()), nil
	}
	return nil, err
}

// GetHistory answers a device's readings, the oldest first, while it reads them.
func (s *server) GetHistory(
	ctx context.Context,
	r wire.GetHistoryRequestObject,
) (wire.GetHistoryResponseObject, error) {
	info := requestFrom(ctx)
	ctx = withValues(ctx, r.Params.Values)
	format := orDefault(r.Params.Format, preferredFormat(info.HTTPRequest.Header.Get("Accept")))
	h, err := s.parseHistory(ctx, r, format)
	if err != nil {
		return nil, err
	}
	return streamedResponse(func(w http.ResponseWriter) error {
		leave := s.HistoryStreams.Acquire(ctx, info.program.Tenant, info.program.User)
		if leave == nil {
			return errs.New(errs.TooMany, "history.waiting").RetryAfter(reading.HistoryRetry)
		}
		defer leave()
		switch format {
		case wire.Csv:
			return s.sendCSV(ctx, w, h)
		case wire.Ndjson:
			return s.sendNDJSON(ctx, w, h)
		default:
			return s.sendJSON(ctx, w, h)
		}
	}), nil
}

// streamedResponse writes an answer of any length. The generated response types would build the
// whole answer in memory first.
type streamedResponse func(w http.ResponseWriter) error

// VisitGetHistoryResponse writes the answer.
func (f streamedResponse) VisitGetHistoryResponse(w http.ResponseWriter) error { return f(w) }

// preferredFormat returns the form that an Accept header prefers; of equal ones, the first. It
// returns JSON if the header names none of the forms.
func preferredFormat(accept string) wire.GetHistoryParamsFormat {
	best, format := 0.0, wire.Json
	for part := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(part, ";")
		quality := 1.0
		for p := range strings.SplitSeq(params, ";") {
			if q, ok := strings.CutPrefix(strings.TrimSpace(p), "q="); ok {
				if n, err := strconv.ParseFloat(q, 64); err == nil {
					quality = n
				}
			}
		}
		if f, ok := formats[strings.ToLower(strings.TrimSpace(name))]; ok && quality > best {
			best, format = quality, f
		}
	}
	return format
}

var formats = map[string]wire.GetHistoryParamsFormat{
	"application/json": wire.Json, "text/csv": wire.Csv, "application/x-ndjson": wire.Ndjson,
}
