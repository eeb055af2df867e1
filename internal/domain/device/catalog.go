package device

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// Element is the catalogue entry of an identifier ("yeu sign"): its unit, icon
// and name in four languages. Elements belong to the platform.
type Element struct {
	YeuSign string
	Unit    string
	YeuURL  string
	Names   map[text.Language]string
}

type elementRow struct {
	bun.BaseModel `bun:"table:elements"`
	YeuSign       string
	Unit          string
	YeuURL        string `bun:"yeu_url"`
	NameEnUs      string `bun:"name_en_us"`
	NameZhCn      string `bun:"name_zh_cn"`
	NameTrTr      string `bun:"name_tr_tr"`
	NameRuRu      string `bun:"name_ru_ru"`
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
	NameEnUs      string `bun:"name_en_us"`
	NameZhCn      string `bun:"name_zh_cn"`
	NameTrTr      string `bun:"name_tr_tr"`
	NameRuRu      string `bun:"name_ru_ru"`
	OfflineAfter  int64
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
	Decimals      *int
	Formula       string
	Inputs        string // JSON list
	Parameters    string // JSON object
}

// Catalog keeps the platform's elements and products: in the database and, for reading, in memory.
// It is the same for all tenants, so its methods take none.
type Catalog struct {
	db   *db.DB
	snap atomic.Pointer[snapshot]
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
	return wrap("load catalogue", err)
}

func readSnapshot(ctx context.Context, q bun.IDB) (*snapshot, error) {
	var elements []elementRow
	var numbers []numberRow
	var products []productRow
	var properties []propertyRow
	for _, err := range []error{
		q.NewSelect().Model(&elements).Scan(ctx),
		q.NewSelect().Model(&numbers).Scan(ctx),
		q.NewSelect().Model(&products).OrderExpr("name").Scan(ctx),
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
	for _, e := range elements {
		s.elements[e.YeuSign] = &Element{
			YeuSign: e.YeuSign,
			Unit:    e.Unit,
			YeuURL:  e.YeuURL,
			Names:   localizedNames(e.NameEnUs, e.NameZhCn, e.NameTrTr, e.NameRuRu),
		}
	}
	for _, n := range numbers {
		s.identifier[n.Number], s.number[n.Identifier] = n.Identifier, n.Number
	}
	for _, r := range products {
		p := &Product{
			ID:           r.ID,
			Name:         r.Name,
			Names:        localizedNames(r.NameEnUs, r.NameZhCn, r.NameTrTr, r.NameRuRu),
			OfflineAfter: time.Duration(r.OfflineAfter) * time.Millisecond,
		}
		s.products[p.ID] = p
		s.byName[p.Name] = p
		s.ordered = append(s.ordered, p)
	}
	for _, r := range properties {
		property := Property{
			ID: r.Number, Identifier: s.identifier[r.Number], FunctionName: r.FunctionName, ElementUnit: r.ElementUnit,
			ElementData: r.ElementData, DataType: r.DataType, AccessMode: r.AccessMode,
			Min: r.MinValue, Max: r.MaxValue, Precision: r.Decimals, Formula: r.Formula,
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

// localizedNames maps the names that are not empty by language; nil if all are empty.
func localizedNames(english, chinese, turkish, russian string) map[text.Language]string {
	var names map[text.Language]string
	for l, name := range map[text.Language]string{
		text.English: english, text.Chinese: chinese, text.Turkish: turkish, text.Russian: russian,
	} {
		if name != "" {
			if names == nil {
				names = map[text.Language]string{}
			}
			names[l] = name
		}
	}
	return names
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
// product's function name, else the identifier.
func (c *Catalog) Name(l text.Language, p *Property) string {
	if e := c.Element(p.Identifier); e != nil && e.Names[l] != "" {
		return e.Names[l]
	}
	if p.FunctionName != "" {
		return p.FunctionName
	}
	return p.Identifier
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
		_, err := tx.NewInsert().Model(&elementRow{
			YeuSign: e.YeuSign, Unit: e.Unit, YeuURL: e.YeuURL,
			NameEnUs: e.Names[text.English], NameZhCn: e.Names[text.Chinese],
			NameTrTr: e.Names[text.Turkish], NameRuRu: e.Names[text.Russian],
		}).On("CONFLICT (yeu_sign) DO UPDATE").
			Set("unit = EXCLUDED.unit, yeu_url = EXCLUDED.yeu_url, name_en_us = EXCLUDED.name_en_us, " +
				"name_zh_cn = EXCLUDED.name_zh_cn, name_tr_tr = EXCLUDED.name_tr_tr, name_ru_ru = EXCLUDED.name_ru_ru").
			Exec(ctx)
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
			NameEnUs:     p.Names[text.English],
			NameZhCn:     p.Names[text.Chinese],
			NameTrTr:     p.Names[text.Turkish],
			NameRuRu:     p.Names[text.Russian],
		}
		if p.ID == 0 {
			if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
				return err
			}
			p.ID = r.ID
		} else if _, err := tx.NewUpdate().Model(&r).Where("id = ?", p.ID).Exec(ctx); err != nil {
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
		MinValue: p.Min, MaxValue: p.Max, Decimals: p.Precision,
		Formula: p.Formula, Inputs: string(inputs), Parameters: string(parameters),
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
