package device

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/platform/change"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// Element is the catalogue entry of an identifier ("yeu sign"): its unit, icon
// and name in each language. Elements belong to the platform.
type Element struct {
	YeuSign string
	Unit    string
	YeuURL  string
	Names   map[text.Language]string
	// How much the value axis of a chart spans at least, in Unit; nil: as for the quantity.
	LeastSpan *float64
}

type elementRow struct {
	bun.BaseModel `bun:"table:elements"`
	ID            int64 `bun:",pk,autoincrement"`
	YeuSign       string
	Unit          string
	YeuURL        string `bun:"yeu_url"`
	LeastSpan     *float64
}

type elementNameRow struct {
	bun.BaseModel `bun:"table:element_names"`
	ElementID     int64
	Language      text.Language
	Name          string
}

type numberRow struct {
	bun.BaseModel `bun:"table:property_numbers"`
	Number        PropertyID `bun:",pk,autoincrement"`
	Identifier    string
}

type productRow struct {
	bun.BaseModel `bun:"table:products"`
	ID            int64 `bun:",pk,autoincrement"`
	Name          string
	OfflineAfter  int64
	MainSign      string
	BatteryLimit  *float64
}

type productNameRow struct {
	bun.BaseModel `bun:"table:product_names"`
	ProductID     int64
	Language      text.Language
	Name          string
}

type propertyRow struct {
	bun.BaseModel `bun:"table:product_properties"`
	ProductID     int64
	Position      int
	Number        PropertyID
	FunctionName  string
	ElementUnit   string
	ElementData   string
	DataType      DataType
	AccessMode    string
	MinValue      *float64
	MaxValue      *float64
	Clamp         *float64
	Decimals      *int
	Formula       string
	Inputs        string // JSON list
	Parameters    string // JSON object
	Upload        string
	MaxRise       *float64
}

// Catalog keeps the platform's elements and products: in the database and, for reading, in memory.
// It is the same for all tenants, so its methods take none.
type Catalog struct {
	db   *db.DB
	snap atomic.Pointer[snapshot]

	// Loaded tells that everything was read anew.
	Loaded change.Kind[struct{}]
}

type snapshot struct {
	elements   map[string]*Element
	products   map[int64]*Product
	byName     map[string]*Product
	ordered    []*Product
	identifier map[PropertyID]string
	number     map[string]PropertyID
}

// NewCatalog makes an empty catalogue; Load fills it.
func NewCatalog(d *db.DB) *Catalog {
	c := &Catalog{db: d}
	c.snap.Store(&snapshot{})
	return c
}

// Load reads the catalogue from the database, after a start and after a change. It reads in one
// transaction, so that a product and its properties are of one moment and a load never replaces
// newer data.
func (c *Catalog) Load(ctx context.Context) error {
	err := c.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		s, err := readSnapshot(ctx, tx)
		if err == nil {
			c.snap.Store(s)
		}
		return err
	})
	if err == nil {
		c.Loaded.Tell(struct{}{})
	}
	return wrap("load catalogue", err)
}

func readSnapshot(ctx context.Context, q bun.IDB) (*snapshot, error) {
	var elements []elementRow
	var elementNames []elementNameRow
	var numbers []numberRow
	var products []productRow
	var productNames []productNameRow
	var properties []propertyRow
	for _, err := range []error{
		q.NewSelect().Model(&elements).Scan(ctx),
		q.NewSelect().Model(&elementNames).Scan(ctx),
		q.NewSelect().Model(&numbers).Scan(ctx),
		q.NewSelect().Model(&products).OrderExpr("name").Scan(ctx),
		q.NewSelect().Model(&productNames).Scan(ctx),
		q.NewSelect().Model(&properties).OrderExpr("product_id, position").Scan(ctx),
	} {
		if err != nil {
			return nil, err
		}
	}
	s := &snapshot{
		elements: map[string]*Element{}, products: map[int64]*Product{}, byName: map[string]*Product{},
		identifier: map[PropertyID]string{}, number: map[string]PropertyID{},
	}
	signs := make(map[int64]string, len(elements))
	for _, e := range elements {
		signs[e.ID] = e.YeuSign
		s.elements[e.YeuSign] = &Element{YeuSign: e.YeuSign, Unit: e.Unit, YeuURL: e.YeuURL, LeastSpan: e.LeastSpan}
	}
	for _, r := range elementNames {
		setName(&s.elements[signs[r.ElementID]].Names, r.Language, r.Name)
	}
	for _, n := range numbers {
		s.identifier[n.Number], s.number[n.Identifier] = n.Identifier, n.Number
	}
	for _, r := range products {
		p := &Product{
			ID:           r.ID,
			Name:         r.Name,
			OfflineAfter: time.Duration(r.OfflineAfter) * time.Millisecond,
			MainSign:     r.MainSign,
			BatteryLimit: r.BatteryLimit,
		}
		s.products[p.ID] = p
		s.byName[p.Name] = p
		s.ordered = append(s.ordered, p)
	}
	for _, r := range productNames {
		setName(&s.products[r.ProductID].Names, r.Language, r.Name)
	}
	for _, r := range properties {
		property := Property{
			ID: r.Number, Identifier: s.identifier[r.Number], FunctionName: r.FunctionName, ElementUnit: r.ElementUnit,
			ElementData: r.ElementData, DataType: r.DataType, AccessMode: r.AccessMode,
			Min: r.MinValue, Max: r.MaxValue, Clamp: r.Clamp, Precision: r.Decimals,
			Formula: r.Formula, Upload: r.Upload, MaxRise: r.MaxRise,
		}
		if property.Derived() {
			if err := errors.Join(
				json.Unmarshal([]byte(r.Inputs), &property.Inputs),
				json.Unmarshal([]byte(r.Parameters), &property.Parameters),
			); err != nil {
				return nil, err
			}
		}
		p := s.products[r.ProductID]
		p.Properties = append(p.Properties, property)
	}
	return s, nil
}

// setName sets the name in one language; it makes the map that the first name needs.
func setName(names *map[text.Language]string, l text.Language, name string) {
	if *names == nil {
		*names = map[text.Language]string{}
	}
	(*names)[l] = name
}

// Element finds an element by identifier; nil when the catalogue has none.
func (c *Catalog) Element(yeuSign string) *Element { return c.snap.Load().elements[yeuSign] }

// Product finds a product by id; nil when there is none.
func (c *Catalog) Product(id int64) *Product { return c.snap.Load().products[id] }

// ProductByName finds a product by name; nil when there is none.
func (c *Catalog) ProductByName(name string) *Product { return c.snap.Load().byName[name] }

// Products gives every product, ordered by name.
func (c *Catalog) Products() []*Product { return c.snap.Load().ordered }

// ProductsByDisplayName gives every product, ordered by display name in a language.
func (c *Catalog) ProductsByDisplayName(l text.Language) []*Product {
	products := slices.Clone(c.snap.Load().ordered)
	slices.SortStableFunc(products, func(a, b *Product) int {
		return strings.Compare(text.Fold(a.DisplayName(l)), text.Fold(b.DisplayName(l)))
	})
	return products
}

// Identifier gives the identifier of a property number; empty if there is no such number.
func (c *Catalog) Identifier(id PropertyID) string { return c.snap.Load().identifier[id] }

// Number gives the number of a property identifier, even if no product has it any more; false if
// none ever had it.
func (c *Catalog) Number(identifier string) (PropertyID, bool) {
	id, there := c.snap.Load().number[identifier]
	return id, there
}

// Name gives the name of a property that people read: its element's name in the language, else the
// product's function name, else the element's English name, else the identifier.
func (c *Catalog) Name(l text.Language, p *Property) string {
	var names map[text.Language]string
	if e := c.Element(p.Identifier); e != nil {
		names = e.Names
	}
	return cmp.Or(names[l], p.FunctionName, names[text.English], p.Identifier)
}

// Unit gives a property's unit: the product's own, else its element's.
func (c *Catalog) Unit(p *Property) string {
	if p.ElementUnit != "" {
		return p.ElementUnit
	}
	if e := c.Element(p.Identifier); e != nil {
		return e.Unit
	}
	return ""
}

// PutElement creates or changes an element. Readers see it after Load.
func (c *Catalog) PutElement(ctx context.Context, e *Element) error {
	err := c.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		element := elementRow{YeuSign: e.YeuSign, Unit: e.Unit, YeuURL: e.YeuURL, LeastSpan: e.LeastSpan}
		_, err := tx.NewInsert().Model(&element).
			On("CONFLICT (yeu_sign) DO UPDATE").
			Set("unit = EXCLUDED.unit, yeu_url = EXCLUDED.yeu_url, least_span = EXCLUDED.least_span").
			Returning("id").
			Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewDelete().Model((*elementNameRow)(nil)).Where("element_id = ?", element.ID).Exec(ctx)
		if err != nil || len(e.Names) == 0 {
			return err
		}
		var rows []elementNameRow
		for _, l := range slices.Sorted(maps.Keys(e.Names)) {
			rows = append(rows, elementNameRow{ElementID: element.ID, Language: l, Name: e.Names[l]})
		}
		_, err = tx.NewInsert().Model(&rows).Exec(ctx)
		return err
	})
	return wrap("put element", err)
}

// PutProduct creates p if its ID is 0, and sets the new id; otherwise it changes the product of
// that id. It replaces the properties too; each identifier keeps its number for ever. Readers see
// the product after Load.
func (c *Catalog) PutProduct(ctx context.Context, p *Product) error {
	err := c.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		r := productRow{
			ID:           p.ID,
			Name:         p.Name,
			OfflineAfter: p.OfflineAfter.Milliseconds(),
			MainSign:     p.MainSign,
			BatteryLimit: p.BatteryLimit,
		}
		if p.ID == 0 {
			if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
				return err
			}
			p.ID = r.ID
		} else if _, err := tx.NewUpdate().Model(&r).Where("id = ?", p.ID).Exec(ctx); err != nil {
			return err
		}
		if err := putProductNames(ctx, tx, p); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*propertyRow)(nil)).Where("product_id = ?", p.ID).Exec(ctx); err != nil {
			return err
		}
		for i := range p.Properties {
			if err := c.putProperty(ctx, tx, p.ID, i, &p.Properties[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("put product", err)
}

func putProductNames(ctx context.Context, tx bun.IDB, p *Product) error {
	_, err := tx.NewDelete().Model((*productNameRow)(nil)).Where("product_id = ?", p.ID).Exec(ctx)
	if err != nil || len(p.Names) == 0 {
		return err
	}
	var rows []productNameRow
	for _, l := range slices.Sorted(maps.Keys(p.Names)) {
		rows = append(rows, productNameRow{ProductID: p.ID, Language: l, Name: p.Names[l]})
	}
	_, err = tx.NewInsert().Model(&rows).Exec(ctx)
	return err
}

func (c *Catalog) putProperty(ctx context.Context, tx bun.IDB, product int64, position int, p *Property) error {
	number := numberRow{Identifier: p.Identifier}
	err := tx.NewSelect().Model(&number).Where("identifier = ?", p.Identifier).Scan(ctx)
	if db.IsMissing(err) {
		_, err = tx.NewInsert().Model(&number).Exec(ctx)
	}
	if err != nil {
		return err
	}
	p.ID = number.Number
	inputs, err := json.Marshal(append([]string{}, p.Inputs...)) // a JSON list even if it is empty
	if err != nil {
		return err
	}
	parameters, err := json.Marshal(maps.Collect(maps.All(p.Parameters)))
	if err != nil {
		return err
	}
	_, err = tx.NewInsert().Model(&propertyRow{
		ProductID: product, Position: position, Number: p.ID, FunctionName: p.FunctionName,
		ElementUnit: p.ElementUnit, ElementData: p.ElementData, DataType: p.DataType, AccessMode: p.AccessMode,
		MinValue: p.Min, MaxValue: p.Max, Clamp: p.Clamp, Decimals: p.Precision,
		Formula: p.Formula, Inputs: string(inputs), Parameters: string(parameters), Upload: p.Upload,
		MaxRise: p.MaxRise,
	}).Exec(ctx)
	return err
}

// asNotFound turns the database's error for a missing row into a NotFound error.
func asNotFound(err error) error {
	if db.IsMissing(err) {
		return errs.Missing()
	}
	return err
}
