package device_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tilth/internal/domain/device"
	"tilth/internal/platform/db"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

func newCatalog(t *testing.T) (*device.Catalog, func() *device.Catalog) {
	d := testkit.DB(t)
	fresh := func() *device.Catalog {
		t.Helper()
		c := device.NewCatalog(d)
		if err := c.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		return c
	}
	return device.NewCatalog(d), fresh
}

func putProduct(t *testing.T, c *device.Catalog, p *device.Product) {
	t.Helper()
	if err := c.PutProduct(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

func newProduct(name string, identifiers ...string) *device.Product {
	p := &device.Product{Name: name, OfflineAfter: time.Minute}
	for _, id := range identifiers {
		p.Properties = append(p.Properties, device.Property{Identifier: id, DataType: device.Number, AccessMode: "r"})
	}
	return p
}

func TestCatalogRoundTrip(t *testing.T) {
	c, fresh := newCatalog(t)
	air := &device.Element{
		YeuSign:   "air",
		Unit:      "°C",
		YeuURL:    "/air.svg",
		LeastSpan: new(2.5),
		Names: map[text.Language]string{
			text.English: "Air", text.Chinese: "空气", text.Turkish: "Hava", text.Russian: "Воздух",
		},
	}
	if err := c.PutElement(t.Context(), air); err != nil {
		t.Fatal(err)
	}
	mast := &device.Product{
		Name:         "mast",
		OfflineAfter: 90*time.Second + time.Millisecond,
		Names: map[text.Language]string{
			text.English: "Weather mast", text.Chinese: "气象站", text.Turkish: "Direk", text.Russian: "Мачта",
		},
		Properties: []device.Property{
			{
				Identifier:   "wind",
				FunctionName: "Wind",
				ElementUnit:  "m/s",
				DataType:     device.Number,
				AccessMode:   "r",
				Min:          new(-0.5),
				Max:          new(75.25),
				Precision:    new(0),
			},
			{Identifier: "air", DataType: device.Number, AccessMode: "rw"},
			{Identifier: "door", DataType: device.Boolean, AccessMode: "r"},
			{Identifier: "clip", ElementData: "<b>x</b>", DataType: device.Text, AccessMode: "r"},
		},
	}
	putProduct(t, c, mast)
	putProduct(t, c, newProduct("a-gauge", "rain"))
	if c.Product(mast.ID) != nil || c.Element("air") != nil {
		t.Error("readers see a change before Load")
	}

	got := fresh()
	p := got.Product(mast.ID)
	if diff := cmp.Diff(mast, p); diff != "" || got.ProductByName("mast") != p {
		t.Errorf("product (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(air, got.Element("air")); diff != "" {
		t.Errorf("element (-want +got):\n%s", diff)
	}
	// "a-gauge" has no display names; the mast's names sort after it in every language: "Weather
	// mast", "Direk" and the non-Latin ones.
	for _, l := range text.Languages {
		if all := got.ProductsByDisplayName(l); len(all) != 2 || all[0].DisplayName(l) != "a-gauge" ||
			all[1].DisplayName(l) != text.InLanguage(mast.Names, l) {
			t.Errorf("%s: products are not ordered by name: %v", l, all)
		}
	}
	for i, p := range mast.Properties {
		if p.ID == 0 || got.Identifier(p.ID) != p.Identifier {
			t.Errorf("property %d: number %d means %q", i, p.ID, got.Identifier(p.ID))
		}
	}
	if got.Product(99) != nil || got.ProductByName("none") != nil || got.Element("wind") != nil ||
		got.Identifier(99) != "" {
		t.Error("the catalogue finds what does not exist")
	}
	if p := got.Product(mast.ID); p.Property("air") != &p.Properties[1] || p.Property("none") != nil {
		t.Error("Property finds a wrong property")
	}
}

// Readings on disk carry numbers: an identifier keeps its number for ever, and a number never means
// another identifier.
func TestPropertyNumbersAreNeverReused(t *testing.T) {
	c, fresh := newCatalog(t)
	mast := newProduct("mast", "air", "wind")
	putProduct(t, c, mast)
	air, wind := mast.Properties[0].ID, mast.Properties[1].ID

	mast.Properties = newProduct("", "wind", "sun").Properties // the product drops air
	putProduct(t, c, mast)
	putProduct(t, c, newProduct("gauge", "rain", "sun"))
	if mast.Properties[0].ID != wind {
		t.Errorf("the number of wind changed from %d to %d", wind, mast.Properties[0].ID)
	}
	got := fresh()
	if id, ever := got.Number("air"); !ever || id != air {
		t.Errorf("air has the number %d, %v; it was %d", id, ever, air)
	}
	if id, ever := got.Number("none"); ever {
		t.Errorf("an unknown identifier has the number %d", id)
	}
	if got.Identifier(air) != "air" {
		t.Errorf("old readings of air do not decode: %d means %q", air, got.Identifier(air))
	}
	sun := got.ProductByName("mast").Property("sun").ID
	if other := got.ProductByName("gauge").Property("sun").ID; other != sun {
		t.Errorf("sun is %d in one product and %d in another", sun, other)
	}
	if rain := got.ProductByName("gauge").Property("rain").ID; rain == air || rain == wind || rain == sun {
		t.Errorf("rain took the number %d", rain)
	}

	mast.Properties = newProduct("", "air", "wind").Properties // the product gets air again
	putProduct(t, c, mast)
	if p := fresh().Product(mast.ID); p.Properties[0].ID != air || p.Properties[1].ID != wind {
		t.Errorf("the numbers are %d and %d, were %d and %d", p.Properties[0].ID, p.Properties[1].ID, air, wind)
	}
}

func TestCatalogUpdate(t *testing.T) {
	c, fresh := newCatalog(t)
	mast := newProduct("mast", "air", "wind")
	putProduct(t, c, mast)
	mast.Name, mast.OfflineAfter = "tower", time.Hour
	mast.Properties = newProduct("", "wind", "air").Properties
	mast.Properties[0].Max = new(9.0)
	putProduct(t, c, mast)
	if diff := cmp.Diff(mast, fresh().Product(mast.ID)); diff != "" {
		t.Errorf("product (-want +got):\n%s", diff)
	}
	for _, name := range []string{"Air", "Luft"} {
		e := &device.Element{YeuSign: "air", Unit: name, YeuURL: name, Names: map[text.Language]string{
			text.English: name, text.Chinese: name, text.Turkish: name, text.Russian: name,
		}}
		if err := c.PutElement(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, fresh().Element("air")); diff != "" {
			t.Errorf("element (-want +got):\n%s", diff)
		}
	}
}

// A refused product changes nothing.
func TestPutProductRefusesInvalidProducts(t *testing.T) {
	c, fresh := newCatalog(t)
	mast := newProduct("mast", "air")
	putProduct(t, c, mast)
	for name, p := range map[string]*device.Product{
		"same name":       newProduct("mast", "wind"),
		"property twice":  {ID: mast.ID, Name: "other", Properties: newProduct("", "wind", "wind").Properties},
		"other data type": {ID: mast.ID, Name: "other", Properties: []device.Property{{Identifier: "sun", DataType: "date"}}},
	} {
		if err := c.PutProduct(t.Context(), p); err == nil {
			t.Errorf("%s: accepted", name)
		} else if name != "other data type" && !db.IsDuplicate(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	got := fresh()
	if diff := cmp.Diff(mast, got.Product(mast.ID)); len(got.Products()) != 1 || diff != "" {
		t.Errorf("product (-want +got):\n%s", diff)
	}
}

// The name of a property is its element's name in the reader's language, else the product's
// function name, else the identifier. The unit is the product's, else the element's.
func TestPropertyNameAndUnitFallback(t *testing.T) {
	c, fresh := newCatalog(t)
	if err := c.PutElement(t.Context(), &device.Element{YeuSign: "air", Unit: "°C", Names: map[text.Language]string{
		text.English: "Air", text.Turkish: "Hava",
	}}); err != nil {
		t.Fatal(err)
	}
	got := fresh()
	for _, row := range []struct {
		p          device.Property
		l          text.Language
		name, unit string
	}{
		{device.Property{Identifier: "air", FunctionName: "Temp"}, text.Turkish, "Hava", "°C"},
		{device.Property{Identifier: "air", FunctionName: "Temp", ElementUnit: "°F"}, text.English, "Air", "°F"},
		{device.Property{Identifier: "air", FunctionName: "Temp"}, text.Russian, "Temp", "°C"},
		{device.Property{Identifier: "air"}, text.Russian, "Air", "°C"}, // without a name of its own: the English one
		{device.Property{Identifier: "wind", FunctionName: "Wind"}, text.English, "Wind", ""},
		{device.Property{Identifier: "wind"}, text.English, "wind", ""},
	} {
		if name, unit := got.Name(row.l, &row.p), got.Unit(&row.p); name != row.name || unit != row.unit {
			t.Errorf("%+v in %s: %q in %q", row.p, row.l, name, unit)
		}
	}
}
