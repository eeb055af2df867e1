package console

import (
	"context"
	"slices"
	"strconv"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
)

const (
	// lineHours is how many hours a day's line has: 24 and the one that has just begun.
	lineHours = 25
	// lineDigits is how many significant digits a mean has: a line is some tens of pixels high.
	lineDigits = 5
)

// GetDayLines answers the last 24 hours of several devices, as the mean of each hour.
func (s *server) GetDayLines(
	ctx context.Context,
	r wire.GetDayLinesRequestObject,
) (wire.GetDayLinesResponseObject, error) {
	hour := time.Hour.Milliseconds()
	now := s.Now().UnixMilli()
	from := now - now%hour - (lineHours-1)*hour
	data := &wire.DayLines{From: from, Lines: map[string]map[string][]*float64{}}
	for _, name := range r.Params.DeviceNames {
		e := s.Registry.Find(caller(ctx).Tenant, trimmed(name))
		if e == nil || e.Product == nil {
			continue
		}
		lines, err := s.dayLines(ctx, e.Ref.Tenant, e.Ref.ID, e.Product, r.Params.YeuSigns, from)
		if err != nil {
			return nil, err
		}
		data.Lines[trimmed(name)] = lines
	}
	return wire.GetDayLines200JSONResponse{Code: success, Data: data}, nil
}

// dayLines gives a device's lines of the numbers among the identifiers that its product has.
func (s *server) dayLines(
	ctx context.Context,
	t tenant.ID,
	id device.ID,
	product *device.Product,
	signs []string,
	from int64,
) (map[string][]*float64, error) {
	lines := map[string][]*float64{}
	var props []device.PropertyID
	identifiers := map[device.PropertyID]string{}
	for _, sign := range signs {
		p := product.Property(trimmed(sign))
		if p != nil && p.DataType == device.Number && !slices.Contains(props, p.ID) {
			props = append(props, p.ID)
			identifiers[p.ID] = p.Identifier
		}
	}
	hour := time.Hour.Milliseconds()
	found, err := s.Readings.Aggregates(ctx, t, id, from, from+lineHours*hour-1, props, reading.Hour)
	for p, list := range found {
		line := make([]*float64, lineHours)
		for i := range list {
			if at := (list[i].Time - from) / hour; at >= 0 && at < lineHours {
				line[at] = new(roundedMean(&list[i]))
			}
		}
		lines[identifiers[p]] = line
	}
	return lines, err
}

// roundedMean gives the mean of an hour with as many digits as a line shows.
func roundedMean(a *reading.Aggregate) float64 {
	short := strconv.AppendFloat(nil, a.Mean(), 'g', lineDigits, 64)
	mean, _ := strconv.ParseFloat(string(short), 64) // it was just written
	return mean
}
