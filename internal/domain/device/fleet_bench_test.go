package device_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

const largeFleetSize = 100_000

// newLargeFleet makes a tenant with n devices, two thirds of them online: in 50 scenes and in none,
// of 10 products, most with a remark name, nearly all with a position.
func newLargeFleet(b *testing.B, n int) (*testkit.Stores, *testkit.Tenant, []*device.Device) {
	b.Helper()
	s := testkit.NewStores(b)
	owner := s.Tenant(b, "crowded")
	products := make([]int64, 10)
	for i := range products {
		p := &device.Product{Name: fmt.Sprintf("product-%02d", 9-i), OfflineAfter: testkit.OfflineAfter}
		if err := s.Catalog.PutProduct(b.Context(), p); err != nil {
			b.Fatal(err)
		}
		products[i] = p.ID
	}
	scenes := []int64{device.DefaultScene}
	for i := range 50 {
		scenes = append(scenes, s.Scene(b, owner.ID, fmt.Sprint("Field ", i)))
	}
	devices := make([]*device.Device, n)
	err := s.DB.Tx(b.Context(), func(ctx context.Context, _ bun.IDB) error {
		for i := range devices {
			mixed := (i * 104_729) % n // all numbers below n, shuffled
			d := &device.Device{
				Name: fmt.Sprintf("WS-%06d", mixed), Serial: fmt.Sprintf("SN-%06d", (i*7_919)%n),
				ProductID: products[i%len(products)], SceneID: scenes[mixed%len(scenes)],
			}
			if i%5 != 0 {
				d.NoteName = fmt.Sprintf("Mast %d beside the İstasyon", mixed)
			}
			if i%20 != 0 {
				d.Longitude, d.Latitude = new(26+float64(mixed%1900)/100), new(36+float64(i%600)/100)
			}
			if err := s.Devices.Put(ctx, owner.ID, d); err != nil {
				return err
			}
			devices[i] = d
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	s.Reload(b)
	for i, d := range devices {
		if i%3 != 0 {
			s.Presence.SeenAt(testkit.Ref(d), s.Clock.Milli()-int64((i*31)%500_000))
		}
	}
	return s, owner, devices
}

// reportMedian runs f repeatedly and reports the median time in milliseconds.
func reportMedian(b *testing.B, f func() error) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
}

// BenchmarkLargeFleet measures lists, groups and the map of 100,000 devices.
func BenchmarkLargeFleet(b *testing.B) {
	s, owner, devices := newLargeFleet(b, largeFleetSize)
	ctx := b.Context()
	page := func(q device.Query) func() error {
		if q.Limit == 0 {
			q.Limit = 10
		}
		return func() error {
			_, _, err := s.Roster.Page(ctx, owner.ID, q)
			return err
		}
	}
	b.Run("first read", func(b *testing.B) {
		reportMedian(b, func() error {
			fresh := device.NewRoster(s.Devices, s.Scenes, s.Catalog, s.Presence)
			_, _, err := fresh.Page(ctx, owner.ID, device.Query{Limit: 10})
			return err
		})
	})
	b.Run("after a change", func(b *testing.B) {
		reportMedian(b, func() error {
			d := devices[7]
			if err := s.Devices.Edit(ctx, owner.ID, d.Name, device.Edit{NoteName: "Other",
				SceneID: d.SceneID}); err != nil {
				return err
			}
			return page(device.Query{})()
		})
	})
	pages := []struct {
		name string
		q    device.Query
	}{
		{
			"page",
			device.Query{},
		},
		{"page of 400", device.Query{Limit: 400}},
		{"last page", device.Query{Offset: largeFleetSize - 10}},
		{
			"search one",
			device.Query{Search: "ws-077777"},
		},
		{"search many", device.Query{Search: "istasyon"}},
		{"search none", device.Query{Search: "nowhere"}},
		{"search many, sorted, deep", device.Query{Search: "istasyon", Sort: device.SortSerial, Offset: 40_000}},
		{"online", device.Query{Online: new(true)}},
		{"product", device.Query{ProductID: 3}},
	}
	sorts := []device.Sort{
		device.SortTitle, device.SortName, device.SortSerial, device.SortProduct,
		device.SortScene, device.SortContact, device.SortState, device.SortCreated,
	}
	for _, by := range sorts {
		pages = append(pages, struct {
			name string
			q    device.Query
		}{"sort " + string(by), device.Query{Sort: by, Descending: true}})
	}
	for _, p := range pages {
		b.Run(p.name, func(b *testing.B) { reportMedian(b, page(p.q)) })
	}
	b.Run("overview", func(b *testing.B) {
		reportMedian(b, func() error { _, _, err := s.Roster.Count(ctx, owner.ID); return err })
	})
	b.Run("counts of scenes", func(b *testing.B) {
		reportMedian(b, func() error { _, err := s.Roster.Groups(ctx, owner.ID, device.Query{}, 0, nil); return err })
	})
	b.Run("groups", func(b *testing.B) {
		reportMedian(b, func() error { _, err := s.Roster.Groups(ctx, owner.ID, device.Query{}, 100, nil); return err })
	})
	b.Run("map", func(b *testing.B) {
		reportMedian(b, func() error { _, _, err := s.Roster.MapPoints(ctx, owner.ID, nil); return err })
	})
}

// BenchmarkReloadOneDevice compares what one device that an owner adds costs the registry of a large
// fleet with loading the whole registry again.
func BenchmarkReloadOneDevice(b *testing.B) {
	s, owner, devices := newLargeFleet(b, largeFleetSize)
	one := devices[len(devices)/2]
	b.Run("one", func(b *testing.B) {
		reportMedian(b, func() error {
			return s.Devices.Reload(b.Context(), owner.ID, s.Catalog, s.Registry, one.ID)
		})
	})
	b.Run("all", func(b *testing.B) {
		reportMedian(b, func() error { return s.Devices.LoadRegistry(b.Context(), s.Catalog, s.Registry) })
	})
}
