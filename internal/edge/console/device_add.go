package console

import (
	"context"

	"tilth/internal/domain/device"
	"tilth/internal/domain/selfservice"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// GetDeviceOffer answers what the owners of the tenant may add.
func (s *server) GetDeviceOffer(
	ctx context.Context,
	_ wire.GetDeviceOfferRequestObject,
) (wire.GetDeviceOfferResponseObject, error) {
	offer, err := s.SelfService.Offer(ctx, caller(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	l := requestFrom(ctx).Language
	w := &wire.DeviceOffer{
		Used: offer.Used, Most: offer.Most, Claims: offer.Claims,
		Products: make([]wire.OfferedProduct, 0, len(offer.Products)),
	}
	for _, p := range offer.Products {
		one := wire.OfferedProduct{
			ProductId: p.ID, Name: p.Name, ProductName: p.DisplayName(l), Properties: []string{},
		}
		for i := range p.Properties {
			if !p.Properties[i].Derived() {
				one.Properties = append(one.Properties, p.Properties[i].Identifier)
			}
		}
		w.Products = append(w.Products, one)
	}
	return wire.GetDeviceOffer200JSONResponse{Code: success, Data: w}, nil
}

// CreateDevice adds a device.
func (s *server) CreateDevice(
	ctx context.Context,
	r wire.CreateDeviceRequestObject,
) (wire.CreateDeviceResponseObject, error) {
	b := r.Body
	if err := checkTexts(map[string]*string{"noteName": b.NoteName, "serial": b.Serial}); err != nil {
		return nil, err
	}
	made, err := s.SelfService.Create(ctx, caller(ctx).Tenant, selfservice.Form{
		NoteName: deref(b.NoteName), ProductID: b.ProductId, Serial: deref(b.Serial), SceneID: deref(b.GroupId),
		Longitude: b.Longitude, Latitude: b.Latitude, Short: deref(b.Short),
	})
	if err != nil {
		return nil, err
	}
	return wire.CreateDevice200JSONResponse{Code: success, Data: newDevice(made)}, nil
}

// newDevice writes a device that was just made; without a secret its box has one already.
func newDevice(made *selfservice.Made) *wire.NewDevice {
	return &wire.NewDevice{DeviceName: made.DeviceName, Secret: omitEmpty(made.Secret)}
}

// checkTexts checks texts that a request may leave out.
func checkTexts(fields map[string]*string) error {
	for field, value := range fields {
		if err := checkText(field, deref(value)); err != nil {
			return err
		}
	}
	return nil
}

// DeleteDevice deletes a device that owners manage.
func (s *server) DeleteDevice(
	ctx context.Context,
	r wire.DeleteDeviceRequestObject,
) (wire.DeleteDeviceResponseObject, error) {
	d, _, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	if err := s.SelfService.Delete(ctx, caller(ctx).Tenant, d.Name); err != nil {
		return nil, err
	}
	return wire.DeleteDevice200JSONResponse{Code: success, Data: new(true)}, nil
}

// ReadClaim answers what the text of a label says.
func (s *server) ReadClaim(_ context.Context, r wire.ReadClaimRequestObject) (wire.ReadClaimResponseObject, error) {
	if err := checkText("text", r.Body.Text); err != nil {
		return nil, err
	}
	text, mistyped := selfservice.ReadText(r.Body.Text)
	w := &wire.ClaimText{Kind: "unknown"}
	switch {
	case mistyped:
		return nil, errs.New(errs.Refused, "claim.mistyped")
	case text.Code != "":
		w.Kind, w.Code = "code", new(text.Code.String())
	case text.LoRaWAN != nil:
		l := text.LoRaWAN
		w.Kind, w.JoinEui, w.DevEui = "lorawan", &l.JoinEUI, &l.DevEUI
		w.Vendor, w.Model = &l.Vendor, &l.Model
		w.OwnerToken, w.Serial, w.Proprietary = omitEmpty(l.OwnerToken), omitEmpty(l.Serial), omitEmpty(l.Proprietary)
	}
	return wire.ReadClaim200JSONResponse{Code: success, Data: w}, nil
}

// ClaimDevice makes the device of a label the tenant's.
func (s *server) ClaimDevice(
	ctx context.Context,
	r wire.ClaimDeviceRequestObject,
) (wire.ClaimDeviceResponseObject, error) {
	b := r.Body
	if err := checkTexts(map[string]*string{"text": &b.Text, "noteName": b.NoteName, "serial": b.Serial}); err != nil {
		return nil, err
	}
	c := caller(ctx)
	made, err := s.SelfService.Claim(ctx, &c, b.Text, selfservice.Form{
		NoteName: deref(b.NoteName), Serial: deref(b.Serial), SceneID: deref(b.GroupId),
		Longitude: b.Longitude, Latitude: b.Latitude, Short: deref(b.Short),
	})
	if err != nil {
		return nil, err
	}
	return wire.ClaimDevice200JSONResponse{Code: success, Data: newDevice(made)}, nil
}

// ImportDevices adds the devices of a table, all or none.
func (s *server) ImportDevices(
	ctx context.Context,
	r wire.ImportDevicesRequestObject,
) (wire.ImportDevicesResponseObject, error) {
	created, wrong, err := s.SelfService.Import(ctx, caller(ctx).Tenant, r.Body.Csv, r.Body.DryRun)
	if err != nil {
		return nil, err
	}
	w := &wire.DeviceImportResult{Created: []wire.ImportedDevice{}, Errors: []wire.ImportError{}}
	for _, e := range wrong {
		w.Errors = append(w.Errors, wire.ImportError{
			Line: e.Line, Column: e.Column, Msg: errorText(requestFrom(ctx).Language, e.Err),
		})
	}
	if len(wrong) > 0 {
		return nil, errs.New(errs.Refused, "import.wrong").WithData(w)
	}
	for _, c := range created {
		w.Created = append(w.Created, wire.ImportedDevice{
			Line: c.Line, NoteName: c.NoteName, DeviceName: omitEmpty(c.DeviceName), Secret: omitEmpty(c.Secret),
		})
	}
	return wire.ImportDevices200JSONResponse{Code: success, Data: w}, nil
}

// GetFirstReading answers whether a device has reported, and what went wrong if it has not.
func (s *server) GetFirstReading(
	ctx context.Context,
	r wire.GetFirstReadingRequestObject,
) (wire.GetFirstReadingResponseObject, error) {
	d, p, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	w := &wire.FirstReadingState{State: "waiting", Hints: []wire.DeviceHint{}}
	// After a swap the new box's is waited for.
	if reading := newestReading(s.latest(ctx, d.Tenant, d.ID, p)); reading != nil && reading.Time >= d.SwapTime {
		w.State, w.Reading = "received", reading
	}
	for _, h := range s.Hints.Get(d.Tenant, d.ID) {
		w.Hints = append(w.Hints, deviceHint(h))
	}
	return wire.GetFirstReading200JSONResponse{Code: success, Data: w}, nil
}

// newestReading gives the values of the newest time; nil: there are none.
func newestReading(latest wire.Latest) *wire.FirstReading {
	var newest *wire.FirstReading
	for identifier, r := range latest {
		if newest == nil || r.Time > newest.Time {
			newest = &wire.FirstReading{Time: r.Time, Values: map[string]wire.ReadingValue{}}
		}
		if r.Time == newest.Time {
			newest.Values[identifier] = r.Value
		}
	}
	return newest
}

func deviceHint(h device.Hint) wire.DeviceHint {
	reason := string(h.Reason)
	if h.Kind == device.HintWrongProtocol {
		reason = string(h.Fault)
	}
	return wire.DeviceHint{
		Kind: string(h.Kind), Time: h.Time, Address: omitEmpty(h.Address), Identifier: omitEmpty(h.Identifier),
		Reason: omitEmpty(reason), DidYouMean: omitEmpty(h.DidYouMean), Path: omitEmpty(h.Path),
	}
}
