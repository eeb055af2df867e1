package alarm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// named makes a rule, a minute after the previous one.
func named(
	t *testing.T,
	s *testkit.Stores,
	d *device.Device,
	name string,
	level alarm.Level,
	running bool,
) alarm.RuleID {
	t.Helper()
	s.Clock.Advance(time.Minute)
	rule := newFullRule(t, s, d)
	rule.Name, rule.Level = name, level
	id, err := s.Rules.Create(t.Context(), d.Tenant, &rule)
	if err == nil && running {
		err = s.Rules.Publish(t.Context(), d.Tenant, id, "Ada")
	}
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestRulePage(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	a, b := s.Device(t, field.ID, station, "A"), s.Device(t, field.ID, station, "B")
	named(t, s, s.Device(t, rival.ID, station, "theirs"), "İlk don", alarm.LevelSerious, true)
	named(t, s, a, "İlk Don", alarm.LevelSerious, true)
	named(t, s, b, "Işık", alarm.LevelGeneral, false)
	named(t, s, b, "Ёлка 50%_", alarm.LevelSerious, true)
	named(t, s, a, "ilk yağmur", alarm.LevelImportant, false)
	for i, c := range []struct {
		q       alarm.RuleQuery
		want    string
		total   int64
		running int64
	}{
		{alarm.RuleQuery{Limit: 10}, "Ёлка 50%_, İlk Don, ilk yağmur, Işık", 4, 2},
		{alarm.RuleQuery{Limit: 2, Offset: 1}, "İlk Don, ilk yağmur", 4, 2},
		{alarm.RuleQuery{Limit: 2, Offset: 4}, "", 4, 2},
		{alarm.RuleQuery{Limit: 10, Name: "İLK"}, "İlk Don, ilk yağmur", 2, 1},
		{alarm.RuleQuery{Limit: 10, Name: "ilk d"}, "İlk Don", 1, 1},
		{alarm.RuleQuery{Limit: 10, Name: "isik"}, "", 0, 0},
		{alarm.RuleQuery{Limit: 10, Name: "ışık"}, "Işık", 1, 0},
		{alarm.RuleQuery{Limit: 10, Name: "елка"}, "Ёлка 50%_", 1, 1},
		{alarm.RuleQuery{Limit: 10, Name: "%_"}, "Ёлка 50%_", 1, 1},
		{alarm.RuleQuery{Limit: 10, Devices: []string{"A"}}, "İlk Don, ilk yağmur", 2, 1},
		{alarm.RuleQuery{Limit: 10, Devices: []string{"B", "none", "theirs"}}, "Ёлка 50%_, Işık", 2, 1},
		{alarm.RuleQuery{Limit: 10, Devices: []string{"theirs"}}, "", 0, 0},
		{alarm.RuleQuery{Limit: 10, Level: new(alarm.LevelSerious)}, "Ёлка 50%_, İlk Don", 2, 2},
		{alarm.RuleQuery{Limit: 10, Level: new(alarm.LevelGeneral)}, "Işık", 1, 0},
		{alarm.RuleQuery{Limit: 10, Running: new(true)}, "Ёлка 50%_, İlk Don", 2, 2},
		{alarm.RuleQuery{Limit: 10, Running: new(false), Devices: []string{"A"}}, "ilk yağmur", 1, 0},
	} {
		cards, total, running, err := s.Rules.Page(t.Context(), field.ID, c.q)
		var names []string
		for _, card := range cards {
			names = append(names, card.Name)
			if len(card.Channels) != 2 || len(card.Conditions) != 3 || card.DeviceName == "" {
				t.Errorf("%d: %+v", i, card)
			}
		}
		if got := strings.Join(names, ", "); err != nil || got != c.want || total != c.total || running != c.running {
			t.Errorf("%d: %q %d %d (%v), want %q %d %d", i, got, total, running, err, c.want, c.total, c.running)
		}
	}
}

// What is wrong now comes first, then what watches; a rival's notices and notices that are over move
// nothing.
func TestRulePageOrder(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	d, theirs := s.Device(t, field.ID, station, "A"), s.Device(t, rival.ID, station, "B")
	open := named(t, s, d, "open", 0, true)
	older := named(t, s, d, "older open", 0, true)
	stopped := named(t, s, d, "stopped", 0, false)
	over := named(t, s, d, "over", 0, true)
	named(t, s, d, "never run", 0, false)
	named(t, s, d, "quiet", 0, true)
	note := func(of *device.Device, rule alarm.RuleID, ago int64, status alarm.ResolveStatus) {
		start := s.Clock.Milli() - ago
		s.Notice(
			t,
			testkit.Notice{Device: of, Rule: rule, Revision: 1, Start: start, CreateTime: start, Status: status},
		)
	}
	note(d, open, 1000, alarm.Pending)
	note(d, older, 2000, alarm.Pending)
	note(d, over, 500, alarm.ResolvedManually)
	note(theirs, stopped, 500, alarm.Pending)
	var names []string
	for offset := range int64(3) {
		cards, _, _, err := s.Rules.Page(t.Context(), field.ID, alarm.RuleQuery{Offset: 2 * offset, Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, card := range cards {
			names = append(names, card.Name)
		}
	}
	if got, want := strings.Join(names, ", "), "older open, open, quiet, over, never run, stopped"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A card shows its rule's notices: the newest, whether it is open, and how many there were in 30
// days.
func TestCardNotices(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	d, theirs := s.Device(t, field.ID, station, "A"), s.Device(t, rival.ID, station, "B")
	now, day := s.Clock.Milli(), 24*time.Hour.Milliseconds()
	quiet, over, open := named(t, s, d, "quiet", 0, true), named(t, s, d, "over", 0, true),
		named(t, s, d, "open", 0, true)
	s.Clock.Set(testkit.Start)
	note := func(of *device.Device, rule alarm.RuleID, revision, ago int64, status alarm.ResolveStatus) int64 {
		return s.Notice(t, testkit.Notice{Device: of, Rule: rule, Revision: revision, Start: now - ago,
			CreateTime: now - ago, Status: status})
	}
	note(d, over, 1, 31*day, alarm.ResolvedAutomatically)
	last := note(d, over, 1, 30*day, alarm.ResolvedManually)
	note(d, open, 1, 31*day, alarm.ResolvedAutomatically)
	note(d, open, 1, 2*day, alarm.ResolvedAutomatically)
	// Of an earlier revision, by a clock that was ahead: not the newest.
	note(d, open, 1, -60_000, alarm.ResolvedAutomatically)
	is := note(d, open, 2, 10_000, alarm.Pending)
	note(theirs, quiet, 1, 1000, alarm.Pending) // not a rule of this tenant
	cards, _, _, err := s.Rules.Page(t.Context(), field.ID, alarm.RuleQuery{Limit: 10})
	if err != nil || len(cards) != 3 {
		t.Fatal(cards, err)
	}
	for i, want := range []struct {
		last, open *alarm.NoticeRef
		recent     int64
	}{
		{&alarm.NoticeRef{ID: is, Start: now - 10_000}, &alarm.NoticeRef{ID: is, Start: now - 10_000}, 3},
		{&alarm.NoticeRef{ID: last, Start: now - 30*day}, nil, 1},
		{nil, nil, 0},
	} {
		got := cards[i]
		if !same(got.Last, want.last) || !same(got.Open, want.open) || got.Recent != want.recent {
			t.Errorf("%s: %v %v %d, want %v %v %d", got.Name, got.Last, got.Open, got.Recent, want.last, want.open,
				want.recent)
		}
	}
}

func same(a, b *alarm.NoticeRef) bool { return a == b || a != nil && b != nil && *a == *b }

// With 10,000 rules of a tenant and 100,000 notices a page takes less than 50 ms, the last one 70.
func BenchmarkRulePage(b *testing.B) {
	s := testkit.NewStores(b)
	field := s.Tenant(b, "field")
	station := s.Station(b)
	devices := make([]*device.Device, 2000)
	ids := make([]device.ID, len(devices))
	for i := range devices {
		devices[i] = &device.Device{Name: fmt.Sprint("D", i), ProductID: station.ID}
	}
	s.PutDevices(b, field.ID, devices...)
	for i, d := range devices {
		ids[i] = d.ID
	}
	manyRules(b, s, field.ID, ids, 10_000)
	manyNotices(b, s, field.ID, 100_000)
	for name, q := range map[string]alarm.RuleQuery{
		"first": {Limit: 10}, "largest": {Limit: 400}, "last": {Limit: 400, Offset: 9600}, "named": {Limit: 400, Name: "LE 99"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, total, _, err := s.Rules.Page(b.Context(), field.ID, q); err != nil || total == 0 {
					b.Fatal(total, err)
				}
			}
		})
	}
}

// manyNotices makes notices of the tenant's rules, round robin and within the last 30 days, most of
// them over.
func manyNotices(t testing.TB, s *testkit.Stores, owner tenant.ID, n int) {
	t.Helper()
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`WITH RECURSIVE k (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM k WHERE n + 1 < ?)
			INSERT INTO notices (tenant_id, rule_id, rule_revision, device_id, device_name, title,
				folded_title, alarm_level, resolve_status, start_time, create_time)
			SELECT ?, 1 + n % 10000, 1, 1 + n % 2000, 'D' || (n % 2000), 'Rule', 'rule', n % 3, 1,
				? - n * 25000, ? - n * 25000 FROM k`,
			n, owner, s.Clock.Milli(), s.Clock.Milli()).Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
