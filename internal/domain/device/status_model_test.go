package device_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// knownStatus is all that the server knows of a device's contact and intake.
type knownStatus struct {
	status device.Status
	intake device.Intake
	days   []device.DayIntake
}

// statusModel makes random changes, and holds what must be known after a restart.
type statusModel struct {
	*testkit.Stores
	t         *testing.T
	r         *rand.Rand
	product   *device.Product
	tenants   []tenant.ID
	devices   map[device.ID]*device.Device
	names     int
	snapshots map[device.ID][]knownStatus // what was known at the last complete flush and at each flush since
}

const modelPageDevices = 3

func (m *statusModel) some() *device.Device {
	n := m.r.IntN(max(1, len(m.devices)))
	for id := device.ID(1); ; id++ {
		if len(m.devices) == 0 {
			return nil
		}
		if d := m.devices[id]; d != nil {
			if n == 0 {
				return d
			}
			n--
		}
	}
}

func (m *statusModel) known(d *device.Device) knownStatus {
	days, err := m.Status.Days(m.t.Context(), d.Tenant, d.ID)
	if err != nil {
		m.t.Fatal(err)
	}
	return knownStatus{m.Presence.Status(d.Tenant, d.ID), m.Diagnostics.Get(d.Tenant, d.ID), days}
}

func (m *statusModel) flush(all bool) {
	flush(m.t, m.Stores, all)
	for id, d := range m.devices {
		if all {
			m.snapshots[id] = nil
		}
		m.snapshots[id] = append(m.snapshots[id], m.known(d))
	}
}

// restart starts the server anew. What it knows of each device then is what it knew at the last complete flush or
// at one since.
func (m *statusModel) restart() {
	m.Restart(m.t)
	m.Status.SetPageDevices(modelPageDevices)
	oldest := device.DayOf(m.Clock.Milli()) - 31
	for id, d := range m.devices {
		got, found := m.known(d), false
		for _, s := range m.snapshots[id] {
			s.days = slices.DeleteFunc(slices.Clone(s.days), func(d device.DayIntake) bool { return d.Day <= oldest })
			found = found || fmt.Sprint(s) == fmt.Sprint(got)
		}
		if !found {
			m.t.Fatalf(
				"device %d of tenant %d is restored as\n%+v, was one of\n%+v",
				id,
				d.Tenant,
				got,
				m.snapshots[id],
			)
		}
		m.snapshots[id] = []knownStatus{got}
		for _, other := range m.tenants {
			if other == d.Tenant {
				continue
			}
			days, err := m.Status.Days(m.t.Context(), other, id)
			if st := m.Presence.Status(other, id); err != nil || len(days) > 0 || st != (device.Status{}) {
				m.t.Fatalf("tenant %d sees %v and %v of tenant %d's device (%v)", other, st, days, d.Tenant, err)
			}
		}
	}
}

// onDisk checks the pages.
func (m *statusModel) onDisk() {
	problems, err := device.ExaminePages(m.t.Context(), m.DB)
	if err != nil || len(problems) > 0 {
		m.t.Fatalf("%q (%v)", problems, err)
	}
	sizes, owners, err := device.StoredPages(m.t.Context(), m.DB)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, n := range sizes {
		if n > modelPageDevices {
			m.t.Fatalf("pages of %v devices", sizes)
		}
	}
	// Places of deleted devices are taken again. A tenant never had more than 40 devices at once.
	if len(sizes) > len(m.tenants)*(40/modelPageDevices+1) {
		m.t.Fatalf("%d pages of %v", len(sizes), sizes)
	}
	days, err := device.StoredDays(m.t.Context(), m.DB)
	if err != nil {
		m.t.Fatal(err)
	}
	for id := range days {
		if m.devices[id] == nil {
			m.t.Fatalf("deleted device %d still has days %v on disk", id, days[id])
		}
	}
	for id, owner := range owners {
		if d := m.devices[id]; d == nil || d.Tenant != owner {
			m.t.Fatalf("device %d is in a page of tenant %d: %+v", id, owner, d)
		}
	}
}

func (m *statusModel) create() {
	m.names++
	owner := m.tenants[m.r.IntN(len(m.tenants))]
	d := m.Device(m.t, owner, m.product, fmt.Sprint("m", m.names))
	m.devices[d.ID] = d
	m.snapshots[d.ID] = []knownStatus{m.known(d)}
}

func (m *statusModel) remove(d *device.Device) {
	if err := m.Devices.Delete(m.t.Context(), d.Tenant, d.ID); err != nil {
		m.t.Fatal(err)
	}
	delete(m.devices, d.ID)
	delete(m.snapshots, d.ID)
	if m.r.IntN(3) > 0 { // otherwise the server ends before it knows
		m.Reload(m.t)
		m.Presence.Forget(testkit.Ref(d))
		m.Diagnostics.Forget(testkit.Ref(d))
	} else {
		m.restart()
	}
}

func (m *statusModel) step() {
	d := m.some()
	switch n := m.r.IntN(100); {
	case n < 8 && len(m.devices) < 40 || d == nil:
		m.create()
	case n < 12:
		m.remove(d)
	case n < 40:
		m.Presence.Seen(testkit.Ref(d))
	case n < 60:
		var refusals []device.Refusal
		if m.r.IntN(2) == 0 {
			refusals = outOfRangeRefusal(m.Stores)
		}
		m.Diagnostics.Count(
			testkit.Ref(d),
			m.Clock.Milli(),
			m.r.IntN(9),
			refusals,
			time.Duration(m.r.IntN(3))*time.Second,
		)
	case n < 66:
		m.Clock.Advance(time.Duration(m.r.Int64N(int64(testkit.OfflineAfter))))
		m.Presence.Expire()
	case n < 69:
		m.Clock.Advance(time.Duration(m.r.Int64N(int64(9 * 24 * time.Hour))))
		m.Presence.Expire()
	case n < 84:
		m.flush(false)
	case n < 92:
		m.flush(true)
	case n < 95:
		m.restart()
	default:
		m.flush(true)
		m.onDisk()
	}
}

// After any changes, flushes, deletions and restarts, the server knows of each device what it knew at the last
// complete flush, or later; pages hold nothing of deleted devices, and no tenant sees another's.
func TestStatusAfterRandomChanges(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := testkit.NewStores(t)
			m := &statusModel{
				Stores: s, t: t, r: rand.New(rand.NewPCG(seed, 7)), product: s.Station(t),
				devices: map[device.ID]*device.Device{}, snapshots: map[device.ID][]knownStatus{},
			}
			for i := range 3 {
				m.tenants = append(m.tenants, s.Tenant(t, fmt.Sprint("t", i)).ID)
			}
			m.Status.SetPageDevices(modelPageDevices)
			for range 400 {
				m.step()
			}
			m.flush(true)
			m.onDisk()
			m.restart()
		})
	}
}
