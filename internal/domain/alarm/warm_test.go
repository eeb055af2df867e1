package alarm_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// TestWarmRulesEqualColdOnes changes rules, their devices and products at random while a standby reads ahead,
// also in the middle of transactions, of which some fail. Whenever it begins to lead, it has the rules and
// states that a start loads, and checks each tenant whose rules lack a device that their targets name.
func TestWarmRulesEqualColdOnes(t *testing.T) {
	if !testkit.UsePostgres() {
		t.Skip("only a cluster, which needs PostgreSQL, has standbys")
	}
	all := warmCounts{}
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			f := newWarmRules(t, seed, all)
			for range 20 {
				for range f.random.IntN(10) {
					f.change()
				}
				if f.random.IntN(2) == 0 {
					f.refresh()
				}
				f.compare()
			}
		})
	}
	// A random test in which nothing happens proves nothing.
	for what, n := range map[string]int{
		"pairs": 100, "states": 5, "outdated": 10, "refused": 10, "within": 10, "skipped": 10,
	} {
		if all[what] < n {
			t.Errorf("%q only %d times in %v", what, all[what], all)
		}
	}
}

type warmCounts map[string]int

type warmRules struct {
	*fixture
	counts  warmCounts
	random  *rand.Rand
	warm    *alarm.Warm
	owners  []tenant.ID
	scenes  map[tenant.ID]int64
	devices []*device.Device
	made    map[alarm.RuleID]tenant.ID // the rules, of which some were deleted with their device
	channel map[tenant.ID]int64
	names   int
	at      int64 // of the newest reading
}

func newWarmRules(t *testing.T, seed uint64, counts warmCounts) *warmRules {
	t.Helper()
	f := &warmRules{
		fixture: newFixture(t), counts: counts, random: rand.New(rand.NewPCG(seed, 2)),
		scenes: map[tenant.ID]int64{}, channel: map[tenant.ID]int64{}, made: map[alarm.RuleID]tenant.ID{},
	}
	f.warm = alarm.NewWarm(testkit.Follow(t, f.DB))
	f.owners = []tenant.ID{f.owner, f.Tenant(t, "hill").ID}
	f.devices = []*device.Device{f.mast}
	for _, owner := range f.owners {
		f.scenes[owner] = f.Scene(t, owner, "Orchard")
		f.channel[owner] = f.Channel(t, owner, "Mails").ID
	}
	f.createRule(nil)
	return f
}

func (f *warmRules) refresh() {
	f.t.Helper()
	f.must(f.warm.Refresh(f.t.Context()))
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// change makes a change in a transaction, which may fail; or evaluates a reading; or starts the server again,
// which gives the rules their devices.
func (f *warmRules) change() {
	f.t.Helper()
	switch f.random.IntN(8) {
	case 0:
		f.Reload(f.t)
		f.restart()
		return
	case 1:
		f.at += second
		f.evaluate(f.airTemp(f.at, float64(f.random.IntN(4))))
		return
	case 2:
		f.changeProduct()
		return
	}
	refuse := f.random.IntN(5) == 0
	errRefused := errors.New("refused")
	devices, rules := slices.Clone(f.devices), map[alarm.RuleID]tenant.ID{}
	for id, owner := range f.made {
		rules[id] = owner
	}
	err := f.DB.Tx(f.t.Context(), func(ctx context.Context, _ bun.IDB) error {
		if err := f.changeOne(ctx); err != nil {
			return err
		}
		if f.random.IntN(4) == 0 {
			f.refresh()
			f.counts["within"]++
		}
		if refuse {
			return errRefused
		}
		return nil
	})
	if err != nil {
		f.devices, f.made = devices, rules
		f.counts["refused"]++
	}
	if err != nil && !errors.Is(err, errRefused) {
		f.t.Fatal(err)
	}
}

// changeProduct takes a property that rules use out of the product, or puts it in again.
func (f *warmRules) changeProduct() {
	f.t.Helper()
	p := *f.station
	if f.random.IntN(4) == 0 {
		p.Properties = slices.DeleteFunc(slices.Clone(p.Properties),
			func(x device.Property) bool { return x.Identifier == "airTemperature" })
	}
	f.must(f.Catalog.PutProduct(f.t.Context(), &p))
	f.Reload(f.t)
}

func (f *warmRules) changeOne(ctx context.Context) error {
	owner := pick(f.random, f.owners)
	f.names++
	switch f.random.IntN(7) {
	case 0:
		d := &device.Device{Name: fmt.Sprintf("D-%d", f.names), ProductID: f.station.ID}
		if f.random.IntN(2) == 0 {
			d.SceneID = f.scenes[owner]
		}
		f.devices = append(f.devices, d)
		return f.Devices.Put(ctx, owner, d)
	case 1:
		i := f.random.IntN(len(f.devices))
		d := *f.devices[i]
		if d.SceneID == 0 {
			d.SceneID = f.scenes[d.Tenant]
		} else {
			d.SceneID = 0
		}
		f.devices[i] = &d
		return f.Devices.Put(ctx, d.Tenant, &d)
	case 2:
		i := 1 + f.random.IntN(len(f.devices))
		if i == len(f.devices) {
			return nil // the mast stays
		}
		d := f.devices[i]
		f.devices = slices.Delete(slices.Clone(f.devices), i, i+1)
		if err := f.Rules.ForgetDevice(ctx, d.Tenant, d.ID); err != nil {
			return err
		}
		return f.Devices.Delete(ctx, d.Tenant, d.ID)
	case 3, 4:
		return f.createRandomRule(ctx)
	default:
		for id, owner := range f.made {
			return f.changeRule(ctx, owner, id)
		}
		return nil
	}
}

func (f *warmRules) createRandomRule(ctx context.Context) error {
	d := pick(f.random, f.devices)
	r := alarm.Rule{
		Name:    fmt.Sprintf("rule %d", f.names),
		Device:  d.ID,
		Trigger: alarm.AttributeChange,
		Hits:    1,
		Window:  time.Minute,
		Conditions: []alarm.Condition{
			{Join: "and", Attribute: "airTemperature", Operator: comparator.Below, Value: reading.Number(2)},
		},
	}
	if f.random.IntN(2) == 0 {
		r.Channels = []int64{f.channel[d.Tenant]}
	}
	switch f.random.IntN(4) {
	case 0:
		r.Device, r.Targets = 0, alarm.Targets{Scenes: []int64{f.scenes[d.Tenant]}}
	case 1:
		r.Device, r.Targets = 0, alarm.Targets{Scenes: []int64{device.DefaultScene}}
	case 2:
		r.Device, r.Targets = 0, alarm.Targets{Products: []int64{f.station.ID}}
	}
	id, err := f.Rules.Create(ctx, d.Tenant, &r)
	if err != nil {
		return err
	}
	f.made[id] = d.Tenant
	return f.publishIfPossible(ctx, d.Tenant, id)
}

// publishIfPossible publishes a rule, unless none of its devices can have it now.
func (f *warmRules) publishIfPossible(ctx context.Context, owner tenant.ID, id alarm.RuleID) error {
	if f.Catalog.ProductByName(f.station.Name).Property("airTemperature") == nil {
		return nil
	}
	list, err := f.Rules.Rules(ctx, owner, []alarm.RuleID{id})
	if err != nil || len(list) == 0 {
		return err
	}
	if err := f.Rules.Publish(ctx, owner, id, "Ada"); !errs.Is(err, errs.Refused) {
		return err
	}
	return nil // it has no device now
}

func (f *warmRules) changeRule(ctx context.Context, owner tenant.ID, id alarm.RuleID) error {
	list, err := f.Rules.Rules(ctx, owner, []alarm.RuleID{id})
	if err != nil {
		return err
	}
	if len(list) == 0 { // deleted with its device
		delete(f.made, id)
		return nil
	}
	switch f.random.IntN(4) {
	case 0:
		delete(f.made, id)
		return f.Rules.Delete(ctx, owner, id)
	case 1:
		return f.Rules.Unpublish(ctx, owner, id, "Ada")
	case 2:
		return f.Rules.Mute(ctx, owner, id, int64(f.names))
	default:
		return f.publishIfPossible(ctx, owner, id)
	}
}

// compare loads the rules with and without what was read ahead.
func (f *warmRules) compare() {
	f.t.Helper()
	ctx := f.t.Context()
	// First, as in a start: what is checked depends on what was read ahead until now.
	unchecked, err := f.warm.Unchecked(ctx, f.Rules)
	f.must(err)
	for _, owner := range f.owners {
		outdated, err := f.Rules.OutdatedRules(ctx, owner)
		f.must(err)
		switch {
		case len(outdated) > 0 && !slices.Contains(unchecked, owner):
			f.t.Fatalf("tenant %d is not checked, and its rules %v lack devices", owner, outdated)
		case len(outdated) > 0:
			f.counts["outdated"]++
		case !slices.Contains(unchecked, owner):
			f.counts["skipped"]++
		}
	}
	cold, err := f.engine.LoadAhead(ctx, nil)
	f.must(err)
	warm, err := f.engine.LoadAhead(ctx, f.warm)
	f.must(err)
	if len(cold.Rules) != len(warm.Rules) {
		f.t.Fatalf("%d pairs, want %d", len(warm.Rules), len(cold.Rules))
	}
	for i := range cold.Rules {
		if !reflect.DeepEqual(cold.Rules[i], warm.Rules[i]) {
			f.t.Fatalf("%+v, want %+v", warm.Rules[i], cold.Rules[i])
		}
	}
	if !reflect.DeepEqual(cold, warm) && len(cold.Rules) > 0 {
		f.t.Fatalf("%+v, want %+v", warm, cold)
	}
	f.counts["pairs"] += len(cold.Rules)
	f.counts["states"] += cold.States()
}
