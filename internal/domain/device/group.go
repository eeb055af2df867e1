package device

import (
	"context"

	"tilth/internal/domain/tenant"
)

// Group summarises the devices in a scene.
type Group struct {
	Devices int
	Online  int
	First   []*Device // by title, then id
}

// Groups groups the devices of a tenant that q selects by scene, DefaultScene included. Each group
// has up to first devices. Scenes without a selected device are absent. Groups ignores the order
// and the page of q. It tells each, unless that is nil, of every device that is online.
func (r *Roster) Groups(
	ctx context.Context,
	t tenant.ID,
	q Query,
	first int,
	each func(scene int64, id ID, product int64),
) (map[int64]*Group, error) {
	all, err := r.members(ctx, t)
	if err != nil {
		return nil, err
	}
	all = r.filter(t, all, &q)
	groups := map[int64]*Group{}
	shown := map[int64]int{}
	var ids []ID
	groupOf := map[ID]*Group{}
	r.presence.statuses(t, all, func(m *member, st Status) {
		g := groups[m.SceneID]
		if g == nil {
			g = &Group{}
			groups[m.SceneID] = g
		}
		g.Devices++
		if st.Online {
			g.Online++
			if each != nil {
				each(m.SceneID, m.ID, m.ProductID)
			}
		}
		if shown[m.SceneID] < first {
			shown[m.SceneID]++
			ids = append(ids, m.ID)
			groupOf[m.ID] = g
		}
	})
	devices, err := r.store.ByIDs(ctx, t, ids)
	for _, d := range devices {
		g := groupOf[d.ID]
		g.First = append(g.First, d)
	}
	return groups, err
}

// Count gives how many devices a tenant has, and how many of them are in no scene.
func (r *Roster) Count(ctx context.Context, t tenant.ID) (devices, unassigned int, err error) {
	all, err := r.members(ctx, t)
	for _, m := range all {
		if m.SceneID == DefaultScene {
			unassigned++
		}
	}
	return len(all), unassigned, err
}

// OfflineSince counts a tenant's devices that are offline and went offline at or after since (epoch
// milliseconds).
func (r *Roster) OfflineSince(ctx context.Context, t tenant.ID, since int64) (devices int64, err error) {
	all, err := r.members(ctx, t)
	r.presence.statuses(t, all, func(_ *member, st Status) {
		if !st.Online && st.OfflineTime != 0 && st.OfflineTime >= since {
			devices++
		}
	})
	return devices, err
}

// MapPoint is a device on the map.
type MapPoint struct {
	ID        ID
	Name      string
	NoteName  string
	SceneID   int64
	ProductID int64
	Longitude float64
	Latitude  float64
}

// Box is a part of the map, in degrees. If West is greater than East, it crosses the date line.
type Box struct{ West, South, East, North float64 }

func (b *Box) contains(longitude, latitude float64) bool {
	if b == nil {
		return true
	}
	if latitude < b.South || latitude > b.North {
		return false
	}
	if b.West <= b.East {
		return longitude >= b.West && longitude <= b.East
	}
	return longitude >= b.West || longitude <= b.East
}

// MapPoints gives a tenant's devices with a position in the box (nil: anywhere), ordered by title,
// and how many devices have no position.
func (r *Roster) MapPoints(
	ctx context.Context,
	t tenant.ID,
	box *Box,
) (points []*MapPoint, withoutPosition int, err error) {
	all, err := r.members(ctx, t)
	for _, m := range all {
		switch {
		case !m.hasPosition:
			withoutPosition++
		case box.contains(m.Longitude, m.Latitude):
			points = append(points, &m.MapPoint)
		}
	}
	return points, withoutPosition, err
}
