package openapi

import (
	"context"
	"strconv"

	"tilth/internal/device"
	"tilth/internal/errs"
	"tilth/internal/openapi/wire"
	"tilth/internal/reading"
)

// pageSize is how many things a list answers where nobody says.
const pageSize = 100

// ListDevices answers devices by name.
func (s *server) ListDevices(ctx context.Context, r wire.ListDevicesRequestObject) (wire.ListDevicesResponseObject, error) {
	p, info := r.Params, of(ctx)
	online := ""
	if p.Online != nil {
		online = strconv.FormatBool(*p.Online)
	}
	bound := bound(info, optional(p.Search), optional(p.Scene), online)
	from, err := readCursor(p.Cursor, bound)
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
	devices, next, err := s.Roster.PageAfter(ctx, info.program.Tenant, q, after, or(p.Limit, pageSize))
	if err != nil {
		return nil, err
	}
	scenes, err := s.scenes(ctx)
	if err != nil {
		return nil, err
	}
	list := wire.ListDevices200JSONResponse{Items: make([]wire.Device, len(devices))}
	for i, d := range devices {
		list.Items[i] = s.device(d, scenes)
	}
	if next != "" {
		list.NextCursor = new(cursor{Bound: bound, Name: next}.String())
	}
	return list, nil
}

// or is a parameter, or what counts where it is absent.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// scenes are the names of the caller's scenes.
func (s *server) scenes(ctx context.Context) (map[int64]string, error) {
	list, err := s.Scenes.List(ctx, of(ctx).program.Tenant)
	names := make(map[int64]string, len(list))
	for i := range list {
		names[list[i].ID] = list[i].Name
	}
	return names, err
}

func (s *server) device(d *device.Device, scenes map[int64]string) wire.Device {
	status := s.Presence.Status(d.Tenant, d.ID)
	w := wire.Device{
		DeviceName: d.Name, NoteName: d.NoteName, Serial: d.Serial, Online: status.Online, Latitude: d.Latitude, Longitude: d.Longitude,
		Scene: some(scenes[d.SceneID]), LastContact: some(wire.Moment(status.LastContact)),
	}
	if p := s.Catalog.Product(d.ProductID); p != nil {
		w.Product = p.Name
	}
	return w
}

// some is nil for what the wire leaves out: the zero value.
func some[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// known finds the caller's device by name, with its product.
func (s *server) known(ctx context.Context, name string) (*device.Device, *device.Product, error) {
	d, err := s.Devices.Get(ctx, of(ctx).program.Tenant, name)
	if err != nil {
		return nil, nil, err
	}
	p := s.Catalog.Product(d.ProductID)
	if p == nil {
		p = &device.Product{} // the product was taken away a moment ago, and the device with it
	}
	return d, p, nil
}

// GetDevice answers one device and what it measures.
func (s *server) GetDevice(ctx context.Context, r wire.GetDeviceRequestObject) (wire.GetDeviceResponseObject, error) {
	d, product, err := s.known(ctx, r.DeviceName)
	if err != nil {
		return nil, err
	}
	scenes, err := s.scenes(ctx)
	if err != nil {
		return nil, err
	}
	w := s.device(d, scenes)
	properties := make([]wire.Property, len(product.Properties))
	for i := range product.Properties {
		p := &product.Properties[i]
		properties[i] = wire.Property{
			Identifier: p.Identifier, Name: s.Catalog.Name(of(ctx).Language, p), Unit: some(s.Catalog.Unit(p)), DataType: string(p.DataType),
		}
	}
	return wire.GetDevice200JSONResponse{
		DeviceName: w.DeviceName, NoteName: w.NoteName, Serial: w.Serial, Product: w.Product, Scene: w.Scene, Online: w.Online,
		LastContact: w.LastContact, Latitude: w.Latitude, Longitude: w.Longitude, Properties: properties,
	}, nil
}

// GetLatest answers a device's newest values, in the order of its model.
func (s *server) GetLatest(ctx context.Context, r wire.GetLatestRequestObject) (wire.GetLatestResponseObject, error) {
	d, product, err := s.known(ctx, r.DeviceName)
	if err != nil {
		return nil, err
	}
	newest := map[device.PropertyID]reading.Last{}
	for _, l := range s.Readings.Latest(ctx, d.Tenant, d.ID) {
		newest[l.Property] = l
	}
	w := wire.GetLatest200JSONResponse{DeviceName: d.Name, Values: []wire.LatestValue{}}
	for i := range product.Properties {
		p := &product.Properties[i]
		if l, ok := newest[p.ID]; ok {
			w.Values = append(w.Values, wire.LatestValue{
				Identifier: p.Identifier, Name: s.Catalog.Name(of(ctx).Language, p), Unit: some(s.Catalog.Unit(p)), Value: l.Value, Time: wire.Moment(l.Time),
			})
		}
	}
	return w, nil
}
