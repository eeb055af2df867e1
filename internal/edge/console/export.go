package console

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/calibration"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/sheet"
	"tilth/internal/edge/console/wire"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/text"
)

// ExportDeviceData answers a device's readings over a range as a spreadsheet.
func (s *server) ExportDeviceData(
	ctx context.Context,
	r wire.ExportDeviceDataRequestObject,
) (wire.ExportDeviceDataResponseObject, error) {
	p := r.Params
	h, err := s.deviceHistory(ctx, p.DeviceName, p.StartTime, p.EndTime, p.YeuSignList)
	if err != nil {
		return nil, err
	}
	zone, err := s.zone(ctx)
	if err != nil {
		return nil, err
	}
	leave, err := s.acquireStreamSlot(ctx)
	if err != nil {
		return nil, err
	}
	// The entry is written before the first byte is sent: the log has every export, even if the
	// client leaves before its end.
	err = audit.Log(ctx, h.device.Tenant, audit.Action{
		Name: "device.export", Thing: h.device.AuditThing(),
		Changes: []audit.Change{{Field: "startTime", After: h.from}, {Field: "endTime", After: h.to}},
	})
	if err != nil {
		leave()
		return nil, err
	}
	e := &export{
		historyQuery: h,
		catalog:      s.Catalog,
		readings:     s.Readings,
		curves:       s.curvesIn(ctx, &h),
		calibrations: s.Calibrations.Holding(h.ref),
		zone:         zone,
		language:     requestFrom(ctx).Language,
		createdAt:    s.Now(),
		rowLimit:     sheet.MaxRows,
	}
	header := http.Header{
		"Content-Type":        {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		"Content-Disposition": {`attachment; filename="device_data.xlsx"`},
	}
	return streamedResponse(func(w http.ResponseWriter) error {
		defer leave()
		return s.edge.Stream(
			ctx,
			w,
			httpbase.StreamOptions{Header: header},
			func(out *httpbase.StreamWriter) error { return e.write(ctx, out) },
		)
	}), nil
}

// export is a spreadsheet of a device's readings that is being written.
type export struct {
	historyQuery
	catalog   *device.Catalog
	readings  Readings
	zone      *time.Location
	language  text.Language
	createdAt time.Time
	rowLimit  int // rows of one sheet

	curves       reading.Curves            // that correct some of the readings
	calibrations []calibration.Calibration // of the device, by property and time

	book        *sheet.Book
	sheet       *sheet.Sheet // the sheet to which the readings are written
	sheets      int          // sheets of readings begun so far
	frames      int          // frames written so far
	columnHeads []string     // the heads of the columns: names and units of properties, of corrected ones twice
}

// write writes the readings, on several sheets if need be, and then the sheet about the export,
// which is shown as the second one.
func (e *export) write(ctx context.Context, out io.Writer) error {
	e.book = sheet.New(out, e.createdAt)
	if err := e.dropUnused(ctx); err != nil {
		return err
	}
	column := make(map[device.PropertyID]int, len(e.props))
	for _, p := range e.props {
		column[p.ID] = len(e.columnHeads)
		e.columnHeads = append(e.columnHeads, e.columnHead(p))
		if e.isCorrected(p) {
			e.columnHeads = append(e.columnHeads, e.columnHead(p)+" · "+e.label("export.raw"))
		}
	}
	if err := e.beginSheet(); err != nil {
		return err
	}
	cells, number := make([]reading.Value, len(e.columnHeads)), []byte(nil)
	err := e.readings.Range(
		reading.WithRaw(ctx),
		e.device.Tenant,
		e.device.ID,
		e.from,
		e.to,
		e.ids(),
		func(at int64, fields []reading.Field) error {
			if e.sheet.Rows() == e.rowLimit {
				if err := e.beginSheet(); err != nil {
					return err
				}
			}
			if err := e.sheet.Row(); err != nil {
				return err
			}
			e.frames++
			e.sheet.Time(time.UnixMilli(at).In(e.zone))
			clear(cells)
			for _, f := range fields {
				place := column[f.Property]
				value, applies := e.curves[f.Property].Correct(at, f.Value)
				if cells[place] = value; applies {
					cells[place+1] = f.Value
				}
			}
			for _, v := range cells {
				switch v.Kind() {
				case reading.KindNumber:
					number = v.AppendJSON(number[:0])
					e.sheet.Number(number)
				case reading.KindBoolean:
					e.sheet.Bool(v.Bool())
				case reading.KindText:
					e.sheet.Text(v.String())
				default:
					e.sheet.Skip()
				}
			}
			return nil
		},
	)
	if err != nil {
		return err
	}
	if err := e.writeAbout(); err != nil {
		return err
	}
	return e.book.Close()
}

func (e *export) label(key string) string { return text.Translate(e.language, key, nil) }

// columnHead returns the head of a property's column: its name, and its unit unless the name has
// it.
func (e *export) columnHead(p *device.Property) string {
	name := e.catalog.Name(e.language, p)
	if unit := text.UnitUnlessInName(e.language, name, e.catalog.Unit(p)); unit != "" {
		name += " (" + text.Unit(e.language, unit) + ")"
	}
	return name
}

// timeWidth is the width of a date with its time, in characters.
const timeWidth = 20

// beginSheet begins a sheet of readings.
func (e *export) beginSheet() (err error) {
	e.sheets++
	h := sheet.Options{Name: e.label("export.readings"), FrozenRows: 1}
	if e.sheets > 1 {
		h.Name += " " + strconv.Itoa(e.sheets)
		h.Order = e.sheets
	}
	heads := append([]string{e.label("export.time") + " (" + e.zone.String() + ")"}, e.columnHeads...)
	for _, head := range heads {
		h.Widths = append(h.Widths, float64(min(max(utf8.RuneCountInString(head)+2, 10), 40)))
	}
	h.Widths[0] = max(h.Widths[0], timeWidth)
	if e.sheet, err = e.book.Sheet(h); err != nil {
		return err
	}
	if err := e.sheet.Row(); err != nil {
		return err
	}
	for _, head := range heads {
		e.sheet.Bold(head)
	}
	return nil
}

// writeAbout writes the sheet about the export: where the readings come from.
func (e *export) writeAbout() error {
	s, err := e.book.Sheet(sheet.Options{Name: e.label("export.about"), Order: 1, Widths: []float64{28, 28, timeWidth}})
	if err != nil {
		return err
	}
	from, to := time.UnixMilli(e.from).In(e.zone), time.UnixMilli(e.to).In(e.zone)
	facts := []struct {
		key   string
		write func()
	}{
		{"field.deviceName", func() { s.Text(e.device.Name) }},
		{"export.noteName", func() { s.Text(e.device.NoteName) }},
		{"export.serial", func() { s.Text(e.device.Serial) }},
		{"export.product", func() { s.Text(e.product.DisplayName(e.language)) }},
		{"field.startTime", func() { s.Time(from) }},
		{"field.endTime", func() { s.Time(to) }},
		{"export.rows", func() { s.Number(strconv.AppendInt(nil, int64(e.frames), 10)) }},
		{"export.made", func() { s.Time(e.createdAt.In(e.zone)) }},
		{"export.zone", func() { s.Text(e.zone.String()) }},
	}
	for _, fact := range facts {
		if err := s.Row(); err != nil {
			return err
		}
		s.Bold(e.label(fact.key))
		fact.write()
	}
	if err := e.writeOffsets(s, from, to); err != nil {
		return err
	}
	if err := e.writeAttributes(s); err != nil {
		return err
	}
	return e.writeCalibrations(s)
}

// writeOffsets writes each offset of the zone from UTC within the range, and since when it applies:
// if clocks were set back, an hour of times occurs twice.
func (e *export) writeOffsets(s *sheet.Sheet, from, to time.Time) error {
	for begin := from; ; {
		if err := s.Row(); err != nil {
			return err
		}
		s.Bold(e.label("export.offset"))
		s.Text(begin.Format("-07:00")) // the label says UTC
		s.Time(begin)
		_, end := begin.ZoneBounds()
		if end.IsZero() || end.After(to) {
			return nil
		}
		begin = end
	}
}

// writeAttributes writes what each column holds.
func (e *export) writeAttributes(s *sheet.Sheet) error {
	if err := e.writeHeads(s, "export.attribute", "export.identifier", "export.unit"); err != nil {
		return err
	}
	for _, p := range e.props {
		if err := s.Row(); err != nil {
			return err
		}
		s.Text(e.catalog.Name(e.language, p))
		s.Text(p.Identifier)
		s.Text(text.Unit(e.language, e.catalog.Unit(p)))
	}
	return nil
}
