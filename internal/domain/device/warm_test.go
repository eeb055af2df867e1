package device_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit"
)

// TestWarmRegistryEqualsColdOne changes devices at random while a standby reads ahead, also in the middle of
// transactions, of which some fail. Whenever it begins to lead, its registry is the one that a start loads.
func TestWarmRegistryEqualsColdOne(t *testing.T) {
	if !testkit.UsePostgres() {
		t.Skip("only a cluster, which needs PostgreSQL, has standbys")
	}
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			f := newWarmFleet(t, seed)
			for range 12 {
				for range f.random.IntN(12) {
					f.change()
				}
				if f.random.IntN(2) == 0 {
					f.refresh()
				}
				f.compare()
			}
			if f.deleted == 0 || f.refused == 0 || f.refreshedWithin == 0 {
				t.Errorf("%d devices were deleted, %d changes refused, %d read ahead within one",
					f.deleted, f.refused, f.refreshedWithin)
			}
		})
	}
}

type warmFleet struct {
	*testkit.Stores
	t       *testing.T
	random  *rand.Rand
	owner   *testkit.Tenant
	product *device.Product
	warm    *device.Warm
	follow  *db.DB // as a standby reads it
	present []*device.Device
	hashes  []device.SecretHash // that any device had
	made    int

	deleted, refused, refreshedWithin int
}

func newWarmFleet(t *testing.T, seed uint64) *warmFleet {
	f := &warmFleet{
		Stores: testkit.NewStores(t), t: t, random: rand.New(rand.NewPCG(seed, 1)), warm: device.NewWarm(),
	}
	f.follow = testkit.Follow(t, f.DB)
	f.owner = f.Tenant(t, "farm")
	f.product = f.Station(t)
	return f
}

// refresh reads ahead as a standby does: on a connection of its own, whatever is in progress.
func (f *warmFleet) refresh() {
	f.t.Helper()
	if err := f.warm.Refresh(f.t.Context(), f.follow.Read(f.t.Context())); err != nil {
		f.t.Fatal(err)
	}
}

var errRefused = errors.New("refused")

// change makes some changes in one transaction, which may fail.
func (f *warmFleet) change() {
	f.t.Helper()
	before, refuse := append([]*device.Device{}, f.present...), f.random.IntN(5) == 0
	err := f.DB.Tx(f.t.Context(), func(ctx context.Context, _ bun.IDB) error {
		for range 1 + f.random.IntN(3) {
			if err := f.changeOne(ctx); err != nil {
				return err
			}
			if f.random.IntN(4) == 0 {
				f.refresh()
				f.refreshedWithin++
			}
		}
		if refuse {
			return errRefused
		}
		return nil
	})
	if refuse {
		f.present = before
		f.refused++
	}
	if err != nil && !errors.Is(err, errRefused) {
		f.t.Fatal(err)
	}
}

func (f *warmFleet) changeOne(ctx context.Context) error {
	n := len(f.present)
	switch kind := f.random.IntN(6); {
	case kind < 2 || n == 0:
		f.made++
		d := &device.Device{Name: fmt.Sprintf("D-%d", f.made), ProductID: f.product.ID}
		if kind == 1 && n > 0 { // a name may come again
			d.Name = f.present[f.random.IntN(n)].Name + "-again"
		}
		if owner, err := f.Devices.OwnerOf(ctx, d.Name); err != nil || owner != 0 {
			return err
		}
		if err := f.Devices.Put(ctx, f.owner.ID, d); err != nil {
			return err
		}
		f.present = append(f.present, d)
		return f.putSecrets(ctx, d)
	case kind == 2:
		i := f.random.IntN(n)
		d := f.present[i]
		f.present = append(append([]*device.Device{}, f.present[:i]...), f.present[i+1:]...)
		f.deleted++
		return f.Devices.Delete(ctx, f.owner.ID, d.ID)
	case kind == 3:
		return f.putSecrets(ctx, f.present[f.random.IntN(n)])
	default:
		d := *f.present[f.random.IntN(n)]
		d.Disabled, d.Gateway = f.random.IntN(2) == 0, f.random.IntN(2) == 0
		place := float64(f.random.IntN(90))
		d.Latitude, d.Longitude = &place, &place
		return f.Devices.Put(ctx, f.owner.ID, &d)
	}
}

func (f *warmFleet) putSecrets(ctx context.Context, d *device.Device) error {
	var own []device.SecretHash
	for range f.random.IntN(3) {
		own = append(own, device.HashSecret(testkit.SecretKey, fmt.Sprint(d.ID, f.random.Uint64())))
	}
	f.hashes = append(f.hashes, own...)
	return f.Devices.PutSecrets(ctx, f.owner.ID, d.ID, own...)
}

// compare loads a registry with and without what was read ahead.
func (f *warmFleet) compare() {
	f.t.Helper()
	cold, warm := device.NewRegistry(testkit.SecretKey), device.NewRegistry(testkit.SecretKey)
	for r, ahead := range map[*device.Registry]*device.Warm{cold: nil, warm: f.warm} {
		if err := f.Devices.LoadRegistryFrom(f.t.Context(), f.Catalog, r, ahead); err != nil {
			f.t.Fatal(err)
		}
	}
	if cold.Total() != warm.Total() || cold.Total() != len(f.present) {
		f.t.Fatalf("%d devices, want %d, of %d", warm.Total(), cold.Total(), len(f.present))
	}
	for _, d := range f.present {
		a, b := cold.Get(d.ID), warm.Get(d.ID)
		if b == nil || a.Ref != b.Ref || a.Name != b.Name || a.Gateway != b.Gateway || a.Disabled != b.Disabled ||
			a.Product.ID != b.Product.ID || warm.Find(f.owner.ID, d.Name) != b {
			f.t.Fatalf("%s: %+v, want %+v", d.Name, b, a)
		}
		siteA, knownA := cold.Site(a.Ref)
		if siteB, knownB := warm.Site(a.Ref); knownA != knownB || !reflect.DeepEqual(siteA, siteB) {
			f.t.Fatalf("%s is at %+v, want %+v", d.Name, siteB, siteA)
		}
		for _, h := range f.hashes {
			if cold.StillValid(d.ID, h) != warm.StillValid(d.ID, h) {
				f.t.Fatalf("%s: a secret is valid: %v", d.Name, warm.StillValid(d.ID, h))
			}
		}
	}
}
