package console

import (
	"context"

	"tilth/internal/domain/calibration"
	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// CreateCalibration corrects a property of a device from a time on.
func (s *server) CreateCalibration(
	ctx context.Context,
	r wire.CreateCalibrationRequestObject,
) (wire.CreateCalibrationResponseObject, error) {
	b := r.Body
	if err := checkTexts(map[string]*string{"yeuSign": &b.YeuSign, "note": b.Note}); err != nil {
		return nil, err
	}
	by, err := s.callerName(ctx)
	if err != nil {
		return nil, err
	}
	id, err := s.Calibrations.Create(ctx, caller(ctx).Tenant, trimmed(b.DeviceName), by, calibration.Form{
		Property: b.YeuSign, FromTime: b.FromTime, Kind: calibration.Kind(b.Kind), Shift: b.Offset,
		Raw1: b.Raw1, True1: b.True1, Raw2: b.Raw2, True2: b.True2, Note: deref(b.Note),
	})
	if err != nil {
		return nil, err
	}
	return wire.CreateCalibration200JSONResponse{Code: success, Data: &wire.CalibrationCreated{Id: id}}, nil
}

// GetCalibrationPage answers the calibrations of a device, page by page.
func (s *server) GetCalibrationPage(
	ctx context.Context,
	r wire.GetCalibrationPageRequestObject,
) (wire.GetCalibrationPageResponseObject, error) {
	d, p, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	var of device.PropertyID
	if sign := trimmed(deref(r.Params.YeuSign)); sign != "" {
		property := p.Property(sign)
		if property == nil {
			return nil, errs.New(errs.Refused, "invalid.unknown", "value", sign).WithField("yeuSign")
		}
		of = property.ID
	}
	q := pageQuery(r.Params.PageNo, r.Params.PageSize)
	list, total, err := s.Calibrations.Page(ctx, d.Tenant, d.ID, of, q.Offset, q.Limit)
	if err != nil {
		return nil, err
	}
	w := &wire.CalibrationPage{List: make([]wire.Calibration, len(list)), Total: int(total)}
	for i := range list {
		w.List[i] = s.wireCalibration(ctx, p, &list[i])
	}
	return wire.GetCalibrationPage200JSONResponse{Code: success, Data: w}, nil
}

// wireCalibration writes a calibration. Of a property that the product no longer has the name is empty.
func (s *server) wireCalibration(ctx context.Context, p *device.Product, c *calibration.Calibration) wire.Calibration {
	w := wire.Calibration{
		Id: c.ID, FromTime: c.FromTime, Kind: string(c.Kind), Note: c.Note, By: c.MadeBy, CreateTime: c.CreateTime,
		Swap: c.Swap,
	}
	if property := p.PropertyByID(c.Property); property != nil {
		w.YeuSign, w.Precision = property.Identifier, property.Precision
		w.Name, w.Unit = s.Catalog.Name(requestFrom(ctx).Language, property), s.Catalog.Unit(property)
	}
	n := c.Numbers
	switch c.Kind {
	case calibration.Offset:
		w.Offset = &n.Shift
	case calibration.TwoPoint:
		w.Raw1, w.True1, w.Raw2, w.True2 = &n.Raw1, &n.True1, &n.Raw2, &n.True2
	}
	if c.UndoTime != 0 {
		w.UndoneBy, w.UndoTime = &c.UndoneBy, &c.UndoTime
	}
	return w
}

// UndoCalibration undoes a calibration.
func (s *server) UndoCalibration(
	ctx context.Context,
	r wire.UndoCalibrationRequestObject,
) (wire.UndoCalibrationResponseObject, error) {
	by, err := s.callerName(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Calibrations.Undo(ctx, caller(ctx).Tenant, r.Body.Id, by); err != nil {
		return nil, err
	}
	return wire.UndoCalibration200JSONResponse{Code: success, Data: new(true)}, nil
}
