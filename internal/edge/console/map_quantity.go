package console

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
)

// quantity is a number that devices of a tenant have, in one unit: products may measure the same
// identifier in different units, and a map compares numbers of one unit only.
type quantity struct {
	property   *device.Property // of one of the products
	unit       string
	products   map[int64]device.PropertyID
	devices    int
	asHeadline int // devices that lists show by it
}

// quantitiesOf gives the numbers that devices of the counted products have. First come those by
// which lists show the most devices, then those that the most devices have.
func quantitiesOf(c *device.Catalog, counts map[int64]int) []*quantity {
	type key struct{ identifier, unit string }
	found := map[key]*quantity{}
	for product, count := range counts {
		p := c.Product(product)
		if p == nil {
			continue
		}
		for i := range p.Properties {
			prop := &p.Properties[i]
			if prop.DataType != device.Number {
				continue
			}
			k := key{prop.Identifier, c.Unit(prop)}
			q := found[k]
			if q == nil {
				q = &quantity{property: prop, unit: k.unit, products: map[int64]device.PropertyID{}}
				found[k] = q
			}
			q.products[product] = prop.ID
			q.devices += count
			if mainSign(p) == prop.Identifier && !c.Housekeeping(prop) {
				q.asHeadline += count
			}
		}
	}
	// Of an identifier in several units, the one that the most devices use.
	best := map[string]*quantity{}
	for k, q := range found {
		if b := best[k.identifier]; b == nil || q.devices > b.devices || q.devices == b.devices && q.unit < b.unit {
			best[k.identifier] = q
		}
	}
	list := make([]*quantity, 0, len(best))
	for _, q := range best {
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b *quantity) int {
		return cmp.Or(cmp.Compare(b.asHeadline, a.asHeadline), cmp.Compare(b.devices, a.devices),
			strings.Compare(a.property.Identifier, b.property.Identifier))
	})
	return list
}

func findQuantity(list []*quantity, identifier string) *quantity {
	i := slices.IndexFunc(list, func(q *quantity) bool { return q.property.Identifier == identifier })
	if i < 0 {
		return nil
	}
	return list[i]
}

func (s *server) wireQuantities(ctx context.Context, list []*quantity) []wire.MapQuantity {
	l := requestFrom(ctx).Language
	quantities := make([]wire.MapQuantity, len(list))
	for i, q := range list {
		quantities[i] = wire.MapQuantity{
			Identifier:  q.property.Identifier,
			Name:        s.Catalog.Name(l, q.property),
			Unit:        q.unit,
			Precision:   q.property.Precision,
			LeastSpan:   s.Catalog.LeastSpan(q.property),
			DeviceCount: q.devices,
		}
	}
	return quantities
}

// mapReading gives a device's newest number of a quantity; nil if it has none.
func (s *server) mapReading(ctx context.Context, t tenant.ID, p *device.MapPoint, q *quantity) *wire.MapReading {
	id, measures := q.products[p.ProductID]
	if !measures {
		return nil
	}
	n, known := s.Readings.NewestOf(ctx, t, p.ID, id)
	if !known || n.Value.Kind() != reading.KindNumber {
		return nil
	}
	return &wire.MapReading{Value: n.Value.Float(), Time: n.Time, Arrival: earlyArrival(&n)}
}
