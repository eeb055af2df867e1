package device

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/text"
)

// Sort selects the order of devices.
type Sort string

// The orders of devices; equal devices are ordered by id.
const (
	SortTitle   Sort = "noteName" // the remark name, else the device name; the zero Sort means the same
	SortName    Sort = "deviceName"
	SortSerial  Sort = "serial"
	SortProduct Sort = "productName"
	SortScene   Sort = "groupName" // the default group first
	SortContact Sort = "lastContact"
	SortState   Sort = "onlineState" // offline first
	SortCreated Sort = "createTime"
	// Those need a Query.Number, by which they order.
	SortBattery Sort = "battery"
	SortSignal  Sort = "signal"
)

// Query selects and orders devices. Zero fields do not filter.
type Query struct {
	Search    string // part of the name, remark name or serial, in any case
	Scene     *int64 // DefaultScene: devices in no scene
	Names     []string
	ProductID int64
	Products  map[int64]bool // only these products; nil: all
	Except    string         // omits the device of this name
	Online    *bool
	// Number, if not nil, orders by a number of each device, instead of Sort; those of which it is false
	// come last.
	Number     func(id ID, product int64) (float64, bool)
	Sort       Sort
	Descending bool          // reverses the whole order, the ids included
	Language   text.Language // the language of the product names that SortProduct compares
	Offset     int64
	Limit      int64
}

// Page gives a page of the devices that q selects, and how many there are in all.
func (r *Roster) Page(ctx context.Context, t tenant.ID, q Query) ([]*Device, int64, error) {
	all, err := r.members(ctx, t)
	if err != nil {
		return nil, 0, err
	}
	found := r.filter(t, all, &q)
	var ids []ID
	if q.Number == nil && (q.Sort == "" || q.Sort == SortTitle) { // the list is in this order already
		ids = pageListed(found, q.Descending, q.Offset, q.Limit)
	} else {
		keys, err := r.keys(ctx, t, found, &q)
		if err != nil {
			return nil, 0, err
		}
		ids = pageSorted(keys, q.Descending, q.Offset, q.Limit)
	}
	devices, err := r.store.ByIDs(ctx, t, ids)
	return devices, int64(len(found)), err
}

// filter gives the devices of all that q selects, in the order of all.
func (r *Roster) filter(t tenant.ID, all []*member, q *Query) []*member {
	search := text.Fold(q.Search)
	var names map[string]bool
	if len(q.Names) > 0 {
		names = make(map[string]bool, len(q.Names))
		for _, n := range q.Names {
			names[n] = true
		}
	}
	if search == "" && names == nil && q.Scene == nil && q.ProductID == 0 && q.Products == nil && q.Except == "" &&
		q.Online == nil {
		return all
	}
	found := make([]*member, 0, len(all))
	for _, m := range all {
		if (names == nil || names[m.Name]) && (q.Scene == nil || m.SceneID == *q.Scene) &&
			(q.ProductID == 0 || m.ProductID == q.ProductID) && (q.Products == nil || q.Products[m.ProductID]) &&
			(q.Except == "" || m.Name != q.Except) && strings.Contains(m.foldedText, search) {
			found = append(found, m)
		}
	}
	if q.Online == nil {
		return found
	}
	kept := found[:0] // no caller sees found
	r.presence.statuses(t, found, func(m *member, st Status) {
		if st.Online == *q.Online {
			kept = append(kept, m)
		}
	})
	return kept
}

// sortKey orders a device: by a number, then a text, then its id.
type sortKey struct {
	number int64
	text   string
	id     ID
}

func compareKeys(a, b sortKey) int {
	return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text), cmp.Compare(a.id, b.id))
}

// keys gives the sort keys of members for the order of q.
func (r *Roster) keys(ctx context.Context, t tenant.ID, list []*member, q *Query) ([]sortKey, error) {
	keys := make([]sortKey, 0, len(list))
	addAll := func(keyOf func(m *member) sortKey) {
		for _, m := range list {
			k := keyOf(m)
			k.id = m.ID
			keys = append(keys, k)
		}
	}
	if q.Number != nil {
		addAll(func(m *member) sortKey { return numberKey(m, q) })
		return keys, nil
	}
	switch q.Sort {
	case SortName:
		addAll(func(m *member) sortKey { return sortKey{text: m.foldedName} })
	case SortSerial:
		addAll(func(m *member) sortKey { return sortKey{text: m.foldedSerial} })
	case SortCreated:
		addAll(func(m *member) sortKey { return sortKey{number: m.createTime} })
	case SortProduct:
		rank := r.productRanks(q.Language)
		addAll(func(m *member) sortKey { return sortKey{number: rank[m.ProductID]} })
	case SortScene:
		scenes, err := r.scenes.List(ctx, t)
		if err != nil {
			return nil, err
		}
		rank := make(map[int64]int64, len(scenes))
		for i, s := range scenes {
			rank[s.ID] = int64(i) + 1
		}
		addAll(func(m *member) sortKey { return sortKey{number: rank[m.SceneID]} })
	case SortContact, SortState:
		r.presence.statuses(t, list, func(m *member, st Status) {
			k := sortKey{id: m.ID, number: st.LastContact}
			if q.Sort == SortState {
				if k.number = 0; st.Online {
					k.number = 1
				}
			}
			keys = append(keys, k)
		})
	default: // the contract has no other order: by id
		addAll(func(*member) sortKey { return sortKey{} })
	}
	return keys, nil
}

// numberKey gives the sort key of a device by the number of q. A device without a number comes last
// in both directions.
func numberKey(m *member, q *Query) sortKey {
	n, known := q.Number(m.ID, m.ProductID)
	switch {
	case known:
		bits := int64(math.Float64bits(n + 0)) // -0 is 0
		if bits < 0 {                          // negative numbers have the reverse order
			bits ^= math.MaxInt64
		}
		return sortKey{number: bits}
	case q.Descending:
		return sortKey{number: math.MinInt64}
	}
	return sortKey{number: math.MaxInt64}
}

// productRanks gives each product's position in the order of display names.
func (r *Roster) productRanks(l text.Language) map[int64]int64 {
	products := r.catalog.ProductsByDisplayName(l)
	rank := make(map[int64]int64, len(products))
	for i, p := range products {
		rank[p.ID] = int64(i)
	}
	return rank
}

// pageBounds gives the first index of a page in a list of n, and the index after its last.
func pageBounds(n int, offset, limit int64) (from, to int) {
	from = int(min(max(offset, 0), int64(n)))
	return from, from + int(min(max(limit, 0), int64(n-from)))
}

// pageListed gives up to limit ids from offset on, in the order of list.
func pageListed(list []*member, descending bool, offset, limit int64) []ID {
	from, to := pageBounds(len(list), offset, limit)
	ids := make([]ID, 0, to-from)
	for i := from; i < to; i++ {
		at := i
		if descending {
			at = len(list) - 1 - i
		}
		ids = append(ids, list[at].ID)
	}
	return ids
}

// pageSorted gives up to limit ids from offset on, in the order of keys. It sorts only as much as
// it needs, and changes keys.
func pageSorted(keys []sortKey, descending bool, offset, limit int64) []ID {
	n := len(keys)
	from, to := pageBounds(n, offset, limit)
	if from == to {
		return nil
	}
	order, fromEnd := compareKeys, false
	if descending {
		order = reversed(order)
	}
	if from > n/2 { // the page is nearer to the end: sort from there
		order, fromEnd = reversed(order), true
		from, to = n-to, n-from
	}
	chosen := smallest(keys, to, order)[from:]
	if fromEnd {
		slices.Reverse(chosen)
	}
	ids := make([]ID, len(chosen))
	for i, k := range chosen {
		ids[i] = k.id
	}
	return ids
}

func reversed(order func(a, b sortKey) int) func(a, b sortKey) int {
	return func(a, b sortKey) int { return order(b, a) }
}

// smallest gives the n smallest keys, sorted.
func smallest(keys []sortKey, n int, order func(a, b sortKey) int) []sortKey {
	if len(keys) <= 4*n {
		slices.SortFunc(keys, order)
		return keys[:n]
	}
	// Most keys come after the n-th smallest seen so far and are skipped.
	kept := make([]sortKey, 0, 2*n)
	var last sortKey
	full := false
	for _, k := range keys {
		if full && order(k, last) > 0 {
			continue
		}
		if kept = append(kept, k); len(kept) == 2*n {
			slices.SortFunc(kept, order)
			kept, full = kept[:n], true
			last = kept[n-1]
		}
	}
	slices.SortFunc(kept, order)
	return kept[:n]
}
