package console

import (
	"context"
	"math"
	"slices"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

const (
	// maxMarkers is up to how many devices the server answers single markers; beyond, it answers
	// clusters.
	maxMarkers = 2000
	// clusterPixels is the width of a cluster's cell on the screen.
	clusterPixels = 64
	tilePixels    = 256
	defaultZoom   = 5
)

// GetDeviceMap answers the markers, or clusters, inside a box.
func (s *server) GetDeviceMap(
	ctx context.Context,
	r wire.GetDeviceMapRequestObject,
) (wire.GetDeviceMapResponseObject, error) {
	t := caller(ctx).Tenant
	box, err := parseBox(r.Params)
	if err != nil {
		return nil, err
	}
	places, unplaced, err := s.Roster.MapPoints(ctx, t, box)
	if err != nil {
		return nil, err
	}
	alarms, err := s.Notices.OpenByDevice(ctx, t)
	if err != nil {
		return nil, err
	}
	counts, err := s.Roster.CountByProduct(ctx, t)
	if err != nil {
		return nil, err
	}
	quantities := quantitiesOf(s.Catalog, counts)
	m := &wire.DeviceMap{
		Markers:  []wire.MapMarker{},
		Clusters: []wire.MapCluster{},
		Total:    len(places),
		Unplaced: unplaced,
	}
	if len(quantities) > 0 {
		m.Quantities = new(s.wireQuantities(ctx, quantities))
	}
	online := func(p *device.MapPoint) bool { return s.Presence.Status(t, p.ID).Online }
	if len(places) > maxMarkers {
		zoom := defaultZoom
		if r.Params.Zoom != nil {
			zoom = *r.Params.Zoom
		}
		m.Clusters = clusters(places, zoom, online, alarms)
		return wire.GetDeviceMap200JSONResponse{Code: success, Data: m}, nil
	}
	var chosen *quantity
	if r.Params.YeuSign != nil {
		chosen = findQuantity(quantities, *r.Params.YeuSign)
	}
	for _, p := range places {
		w := wire.MapMarker{
			DeviceName: p.Name, NoteName: p.NoteName, GroupId: p.SceneID,
			Longitude: p.Longitude, Latitude: p.Latitude, OnlineState: boolInt(online(p)),
		}
		if open, found := alarms[p.ID]; found {
			w.AlarmLevel = new(int(open.Level))
		}
		if chosen != nil {
			w.Reading = s.mapReading(ctx, t, p, chosen)
		}
		m.Markers = append(m.Markers, w)
	}
	return wire.GetDeviceMap200JSONResponse{Code: success, Data: m}, nil
}

func parseBox(p wire.GetDeviceMapParams) (*device.Box, error) {
	sides := []struct {
		name  string
		given *float64
	}{{"west", p.West}, {"south", p.South}, {"east", p.East}, {"north", p.North}}
	absent := ""
	given := 0
	for _, side := range sides {
		if side.given != nil {
			given++
		} else if absent == "" {
			absent = side.name
		}
	}
	switch {
	case given == 0:
		return nil, nil
	case given < len(sides):
		return nil, errs.New(errs.Refused, "invalid.required").WithField(absent)
	}
	return &device.Box{West: *p.West, South: *p.South, East: *p.East, North: *p.North}, nil
}

type gridCell struct{ x, y int }

// clusters groups places by the cells of a grid on the Web-Mercator plane at a zoom; each cluster
// stands at the mean position of its devices.
func clusters(
	places []*device.MapPoint,
	zoom int,
	online func(*device.MapPoint) bool,
	alarms map[device.ID]alarm.OpenSummary,
) []wire.MapCluster {
	by := map[gridCell]*wire.MapCluster{}
	scale := tilePixels * math.Exp2(float64(zoom)) / clusterPixels
	for _, p := range places {
		at := gridCell{int(mercatorX(p.Longitude) * scale), int(mercatorY(p.Latitude) * scale)}
		c := by[at]
		if c == nil {
			c = &wire.MapCluster{West: p.Longitude, East: p.Longitude, South: p.Latitude, North: p.Latitude}
			by[at] = c
		}
		c.Longitude += p.Longitude
		c.Latitude += p.Latitude
		c.West, c.East = min(c.West, p.Longitude), max(c.East, p.Longitude)
		c.South, c.North = min(c.South, p.Latitude), max(c.North, p.Latitude)
		c.Count++
		c.OnlineCount += boolInt(online(p))
		if _, open := alarms[p.ID]; open {
			c.AlarmCount++
		}
	}
	list := make([]wire.MapCluster, 0, len(by))
	for _, c := range by {
		c.Longitude /= float64(c.Count)
		c.Latitude /= float64(c.Count)
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b wire.MapCluster) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		if a.Longitude != b.Longitude {
			return int(math.Copysign(1, a.Longitude-b.Longitude))
		}
		return int(math.Copysign(1, a.Latitude-b.Latitude))
	})
	return list
}

// mercatorX and mercatorY place a position in the unit square of the
// Web-Mercator projection (EPSG:3857), whose latitude ends at 85.0511°.
func mercatorX(longitude float64) float64 { return longitude/360 + 0.5 }

func mercatorY(latitude float64) float64 {
	const limit = 85.05112878
	sin := math.Sin(max(-limit, min(limit, latitude)) * math.Pi / 180)
	return 0.5 - math.Log((1+sin)/(1-sin))/(4*math.Pi)
}
