package console

import (
	"context"
	"math"
	"time"

	"tilth/internal/domain/calibration"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/sheet"
	"tilth/internal/platform/text"
)

// isCorrected tells whether some readings of a property are corrected in the export.
func (e *export) isCorrected(p *device.Property) bool {
	curve := e.curves[p.ID]
	return curve != nil && curve.AppliesIn(e.from, e.to)
}

// dropUnused drops the curves of properties of which no reading is corrected in the export: those that are
// clamped, if none was that high.
func (e *export) dropUnused(ctx context.Context) error {
	used := reading.Curves{}
	for _, p := range e.props {
		curve := e.curves[p.ID]
		if curve == nil {
			continue
		}
		applies := !curve.Clamped || curve.AppliesTo(e.from, e.to, math.Inf(-1))
		if !applies {
			days, err := e.readings.Aggregates(
				reading.WithRaw(ctx), e.device.Tenant, e.device.ID, e.from, e.to,
				[]device.PropertyID{p.ID}, reading.Day,
			)
			if err != nil {
				return err
			}
			for _, day := range days[p.ID] {
				applies = applies || curve.AppliesTo(e.from, e.to, day.Highest)
			}
		}
		if applies {
			used[p.ID] = curve
		}
	}
	e.curves = used
	return nil
}

// writeCalibrations writes the calibrations of the properties that are corrected in the export.
func (e *export) writeCalibrations(s *sheet.Sheet) error {
	begun := false
	for _, p := range e.props {
		for i := range e.calibrations {
			c := &e.calibrations[i]
			if c.Property != p.ID || !e.isCorrected(p) {
				continue
			}
			if !begun {
				begun = true
				if err := e.writeHeads(
					s,
					"export.attribute",
					"export.correction",
					"field.fromTime",
					"export.note",
				); err != nil {
					return err
				}
			}
			if err := s.Row(); err != nil {
				return err
			}
			s.Text(e.catalog.Name(e.language, p))
			s.Text(e.correction(c))
			s.Time(time.UnixMilli(c.FromTime).In(e.zone))
			s.Text(c.Note)
		}
	}
	return nil
}

// writeHeads writes an empty row and then heads.
func (e *export) writeHeads(s *sheet.Sheet, keys ...string) error {
	for range 2 {
		if err := s.Row(); err != nil {
			return err
		}
	}
	for _, key := range keys {
		s.Bold(e.label(key))
	}
	return nil
}

// correction says how a calibration corrects.
func (e *export) correction(c *calibration.Calibration) string {
	n := &c.Numbers
	show := func(x float64) string { return text.Number(e.language, x, nil) }
	switch c.Kind {
	case calibration.Offset:
		if n.Shift > 0 {
			return "+" + show(n.Shift)
		}
		return show(n.Shift)
	case calibration.TwoPoint:
		return text.Translate(e.language, "export.twoPoints", map[string]string{
			"raw1": show(n.Raw1), "true1": show(n.True1), "raw2": show(n.Raw2), "true2": show(n.True2),
		})
	default:
		return e.label("export.uncorrected")
	}
}
