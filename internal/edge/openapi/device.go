package openapi

import (
	"context"
	"strconv"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/platform/errs"
)

// defaultPageSize is how many elements a list answers if the program gives no limit.
const defaultPageSize = 100

// ListDevices answers devices by name.
func (s *server) ListDevices(
	ctx context.Context,
	r wire.ListDevicesRequestObject,
) (wire.ListDevicesResponseObject, error) {
	p, info := r.Params, requestFrom(ctx)
	online := ""
	if p.Online != nil {
		online = strconv.FormatBool(*p.Online)
	}
	queryHash := hashQuery(info, optional(p.Search), optional(p.Scene), online)
	from, err := readCursor(p.Cursor, queryHash)
	if err != nil {
		return nil, err
	}
	q := device.Query{Search: optional(p.Search), Online: p.Online}
	if p.Scene != nil {
		scene, err := s.Scenes.ByName(ctx, info.program.Tenant, *p.Scene)
		if errs.Is(err, errs.NotFound) {
			return nil, invalid("invalid.unknown", "scene", "value", *p.Scene)
		}
		if err != nil {
			return nil, err
		}
		q.Scene = &scene.ID
	}
	after := ""
	if from != nil {
		after = from.Name
	}
	devices, next, err := s.Roster.PageAfter(ctx, info.program.Tenant, q, after, orDefault(p.Limit, defaultPageSize))
	if err != nil {
		return nil, err
	}
	scenes, err := s.sceneNames(ctx)
	if err != nil {
		return nil, err
	}
	list := wire.ListDevices200JSONResponse{Items: make([]wire.Device, len(devices))}
	for i, d := range devices {
		list.Items[i] = s.wireDevice(d, scenes)
	}
	if next != "" {
		list.NextCursor = new(cursor{QueryHash: queryHash, Name: next}.String())
	}
	return list, nil
}

// orDefault returns a parameter, or fallback if it is absent.
func orDefault[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}

// sceneNames returns the names of the caller's scenes.
func (s *server) sceneNames(ctx context.Context) (map[int64]string, error) {
	list, err := s.Scenes.List(ctx, requestFrom(ctx).program.Tenant)
	names := make(map[int64]string, len(list))
	for i := range list {
		names[list[i].ID] = list[i].Name
	}
	return names, err
}

func (s *server) wireDevice(d *device.Device, scenes map[int64]string) wire.Device {
	status := s.Presence.Status(d.Tenant, d.ID)
	w := wire.Device{
		DeviceName:  d.Name,
		NoteName:    d.NoteName,
		Serial:      d.Serial,
		Online:      status.Online,
		Latitude:    d.Latitude,
		Longitude:   d.Longitude,
		Scene:       omitZero(scenes[d.SceneID]),
		LastContact: omitZero(wire.Moment(status.LastContact)),
	}
	if p := s.Catalog.Product(d.ProductID); p != nil {
		w.Product = p.Name
	}
	return w
}

// omitZero returns nil for the zero value, which the wire leaves out.
func omitZero[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// deviceByName finds the caller's device by name, with its product.
func (s *server) deviceByName(ctx context.Context, name string) (*device.Device, *device.Product, error) {
	d, err := s.Devices.Get(ctx, requestFrom(ctx).program.Tenant, name)
	if err != nil {
		return nil, nil, err
	}
	p := s.Catalog.Product(d.ProductID)
	if p == nil {
		p = &device.Product{} // the product was removed a moment ago, and the device with it
	}
	return d, p, nil
}

// GetDevice answers one device and what it measures.
func (s *server) GetDevice(ctx context.Context, r wire.GetDeviceRequestObject) (wire.GetDeviceResponseObject, error) {
	d, product, err := s.deviceByName(ctx, r.DeviceName)
	if err != nil {
		return nil, err
	}
	scenes, err := s.sceneNames(ctx)
	if err != nil {
		return nil, err
	}
	w := s.wireDevice(d, scenes)
	properties := make([]wire.Property, len(product.Properties))
	for i := range product.Properties {
		p := &product.Properties[i]
		properties[i] = wire.Property{
			Identifier: p.Identifier,
			Name:       s.Catalog.Name(requestFrom(ctx).Language, p),
			Unit:       omitZero(s.Catalog.Unit(p)),
			DataType:   string(p.DataType),
		}
	}
	return wire.GetDevice200JSONResponse{
		DeviceName:  w.DeviceName,
		NoteName:    w.NoteName,
		Serial:      w.Serial,
		Product:     w.Product,
		Scene:       w.Scene,
		Online:      w.Online,
		LastContact: w.LastContact,
		Latitude:    w.Latitude,
		Longitude:   w.Longitude,
		Properties:  properties,
	}, nil
}

// GetLatest answers a device's newest values, in the order of its thing model.
func (s *server) GetLatest(ctx context.Context, r wire.GetLatestRequestObject) (wire.GetLatestResponseObject, error) {
	d, product, err := s.deviceByName(ctx, r.DeviceName)
	if err != nil {
		return nil, err
	}
	ctx = withValues(ctx, r.Params.Values)
	newest := map[device.PropertyID]reading.Last{}
	for _, l := range s.Readings.Latest(ctx, d.Tenant, d.ID) {
		newest[l.Property] = l
	}
	w := wire.GetLatest200JSONResponse{DeviceName: d.Name, Values: []wire.LatestValue{}}
	for i := range product.Properties {
		p := &product.Properties[i]
		if l, ok := newest[p.ID]; ok {
			w.Values = append(w.Values, wire.LatestValue{
				Identifier: p.Identifier,
				Name:       s.Catalog.Name(requestFrom(ctx).Language, p),
				Unit:       omitZero(s.Catalog.Unit(p)),
				Value:      l.Value,
				Time:       wire.Moment(l.Time),
			})
		}
	}
	return w, nil
}
