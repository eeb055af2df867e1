package device_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

func deviceNames(devices []*device.Device) string {
	var all []string
	for _, d := range devices {
		all = append(all, d.Name)
	}
	return strings.Join(all, " ")
}

// newSearchFixture makes a tenant with devices whose names test the folding of the search.
func newSearchFixture(t *testing.T) (*testkit.Stores, *testkit.Tenant, map[string]int64) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	other := &device.Product{Name: "camera", OfflineAfter: time.Minute}
	if err := s.Catalog.PutProduct(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	ids := map[string]int64{
		"barn":    s.Scene(t, field.ID, "barn"),
		"row":     s.Scene(t, field.ID, "row"),
		"station": station.ID,
		"camera":  other.ID,
	}
	for _, d := range []device.Device{
		{Name: "d1", Serial: "A-100", NoteName: "Isparta İstasyonu", SceneID: ids["barn"]},
		{Name: "d2", Serial: "A-101", NoteName: "Ёлка у Шоссе"},
		{Name: "d3", Serial: "50%_off", NoteName: "apple"},
		{Name: "D4", Serial: "A-102", ProductID: other.ID, SceneID: ids["row"]},
		{Name: "d5", Serial: `back\slash`, NoteName: "Apple", SceneID: ids["barn"]},
		{Name: "d6", Serial: "ＳＸＴ－9", NoteName: "北田 气象站"},
	} {
		if d.ProductID == 0 {
			d.ProductID = station.ID
		}
		s.PutDevices(t, field.ID, &d)
	}
	s.Device(t, rival.ID, station, "z-rival", func(d *device.Device) { d.NoteName = "apple isparta 50%_ A-10" })
	return s, field, ids
}

func TestPageSearch(t *testing.T) {
	s, field, _ := newSearchFixture(t)
	for query, want := range map[string]string{
		"":          "d3 d5 D4 d1 d2 d6", // by title in any case, then id
		"d":         "d3 d5 D4 d1 d2 d6",
		"D4":        "D4",
		"a-10":      "D4 d1 d2",
		"ISPARTA":   "d1",
		"ısparta":   "d1",
		"isparta":   "d1",
		"İSTASYON":  "d1",
		"istasyonu": "d1",
		"елка":      "d2",
		"ШОССЕ":     "d2",
		"APPLE":     "d3 d5",
		"%":         "d3",
		"_":         "d3",
		"50%":       "d3",
		"0_":        "",
		`\`:         "d5",
		`k\s`:       "d5",
		"北田":        "d6",
		"sxt-9":     "d6",
		"d3\napple": "d3", // the search text joins the three with line breaks, which nobody types
		"'; DROP":   "",
		"rival":     "",
	} {
		list, total, err := s.Roster.Page(t.Context(), field.ID, device.Query{Search: query, Limit: 10})
		if err != nil || deviceNames(list) != want || int(total) != len(list) {
			t.Errorf("search %q: %s, total %d (%v), want %s", query, deviceNames(list), total, err, want)
		}
	}
}

func TestPageFilters(t *testing.T) {
	s, field, ids := newSearchFixture(t)
	for _, name := range []string{"d1", "D4"} {
		d, err := s.Devices.Get(t.Context(), field.ID, name)
		if err != nil {
			t.Fatal(err)
		}
		s.Presence.Seen(testkit.Ref(d))
	}
	if err := s.Status.Flush(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	barn, row, none, unknown := ids["barn"], ids["row"], device.DefaultScene, int64(99)
	for _, c := range []struct {
		q    device.Query
		want string
	}{
		{device.Query{Scene: &barn}, "d5 d1"},
		{device.Query{Scene: &row}, "D4"},
		{device.Query{Scene: &none}, "d3 d2 d6"},
		{device.Query{Scene: &unknown}, ""},
		{device.Query{Names: []string{"d6", "d1", "none", "z-rival", "d1"}}, "d1 d6"},
		{device.Query{ProductID: ids["camera"]}, "D4"},
		{device.Query{ProductID: 99}, ""},
		{device.Query{Online: new(true)}, "D4 d1"},
		{device.Query{Online: new(false)}, "d3 d5 d2 d6"},
		{device.Query{Online: new(true), Scene: &barn, Search: "isp", ProductID: ids["station"], Names: []string{"d1"}}, "d1"},
		{device.Query{Online: new(false), Search: "apple", Scene: &none}, "d3"},
	} {
		c.q.Limit = 10
		list, total, err := s.Roster.Page(t.Context(), field.ID, c.q)
		if err != nil || deviceNames(list) != c.want || int(total) != len(list) {
			t.Errorf("%+v: %s, total %d (%v), want %s", c.q, deviceNames(list), total, err, c.want)
		}
	}
}

func TestPaging(t *testing.T) {
	s, field, _ := newSearchFixture(t)
	whole, _, err := s.Roster.Page(t.Context(), field.ID, device.Query{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{1, 2, 4, 6, 7} {
		var seen []*device.Device
		for offset := int64(0); ; offset += size {
			list, total, err := s.Roster.Page(t.Context(), field.ID, device.Query{Offset: offset, Limit: size})
			if err != nil || total != 6 {
				t.Fatalf("offset %d: total %d (%v)", offset, total, err)
			}
			if len(list) == 0 {
				break
			}
			seen = append(seen, list...)
		}
		if deviceNames(seen) != deviceNames(whole) {
			t.Errorf("pages of %d: %s, want %s", size, deviceNames(seen), deviceNames(whole))
		}
	}
}

// Devices of the same title keep their order from page to page.
func TestPagingOfEqualTitles(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	var all []*device.Device
	for i := range 25 {
		all = append(all, &device.Device{Name: fmt.Sprintf("n%02d", 24-i), NoteName: "Same", ProductID: station.ID})
	}
	s.PutDevices(t, field.ID, all...)
	var seen []device.ID
	for offset := int64(0); offset < 25; offset += 7 {
		list, _, err := s.Roster.Page(t.Context(), field.ID, device.Query{Offset: offset, Limit: 7})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			seen = append(seen, d.ID)
		}
	}
	if len(seen) != 25 || !slices.IsSorted(seen) {
		t.Errorf("ids %v", seen)
	}
}

// newSortFixture makes a tenant whose devices differ in every sort key.
func newSortFixture(t *testing.T) (*testkit.Stores, *testkit.Tenant) {
	t.Helper()
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	products := map[string]int64{}
	for _, name := range []string{"zeta", "Alpha", "beta"} {
		p := &device.Product{Name: name, OfflineAfter: testkit.OfflineAfter}
		if name == "zeta" {
			p.Names = map[text.Language]string{
				text.English: "Zeta",
				text.Chinese: "Zeta",
				text.Turkish: "Akım",
				text.Russian: "Зета",
			}
		}
		if err := s.Catalog.PutProduct(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		products[name] = p.ID
	}
	scenes := map[string]int64{
		"":      device.DefaultScene,
		"north": s.Scene(t, field.ID, "north"),
		"Barn":  s.Scene(t, field.ID, "Barn"),
	}
	for _, d := range []struct {
		name, note, serial, product, scene string
		contact                            time.Duration // before now; 0: never
	}{
		{"d1", "Mast", "B-2", "zeta", "north", time.Minute},
		{"D2", "", "a-9", "Alpha", "", 0},
		{"d3", "apple", "", "beta", "Barn", 2 * time.Hour},
		{"d4", "İnek", "C-1", "Alpha", "north", time.Second},
		{"d5", "mast", "b-1", "zeta", "", 0},
	} {
		made := &device.Device{
			Name:      d.name,
			NoteName:  d.note,
			Serial:    d.serial,
			ProductID: products[d.product],
			SceneID:   scenes[d.scene],
		}
		s.PutDevices(t, field.ID, made)
		if d.contact > 0 {
			s.Presence.SeenAt(testkit.Ref(made), s.Clock.Milli()-d.contact.Milliseconds())
		}
		s.Clock.Advance(-time.Hour) // creation times run opposite to the ids
	}
	s.Clock.Set(testkit.Start)
	return s, field
}

func TestPageSort(t *testing.T) {
	s, field := newSortFixture(t)
	for by, want := range map[device.Sort]string{
		"":                 "d3 D2 d4 d1 d5",
		device.SortTitle:   "d3 D2 d4 d1 d5",
		device.SortName:    "d1 D2 d3 d4 d5",
		device.SortSerial:  "d3 D2 d5 d1 d4",
		device.SortProduct: "D2 d4 d3 d1 d5", // Alpha, beta, zeta
		device.SortScene:   "D2 d5 d3 d1 d4", // none, Barn, north
		device.SortContact: "D2 d5 d3 d4 d1",
		device.SortState:   "D2 d3 d5 d1 d4",
		device.SortCreated: "d5 d4 d3 D2 d1",
	} {
		upward, downward := strings.Fields(want), strings.Fields(want)
		slices.Reverse(downward)
		for _, c := range []struct {
			descending bool
			want       []string
		}{{false, upward}, {true, downward}} {
			for size := int64(1); size <= 6; size++ {
				var got []string
				for offset := int64(0); offset < 6; offset += size {
					list, total, err := s.Roster.Page(t.Context(), field.ID,
						device.Query{Sort: by, Descending: c.descending, Offset: offset, Limit: size})
					if err != nil || total != 5 {
						t.Fatalf("%d %v", total, err)
					}
					got = append(got, strings.Fields(deviceNames(list))...)
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%q, descending %t, pages of %d: %v, want %v", by, c.descending, size, got, c.want)
				}
			}
		}
	}
	for _, offset := range []int64{-1, 5, 1 << 62} {
		if list, total, err := s.Roster.Page(t.Context(), field.ID, device.Query{Offset: offset,
			Limit: 1 << 62}); err != nil || total != 5 || (len(list) > 0) != (offset < 0) {
			t.Errorf("offset %d: %s, %d, %v", offset, deviceNames(list), total, err)
		}
	}
}

// Each page is the right part of the whole order, for any offset and any length of the list.
func TestPageOfLongList(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	devices := make([]*device.Device, 997)
	for i := range devices {
		devices[i] = &device.Device{
			Name:      fmt.Sprintf("n%03d", i),
			Serial:    fmt.Sprint((i * 389) % 50),
			ProductID: station.ID,
		}
	}
	s.PutDevices(t, field.ID, devices...)
	whole := slices.Clone(devices)
	slices.SortFunc(whole, func(a, b *device.Device) int {
		return cmp.Or(strings.Compare(a.Serial, b.Serial), cmp.Compare(a.ID, b.ID))
	})
	for _, descending := range []bool{false, true} {
		for _, offset := range []int64{0, 1, 99, 400, 498, 499, 500, 700, 990, 996} {
			for _, limit := range []int64{1, 7, 400} {
				list, total, err := s.Roster.Page(t.Context(), field.ID, device.Query{Sort: device.SortSerial,
					Descending: descending, Offset: offset, Limit: limit})
				if err != nil || total != 997 {
					t.Fatal(total, err)
				}
				if want := deviceNames(whole[offset:min(offset+limit, 997)]); deviceNames(list) != want {
					t.Errorf("%d from %d, descending %t:\n%s\nwant\n%s", limit, offset, descending, deviceNames(list),
						want)
				}
			}
		}
		slices.Reverse(whole)
	}
}

// A table is sorted by the product names in its reader's language: in Turkish Akım, Alpha, beta.
func TestPageSortByLocalizedProductName(t *testing.T) {
	s, field := newSortFixture(t)
	for l, want := range map[text.Language]string{
		text.English: "D2 d4 d3 d1 d5", text.Turkish: "d1 d5 D2 d4 d3", text.Russian: "D2 d4 d3 d1 d5",
	} {
		list, _, err := s.Roster.Page(t.Context(), field.ID, device.Query{Sort: device.SortProduct, Language: l,
			Limit: 9})
		if err != nil || deviceNames(list) != want {
			t.Errorf("%s: %s, %v", l, deviceNames(list), err)
		}
	}
}
