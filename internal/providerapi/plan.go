package providerapi

import (
	"context"
	"maps"
	"slices"

	"tilth/internal/audit"
	"tilth/internal/device"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

// step is what must be done with one thing.
type step struct {
	created bool
	changes []string
	seen    []audit.Change // of those, the ones that people may see
}

func (s *step) idle() bool { return !s.created && len(s.changes) == 0 }

// change sets a field of a thing as the file says; a field that the file does
// not give stays as it is.
func change[T comparable](s *step, name string, into *T, f *field[T]) {
	if f.set && *into != f.v {
		s.seen = append(s.seen, audit.Change{Field: name, Before: *into, After: f.v})
		*into = f.v
		s.changes = append(s.changes, name)
	}
}

// changeOrSet is change for what may not be said yet.
func changeOrSet[T comparable](s *step, name string, into **T, f *field[T]) {
	if !f.set || *into != nil && **into == f.v {
		return
	}
	seen := audit.Change{Field: name, After: f.v}
	if *into != nil {
		seen.Before = **into
	}
	s.seen, s.changes = append(s.seen, seen), append(s.changes, name)
	*into = &f.v
}

// changeNames is change for what people call a thing.
func changeNames(s *step, key string, into *map[text.Language]string, f *field[fileNames]) {
	if !f.set {
		return
	}
	named := make(map[text.Language]string, len(f.v))
	for l, name := range f.v {
		named[l] = name.v
	}
	if !maps.Equal(*into, named) {
		*into = named
		s.changes = append(s.changes, key)
	}
}

type elementStep struct {
	step
	element device.Element
}

type productStep struct {
	step
	product *device.Product
}

// plan is everything that must be done for a file, and everything that is
// wrong with it.
type plan struct {
	faults
	elements []elementStep
	products []productStep
	tenants  []*tenantStep
	left     int
}

// nothing tells whether the server is as the file says already.
func (p *plan) nothing() bool {
	return len(p.elements) == 0 && len(p.products) == 0 &&
		!slices.ContainsFunc(p.tenants, func(t *tenantStep) bool { return !t.nothing() })
}

// structure tells whether something changes that the devices' edge keeps in
// memory.
func (p *plan) structure() bool {
	return len(p.elements) > 0 || len(p.products) > 0 ||
		slices.ContainsFunc(p.tenants, func(t *tenantStep) bool { return len(t.devices) > 0 || slices.Contains(t.changes, "timeZone") })
}

// planner compares a file with what the server has. It only reads.
type planner struct {
	*Service
	file      *file
	overwrite bool
	vault     *vault // nil: passwords are not compared

	p        *plan
	products map[string]*device.Product // by name, as they will be
	owners   map[string]tenant.ID       // of device names
	tenants  map[string]*tenantStep
}

func (pl planner) plan(ctx context.Context) (*plan, error) {
	pl.p = &plan{}
	pl.products = map[string]*device.Product{}
	pl.tenants = map[string]*tenantStep{}
	for i := range pl.file.elements {
		pl.element(&pl.file.elements[i])
	}
	for i := range pl.file.products {
		pl.product(&pl.file.products[i])
	}
	pl.units()
	var names []string
	for i := range pl.file.tenants {
		for j := range pl.file.tenants[i].devices {
			names = append(names, pl.file.tenants[i].devices[j].deviceName.v)
		}
	}
	var err error
	if pl.owners, err = pl.Devices.OwnersOf(ctx, names); err != nil {
		return nil, err
	}
	for i := range pl.file.tenants {
		if err := pl.tenant(ctx, &pl.file.tenants[i]); err != nil {
			return nil, err
		}
	}
	if err := pl.hosts(ctx); err != nil {
		return nil, err
	}
	return pl.p, pl.secrets(ctx)
}

func (pl *planner) element(f *fileElement) {
	if !f.yeuSign.set {
		return
	}
	s := elementStep{element: device.Element{YeuSign: f.yeuSign.v}}
	known := pl.Catalog.Element(f.yeuSign.v)
	if known == nil {
		s.created = true
	} else {
		s.element.Unit, s.element.YeuURL = known.Unit, known.YeuURL
	}
	change(&s.step, "unit", &s.element.Unit, &f.unit)
	change(&s.step, "yeuUrl", &s.element.YeuURL, &f.yeuURL)
	if known != nil {
		s.element.Names = known.Names
	}
	changeNames(&s.step, "yeuName", &s.element.Names, &f.yeuName)
	if s.idle() {
		pl.p.left++
		return
	}
	pl.p.elements = append(pl.p.elements, s)
}

func (pl *planner) product(f *fileProduct) {
	if !f.name.set {
		return
	}
	s := productStep{product: &device.Product{Name: f.name.v, OfflineAfter: device.DefaultOfflineAfter}}
	if known := pl.Catalog.ProductByName(f.name.v); known == nil {
		s.created = true
	} else {
		*s.product = *known
		s.product.Properties = slices.Clone(known.Properties)
	}
	pl.products[f.name.v] = s.product
	changeNames(&s.step, "productName", &s.product.Names, &f.productName)
	change(&s.step, "offlineAfter", &s.product.OfflineAfter, &f.offlineAfter)
	if f.properties.set {
		list := make([]device.Property, len(f.properties.v))
		for i := range list {
			list[i] = f.properties.v[i].property()
		}
		if !slices.EqualFunc(list, s.product.Properties, sameProperty) {
			s.changes = append(s.changes, "properties")
		}
		s.product.Properties = list
		pl.derived(f.properties.v, list)
	}
	if s.idle() {
		pl.p.left++
		return
	}
	pl.p.products = append(pl.p.products, s)
}

// find is the product of that name as it will be; nil when there is none.
func (pl *planner) find(name string) *device.Product {
	if p := pl.products[name]; p != nil {
		return p
	}
	return pl.Catalog.ProductByName(name)
}

func (f *fileProperty) property() device.Property {
	p := device.Property{
		Identifier: f.identifier.v, FunctionName: f.functionName.v, ElementUnit: f.elementUnit.v,
		ElementData: f.elementData.v, DataType: device.DataType(f.dataType.v), AccessMode: f.accessMode.or("r"),
	}
	if f.min.set {
		p.Min = &f.min.v
	}
	if f.max.set {
		p.Max = &f.max.v
	}
	if f.precision.set {
		p.Precision = &f.precision.v
	}
	p.Formula = f.formula.v
	for _, name := range f.inputs.v {
		p.Inputs = append(p.Inputs, name.v)
	}
	for name, v := range f.parameters.v {
		if p.Parameters == nil {
			p.Parameters = map[string]float64{}
		}
		p.Parameters[name] = v.v
	}
	return p
}

// sameProperty compares all but the number on disk, which the identifier has.
func sameProperty(a, b device.Property) bool {
	return a.Identifier == b.Identifier && a.FunctionName == b.FunctionName && a.ElementUnit == b.ElementUnit &&
		a.ElementData == b.ElementData && a.DataType == b.DataType && a.AccessMode == b.AccessMode &&
		same(a.Min, b.Min) && same(a.Max, b.Max) && same(a.Precision, b.Precision) &&
		a.Formula == b.Formula && slices.Equal(a.Inputs, b.Inputs) && maps.Equal(a.Parameters, b.Parameters)
}

func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
