package console

import (
	"context"
	"strings"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/agronomy"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// latest returns a device's newest readings by identifier, for the properties that its product has
// now.
func (s *server) latest(ctx context.Context, t tenant.ID, id device.ID, p *device.Product) wire.Latest {
	last := s.Readings.Newest(ctx, t, id)
	if len(last) == 0 {
		return nil
	}
	raw := s.rawLatest(ctx, device.Ref{Tenant: t, ID: id})
	by := make(wire.Latest, len(last))
	for i := range p.Properties {
		for _, v := range last {
			if prop := &p.Properties[i]; prop.ID == v.Property {
				w := s.wireReading(ctx, prop, &v)
				raw.addTo(w, v.Property)
				by[prop.Identifier] = *w
			}
		}
	}
	return by
}

// earlyArrival returns when a reading arrived, if it arrived before its own time.
func earlyArrival(n *reading.Newest) *int64 {
	if n.Order < n.Time {
		return &n.Order
	}
	return nil
}

// deviceByName finds the caller's device and its product by device name.
func (s *server) deviceByName(ctx context.Context, name string) (*device.Device, *device.Product, error) {
	d, err := s.Devices.Get(ctx, caller(ctx).Tenant, trimmed(name))
	if err != nil {
		return nil, nil, err
	}
	p := s.Catalog.Product(d.ProductID)
	if p == nil {
		return nil, nil, errs.Missing()
	}
	return d, p, nil
}

// GetDataLast answers the latest reading of each property of a device.
func (s *server) GetDataLast(
	ctx context.Context,
	r wire.GetDataLastRequestObject,
) (wire.GetDataLastResponseObject, error) {
	d, p, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	latest := s.latest(ctx, d.Tenant, d.ID, p)
	if latest == nil {
		latest = wire.Latest{}
	}
	return wire.GetDataLast200JSONResponse{Code: success, Data: &latest}, nil
}

// GetTsl answers the thing model of a device.
func (s *server) GetTsl(ctx context.Context, r wire.GetTslRequestObject) (wire.GetTslResponseObject, error) {
	d, p, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	return wire.GetTsl200JSONResponse{
		Code: success,
		Data: &wire.Tsl{DeviceName: d.Name, Propertie: s.properties(ctx, d, p)},
	}, nil
}

// properties returns a device's thing model, in the order of its product.
func (s *server) properties(ctx context.Context, d *device.Device, p *device.Product) []wire.TslProperty {
	list := make([]wire.TslProperty, len(p.Properties))
	for i := range p.Properties {
		prop := &p.Properties[i]
		list[i] = s.wireProperty(ctx, prop)
		if own, ok := d.ElementData[prop.Identifier]; ok {
			list[i].ElementData = own
		}
	}
	return list
}

// wireProperty writes a product's property in the caller's language.
func (s *server) wireProperty(ctx context.Context, prop *device.Property) wire.TslProperty {
	w := wire.TslProperty{
		Identifier:   prop.Identifier,
		FunctionName: prop.FunctionName,
		YeuName:      s.Catalog.Name(requestFrom(ctx).Language, prop),
		ElementUnit:  s.Catalog.Unit(prop),
		ElementData:  prop.ElementData,
		DataType:     wire.TslPropertyDataType(prop.DataType),
		AccessMode:   wire.TslPropertyAccessMode(prop.AccessMode),
		Min:          prop.Min,
		Max:          prop.Highest(),
		Precision:    prop.Precision,
		LeastSpan:    s.Catalog.LeastSpan(prop),
	}
	setDerivation(&w, prop)
	if e := s.Catalog.Element(prop.Identifier); e != nil {
		w.YeuUrl = e.YeuURL
	}
	return w
}

// setDerivation says how a property is computed.
func setDerivation(w *wire.TslProperty, p *device.Property) {
	if !p.Derived() {
		return
	}
	w.Formula, w.Inputs = &p.Formula, &p.Inputs
	f := agronomy.Find(p.Formula)
	if f == nil {
		return // a formula of a later version of the program: nothing is computed
	}
	if values := f.Values(p.Parameters); len(values) > 0 {
		w.Parameters = &map[string]float64{}
		for i, parameter := range f.Parameters {
			(*w.Parameters)[parameter.Name] = values[i]
		}
	}
}

// GetElementMap answers catalogue entries by identifier.
func (s *server) GetElementMap(
	ctx context.Context,
	r wire.GetElementMapRequestObject,
) (wire.GetElementMapResponseObject, error) {
	by := map[string]wire.Element{}
	for _, sign := range r.Params.YeuSigns {
		if e := s.Catalog.Element(sign); e != nil {
			by[e.YeuSign] = wire.Element{
				YeuSign: e.YeuSign,
				YeuName: text.InLanguage(e.Names, requestFrom(ctx).Language),
				YeuUrl:  e.YeuURL,
				Unit:    e.Unit,
			}
		}
	}
	return wire.GetElementMap200JSONResponse{Code: success, Data: &by}, nil
}

// GetDeviceDiagnostics answers what a device sent and what the server refused of it.
func (s *server) GetDeviceDiagnostics(
	ctx context.Context,
	r wire.GetDeviceDiagnosticsRequestObject,
) (wire.GetDeviceDiagnosticsResponseObject, error) {
	d, _, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	in := s.Diagnostics.Get(d.Tenant, d.ID)
	days, err := s.Status.Days(ctx, d.Tenant, d.ID)
	if err != nil {
		return nil, err
	}
	w := &wire.Diagnostics{
		Days:     make([]wire.IntakeDay, len(days)),
		Received: in.Messages, Values: in.Values, Refused: in.Refused, ClockAhead: in.ClockAhead.Milliseconds(),
		LastContact: omitZero(s.Presence.Status(d.Tenant, d.ID).LastContact),
	}
	for i, day := range days {
		w.Days[i] = wire.IntakeDay{
			Day:      day.Day.String(),
			Messages: day.Messages,
			Values:   day.Values,
			Refused:  day.Refused,
		}
	}
	if last := in.LastRefusal; last.Time != 0 {
		w.LastRefusal = &wire.Refusal{
			Time: last.Time, Identifier: last.Identifier, Reason: wire.RefusalReason(last.Reason),
			Text: text.Translate(requestFrom(ctx).Language, "refusal."+string(last.Reason), nil),
		}
	}
	return wire.GetDeviceDiagnostics200JSONResponse{Code: success, Data: w}, nil
}

func trimmed(s string) string { return strings.TrimSpace(s) }
