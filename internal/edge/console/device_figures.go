package console

import (
	"cmp"
	"context"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
)

// figures sums up the latest values of the main properties of the devices in each group, by model: a
// mast in the yard says nothing about the air in the greenhouses beside it.
type figures struct {
	server  *server
	tenant  tenant.ID
	byScene map[int64]map[int64]*figureSum // by scene and product
}

type figureSum struct {
	product        *device.Product
	property       *device.Property
	devices        int
	low, high, sum float64
}

func (s *server) newFigures(t tenant.ID) *figures {
	return &figures{server: s, tenant: t, byScene: map[int64]map[int64]*figureSum{}}
}

// add counts the latest value of a device.
func (f *figures) add(ctx context.Context, scene int64, id device.ID, product int64) {
	p := f.server.Catalog.Product(product)
	if p == nil {
		return
	}
	main := p.Main()
	if main == nil || main.DataType != device.Number || f.server.Catalog.Housekeeping(main) {
		return
	}
	v, found := f.server.latestOf(ctx, f.tenant, id, main)
	if !found {
		return
	}
	sum := f.byScene[scene][product]
	if sum == nil {
		sum = &figureSum{product: p, property: main, low: v, high: v}
		if f.byScene[scene] == nil {
			f.byScene[scene] = map[int64]*figureSum{}
		}
		f.byScene[scene][product] = sum
	}
	sum.devices++
	sum.low, sum.high, sum.sum = min(sum.low, v), max(sum.high, v), sum.sum+v
}

// of gives the figures of a group, those of most devices first.
func (f *figures) of(l text.Language, scene int64) []wire.MainFigures {
	list := []wire.MainFigures{}
	for _, sum := range f.byScene[scene] {
		list = append(list, wire.MainFigures{
			ProductId:   sum.product.ID,
			ProductName: sum.product.DisplayName(l),
			Sign:        sum.property.Identifier,
			Name:        f.server.Catalog.Name(l, sum.property),
			Unit:        f.server.Catalog.Unit(sum.property),
			Precision:   sum.property.Precision,
			Devices:     sum.devices,
			Low:         sum.low,
			Mean:        sum.sum / float64(sum.devices),
			High:        sum.high,
		})
	}
	slices.SortFunc(list, func(a, b wire.MainFigures) int {
		return cmp.Or(
			cmp.Compare(b.Devices, a.Devices),
			cmp.Compare(a.Sign, b.Sign),
			cmp.Compare(a.ProductId, b.ProductId),
		)
	})
	return list
}

// latestOf gives a device's latest value of a property as a number: a boolean is 0 or 1.
func (s *server) latestOf(ctx context.Context, t tenant.ID, id device.ID, p *device.Property) (float64, bool) {
	v, known := s.Readings.NewestOf(ctx, t, id, p.ID)
	switch {
	case !known:
		return 0, false
	case v.Value.Kind() == reading.KindNumber:
		return v.Value.Float(), true
	case v.Value.Kind() == reading.KindBoolean && v.Value.Bool():
		return 1, true
	}
	return 0, v.Value.Kind() == reading.KindBoolean
}

// latestNumber gives each device's latest value of the property of an identifier.
func (s *server) latestNumber(
	ctx context.Context,
	t tenant.ID,
	identifier string,
) func(device.ID, int64) (float64, bool) {
	return func(id device.ID, product int64) (float64, bool) {
		p := s.Catalog.Product(product)
		if p == nil {
			return 0, false
		}
		prop := p.Property(identifier)
		if prop == nil {
			return 0, false
		}
		return s.latestOf(ctx, t, id, prop)
	}
}
