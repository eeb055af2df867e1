package device

import (
	"context"
	"strings"

	"tilth/internal/domain/tenant"
)

// PageAfter gives up to limit devices that q selects, in the byte order of their names, beginning
// after a name that need not exist; it ignores the order and the page of q. next is the name to
// continue after; empty at the end. Names never change, so a caller that continues from next to
// next sees each device once, even if devices are added and removed meanwhile.
func (r *Roster) PageAfter(
	ctx context.Context,
	t tenant.ID,
	q Query,
	name string,
	limit int,
) (list []*Device, next string, err error) {
	all, err := r.members(ctx, t)
	if err != nil {
		return nil, "", err
	}
	keys := make([]sortKey, 0, len(all))
	for _, m := range r.filter(t, all, &q) {
		if strings.Compare(m.Name, name) > 0 {
			keys = append(keys, sortKey{text: m.Name, id: m.ID})
		}
	}
	more := len(keys) > limit
	first := smallest(keys, min(limit, len(keys)), compareKeys)
	if more && len(first) > 0 {
		next = first[len(first)-1].text
	}
	ids := make([]ID, len(first))
	for i, k := range first {
		ids[i] = k.id
	}
	list, err = r.store.ByIDs(ctx, t, ids)
	return list, next, err
}
