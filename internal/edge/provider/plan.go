package provider

import (
	"context"
	"maps"
	"slices"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/text"
)

// step is the change of one thing.
type step struct {
	created      bool
	changes      []string
	auditChanges []audit.Change // those of the changes that people may see
}

func (s *step) unchanged() bool { return !s.created && len(s.changes) == 0 }

// setField sets a field of a thing to the file's value; a field that the file does not give stays
// as it is.
func setField[T comparable](s *step, name string, into *T, f *field[T]) {
	if f.valid && *into != f.value {
		s.auditChanges = append(s.auditChanges, audit.Change{Field: name, Before: *into, After: f.value})
		*into = f.value
		s.changes = append(s.changes, name)
	}
}

// setOptional is setField for a field that may be unset.
func setOptional[T comparable](s *step, name string, into **T, f *field[T]) {
	if !f.valid || *into != nil && **into == f.value {
		return
	}
	seen := audit.Change{Field: name, After: f.value}
	if *into != nil {
		seen.Before = **into
	}
	s.auditChanges, s.changes = append(s.auditChanges, seen), append(s.changes, name)
	*into = &f.value
}

// setNames is setField for the display names of a thing.
func setNames(s *step, key string, into *map[text.Language]string, f *field[fileNames]) {
	if !f.valid {
		return
	}
	named := make(map[text.Language]string, len(f.value))
	for l, name := range f.value {
		if name.value != "" {
			named[l] = name.value
		}
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

// plan holds all changes that a file needs, and all errors of the file.
type plan struct {
	fileErrors
	elements  []elementStep
	products  []productStep
	tenants   []*tenantStep
	shelf     []*shelfStep
	unchanged int
	kept      []Item // devices whose serial or secrets stay, because the file's are of a former box
}

// empty tells whether the server already matches the file.
func (p *plan) empty() bool {
	return len(p.elements) == 0 && len(p.products) == 0 && len(p.shelf) == 0 &&
		!slices.ContainsFunc(p.tenants, func(t *tenantStep) bool { return !t.empty() })
}

// affectsRegistry tells whether the plan changes something that the devices' edge holds in memory.
func (p *plan) affectsRegistry() bool {
	return len(p.elements) > 0 || len(p.products) > 0 ||
		slices.ContainsFunc(
			p.tenants,
			func(t *tenantStep) bool { return len(t.devices) > 0 || slices.Contains(t.changes, "timeZone") },
		)
}

// planner compares a file with the server's data. It only reads.
type planner struct {
	*Service
	file      *file
	overwrite bool
	passwords *passwordCache // nil: passwords are not compared

	out          *plan
	products     map[string]*device.Product // by name, as they will be
	deviceOwners map[string]tenant.ID       // owners of device names
	shelf        map[string]*selfservice.ShelfItem
	tenants      map[string]*tenantStep
}

func (pl planner) plan(ctx context.Context) (*plan, error) {
	pl.out = &plan{}
	pl.products = map[string]*device.Product{}
	pl.tenants = map[string]*tenantStep{}
	for i := range pl.file.elements {
		pl.planElement(&pl.file.elements[i])
	}
	for i := range pl.file.products {
		pl.planProduct(&pl.file.products[i])
	}
	pl.checkUnits()
	var names []string
	for i := range pl.file.tenants {
		for j := range pl.file.tenants[i].devices {
			names = append(names, pl.file.tenants[i].devices[j].deviceName.value)
		}
	}
	for i := range pl.file.shelf {
		names = append(names, pl.file.shelf[i].deviceName.value)
	}
	var err error
	if pl.shelf, err = pl.Shelf.ByNames(ctx, names); err != nil {
		return nil, err
	}
	if pl.deviceOwners, err = pl.Devices.OwnersOf(ctx, names); err != nil {
		return nil, err
	}
	for i := range pl.file.tenants {
		if err := pl.planTenant(ctx, &pl.file.tenants[i]); err != nil {
			return nil, err
		}
	}
	if err := pl.checkHosts(ctx); err != nil {
		return nil, err
	}
	if err := pl.planShelf(ctx); err != nil {
		return nil, err
	}
	return pl.out, pl.planSecrets(ctx)
}

func (pl *planner) planElement(f *fileElement) {
	if !f.yeuSign.valid {
		return
	}
	s := elementStep{element: device.Element{YeuSign: f.yeuSign.value}}
	known := pl.Catalog.Element(f.yeuSign.value)
	if known == nil {
		s.created = true
	} else {
		s.element.Unit, s.element.YeuURL, s.element.LeastSpan = known.Unit, known.YeuURL, known.LeastSpan
	}
	setField(&s.step, "unit", &s.element.Unit, &f.unit)
	setField(&s.step, "yeuUrl", &s.element.YeuURL, &f.yeuURL)
	if slices.Contains(s.changes, "unit") && s.element.LeastSpan != nil && !f.leastSpan.valid {
		// The element's span was a number in the old unit.
		s.auditChanges = append(s.auditChanges, audit.Change{Field: "leastSpan", Before: *s.element.LeastSpan})
		s.element.LeastSpan = nil
		s.changes = append(s.changes, "leastSpan")
	}
	setOptional(&s.step, "leastSpan", &s.element.LeastSpan, &f.leastSpan)
	if known != nil {
		s.element.Names = known.Names
	}
	setNames(&s.step, "yeuName", &s.element.Names, &f.yeuName)
	if s.unchanged() {
		pl.out.unchanged++
		return
	}
	pl.out.elements = append(pl.out.elements, s)
}

func (pl *planner) planProduct(f *fileProduct) {
	if !f.name.valid {
		return
	}
	s := productStep{product: &device.Product{Name: f.name.value, OfflineAfter: device.DefaultOfflineAfter}}
	if known := pl.Catalog.ProductByName(f.name.value); known == nil {
		s.created = true
	} else {
		*s.product = *known
		s.product.Properties = slices.Clone(known.Properties)
	}
	pl.products[f.name.value] = s.product
	setNames(&s.step, "productName", &s.product.Names, &f.productName)
	setField(&s.step, "offlineAfter", &s.product.OfflineAfter, &f.offlineAfter)
	setOptional(&s.step, "batteryLimit", &s.product.BatteryLimit, &f.batteryLimit)
	if f.properties.valid {
		list := make([]device.Property, len(f.properties.value))
		for i := range list {
			list[i] = f.properties.value[i].property()
		}
		if !slices.EqualFunc(list, s.product.Properties, equalProperties) {
			s.changes = append(s.changes, "properties")
		}
		s.product.Properties = list
		pl.checkDerived(f.properties.value, list)
	}
	pl.planMainSign(&s, f)
	if s.unchanged() {
		pl.out.unchanged++
		return
	}
	pl.out.products = append(pl.out.products, s)
}

// planMainSign sets which property of a product is shown first. A choice goes with its property,
// unless the file makes another one.
func (pl *planner) planMainSign(s *productStep, f *fileProduct) {
	setField(&s.step, "mainSign", &s.product.MainSign, &f.mainSign)
	sign := s.product.MainSign
	if sign == "" {
		return
	}
	switch p := s.product.Property(sign); {
	case p == nil && f.mainSign.valid:
		pl.out.add(f.mainSign.at, "product %q has no property %q", s.product.Name, sign)
	case p == nil:
		s.auditChanges = append(s.auditChanges, audit.Change{Field: "mainSign", Before: sign})
		s.changes = append(s.changes, "mainSign")
		s.product.MainSign = ""
	case p.DataType == device.Text && f.mainSign.valid:
		pl.out.add(f.mainSign.at, "mainSign must be a property of dataType number or boolean")
	}
}

// productByName returns the product of that name as it will be; nil if there is none.
func (pl *planner) productByName(name string) *device.Product {
	if p := pl.products[name]; p != nil {
		return p
	}
	return pl.Catalog.ProductByName(name)
}

func (f *fileProperty) property() device.Property {
	p := device.Property{
		Identifier:   f.identifier.value,
		FunctionName: f.functionName.value,
		ElementUnit:  f.elementUnit.value,
		ElementData:  f.elementData.value,
		DataType:     device.DataType(f.dataType.value),
		AccessMode:   f.accessMode.orDefault("r"),
	}
	if f.min.valid {
		p.Min = &f.min.value
	}
	if f.max.valid {
		p.Max = &f.max.value
	}
	if f.clamp.valid {
		p.Clamp = &f.clamp.value
	}
	if f.precision.valid {
		p.Precision = &f.precision.value
	}
	p.Upload = f.upload.value
	if f.maxRise.valid {
		p.MaxRise = &f.maxRise.value
	}
	p.Formula = f.formula.value
	for _, name := range f.inputs.value {
		p.Inputs = append(p.Inputs, name.value)
	}
	for name, v := range f.parameters.value {
		if p.Parameters == nil {
			p.Parameters = map[string]float64{}
		}
		p.Parameters[name] = v.value
	}
	return p
}

// equalProperties compares everything except the property number, which belongs to the identifier.
func equalProperties(a, b device.Property) bool {
	return a.Identifier == b.Identifier && a.FunctionName == b.FunctionName && a.ElementUnit == b.ElementUnit &&
		a.ElementData == b.ElementData && a.DataType == b.DataType && a.AccessMode == b.AccessMode &&
		equalPtr(a.Min, b.Min) && equalPtr(a.Max, b.Max) && equalPtr(a.Precision, b.Precision) &&
		equalPtr(a.Clamp, b.Clamp) && equalPtr(a.MaxRise, b.MaxRise) && a.Upload == b.Upload &&
		a.Formula == b.Formula && slices.Equal(a.Inputs, b.Inputs) && maps.Equal(a.Parameters, b.Parameters)
}

func equalPtr[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
