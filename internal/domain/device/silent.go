package device

import (
	"cmp"
	"context"
	"slices"

	"tilth/internal/domain/tenant"
)

// Silent is a device that reported once and is offline.
type Silent struct {
	*MapPoint
	Status Status
}

// Silent gives the tenant's silent devices, at most limit, those that fell silent last first, and
// how many there are. It leaves out disabled devices and those in except.
func (r *Roster) Silent(
	ctx context.Context,
	t tenant.ID,
	except map[ID]bool,
	limit int,
) (list []Silent, total int, err error) {
	all, err := r.members(ctx, t)
	if err != nil {
		return nil, 0, err
	}
	r.presence.statuses(t, all, func(m *member, st Status) {
		if !st.Online && st.LastContact != 0 && !m.disabled && !except[m.ID] {
			list = append(list, Silent{MapPoint: &m.MapPoint, Status: st})
		}
	})
	slices.SortFunc(list, func(a, b Silent) int {
		return cmp.Or(cmp.Compare(b.Status.LastContact, a.Status.LastContact), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(limit, len(list))], len(list), nil
}

// Since is when the device fell silent: at its last message, or when its own connection ended, if
// that had kept it online for longer than offlineAfter lets it (epoch ms).
func (s *Silent) Since(offlineAfter int64) int64 {
	if connectedUntil := s.Status.OfflineTime - offlineAfter; connectedUntil > s.Status.LastContact+detectionSlack {
		return connectedUntil
	}
	return s.Status.LastContact
}

// detectionSlack is how much later than due the server may notice that a device is silent (ms).
const detectionSlack = 60_000

// CountByProduct gives how many devices of each product a tenant has.
func (r *Roster) CountByProduct(ctx context.Context, t tenant.ID) (map[int64]int, error) {
	all, err := r.members(ctx, t)
	counts := map[int64]int{}
	for _, m := range all {
		counts[m.ProductID]++
	}
	return counts, err
}

// OfProducts gives a tenant's devices of the given products that are not disabled, by title.
func (r *Roster) OfProducts(ctx context.Context, t tenant.ID, products map[int64]bool) ([]*MapPoint, error) {
	all, err := r.members(ctx, t)
	var list []*MapPoint
	for _, m := range all {
		if products[m.ProductID] && !m.disabled {
			list = append(list, &m.MapPoint)
		}
	}
	return list, err
}
