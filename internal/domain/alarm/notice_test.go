package alarm_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

const hour = int64(time.Hour / time.Millisecond)

func TestCount(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	mine, theirs := s.Device(t, field.ID, station, "WS-1"), s.Device(t, rival.ID, station, "WS-2")
	midnight := s.Clock.Milli()

	if c, err := s.Notices.Count(t.Context(), field.ID, midnight); err != nil || c != (alarm.Counts{}) {
		t.Errorf("without notices: %+v %v", c, err)
	}
	for _, n := range []testkit.Notice{
		// Open since the day before yesterday.
		{Device: mine, Status: alarm.Pending, Start: midnight - 50*hour, CreateTime: midnight - 49*hour},
		// Over long ago.
		{Device: mine, Status: alarm.ResolvedAutomatically, Start: midnight - 40*hour, CreateTime: midnight - 40*hour},
		// Recorded at midnight, of a late reading.
		{Device: mine, Status: alarm.Pending, Start: midnight - 2*hour, CreateTime: midnight},
		{Device: mine, Status: alarm.ResolvedManually, Start: midnight + hour, CreateTime: midnight + hour},
		{Device: mine, Status: alarm.ResolvedAutomatically, Start: midnight + 3*hour, CreateTime: midnight + 3*hour},
		{Device: mine, Status: alarm.Pending, Start: midnight + 2*hour, CreateTime: midnight + 2*hour},
		{Device: theirs, Status: alarm.Pending, Start: midnight + 9*hour, CreateTime: midnight + 9*hour},
	} {
		s.Notice(t, n)
	}
	for _, c := range []struct {
		name  string
		count func() (alarm.Counts, error)
		want  alarm.Counts
	}{
		{"today", func() (alarm.Counts, error) { return s.Notices.Count(t.Context(), field.ID, midnight) }, alarm.Counts{Today: 4, Pending: 3, Last: midnight + 3*hour}},
		{"a later midnight", func() (alarm.Counts, error) { return s.Notices.Count(t.Context(), field.ID, midnight+2*hour) }, alarm.Counts{Today: 2, Pending: 3, Last: midnight + 3*hour}},
		{"none today", func() (alarm.Counts, error) { return s.Notices.Count(t.Context(), field.ID, midnight+4*hour) }, alarm.Counts{Pending: 3}},
		{"another tenant", func() (alarm.Counts, error) { return s.Notices.Count(t.Context(), rival.ID, midnight) }, alarm.Counts{Today: 1, Pending: 1, Last: midnight + 9*hour}},
		{"no such tenant", func() (alarm.Counts, error) { return s.Notices.Count(t.Context(), 99, midnight) }, alarm.Counts{}},
	} {
		if got, err := c.count(); err != nil || got != c.want {
			t.Errorf("%s: %+v (%v), want %+v", c.name, got, err, c.want)
		}
	}
}

func TestOpen(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	calm, warm, hot := s.Device(t, field.ID, station, "calm"), s.Device(t, field.ID, station, "warm"),
		s.Device(t, field.ID, station, "hot")
	theirs := s.Device(t, rival.ID, station, "theirs")
	for _, n := range []testkit.Notice{
		{Device: calm, Level: alarm.LevelSerious, Status: alarm.ResolvedAutomatically},
		{Device: calm, Level: alarm.LevelSerious, Status: alarm.ResolvedManually},
		{Device: warm, Level: alarm.LevelGeneral, Status: alarm.Pending},
		{Device: warm, Level: alarm.LevelSerious, Status: alarm.ResolvedAutomatically},
		{Device: hot, Level: alarm.LevelImportant, Status: alarm.Pending},
		{Device: hot, Level: alarm.LevelSerious, Status: alarm.Pending},
		{Device: hot, Level: alarm.LevelGeneral, Status: alarm.Pending},
		{Device: theirs, Level: alarm.LevelSerious, Status: alarm.Pending},
	} {
		s.Notice(t, n)
	}
	got, err := s.Notices.OpenByDevice(t.Context(), field.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := map[device.ID]alarm.OpenSummary{warm.ID: {Count: 1, Level: alarm.LevelGeneral},
		hot.ID: {Count: 3, Level: alarm.LevelSerious}}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if none, err := s.Notices.OpenByDevice(t.Context(), 99); err != nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
}

func TestPosition(t *testing.T) {
	d := testkit.DB(t)
	if got, err := alarm.NewPositionStore(d).Load(t.Context()); err != nil || got != 0 {
		t.Errorf("without a position: %d (%v)", got, err)
	}
	// A late save does not replace a greater position.
	for _, c := range []struct{ save, want uint64 }{{7, 7}, {1 << 53, 1 << 53}, {8, 1 << 53}} {
		if err := alarm.NewPositionStore(d).Save(t.Context(), c.save); err != nil {
			t.Fatal(err)
		}
		if got, err := alarm.NewPositionStore(d).Load(t.Context()); err != nil || got != c.want {
			t.Errorf("saved %d, loaded %d (%v), want %d", c.save, got, err, c.want)
		}
	}
}

// A database that cannot be queried is an error, never an empty result: no notices counted, nothing
// evaluated again from the beginning.
func TestFaults(t *testing.T) {
	s := testkit.NewStores(t)
	positions := alarm.NewPositionStore(s.DB)
	if err := positions.Save(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	rules := alarm.NewRuleStore(s.DB, s.Catalog, s.Clock.Now)
	for name, call := range map[string]func() error{
		"Count":               func() error { _, err := s.Notices.Count(gone, 1, 0); return err },
		"Open":                func() error { _, err := s.Notices.OpenByDevice(gone, 1); return err },
		"IsOpen":              func() error { _, err := s.Notices.IsOpen(gone, 1, 1, 1); return err },
		"Acks":                func() error { _, err := s.Notices.Acks(gone, 1, []int64{1}); return err },
		"Get":                 func() error { _, err := s.Notices.Get(gone, 1, 1); return err },
		"GetListed":           func() error { _, err := s.Notices.GetListed(gone, 1, 1); return err },
		"Newest":              func() error { _, err := s.Notices.Newest(gone, 1); return err },
		"Page":                func() error { _, _, err := s.Notices.Page(gone, 1, alarm.NoticeQuery{}); return err },
		"PageAfter":           func() error { _, err := s.Notices.PageAfter(gone, 1, alarm.NoticeQuery{}, nil); return err },
		"Clear":               func() error { return s.Notices.Clear(gone, 1) },
		"Load":                func() error { _, err := positions.Load(gone); return err },
		"LoadTenants":         func() error { _, err := positions.LoadTenants(gone); return err },
		"Save":                func() error { return positions.Save(gone, 9) },
		"SaveTenants":         func() error { return positions.SaveTenants(gone, map[tenant.ID]alarm.Position{1: {}}) },
		"rules Create":        func() error { _, err := rules.Create(gone, 1, &alarm.Rule{}); return err },
		"rules Copy":          func() error { _, err := rules.Copy(gone, 1, &alarm.Rule{}, []device.ID{1}); return err },
		"rules Update":        func() error { return rules.Update(gone, 1, &alarm.Rule{}) },
		"rules Publish":       func() error { return rules.Publish(gone, 1, 1, "") },
		"rules Unpublish":     func() error { return rules.Unpublish(gone, 1, 1, "") },
		"rules Delete":        func() error { return rules.Delete(gone, 1, 1) },
		"rules Mute":          func() error { return rules.Mute(gone, 1, 1, 0) },
		"rules MutedUntil":    func() error { _, err := rules.MutedUntil(gone, 1, 1); return err },
		"rules Page":          func() error { _, _, _, err := rules.Page(gone, 1, alarm.RuleQuery{}); return err },
		"rules Get":           func() error { _, err := rules.Get(gone, 1, 1); return err },
		"rules Rules":         func() error { _, err := rules.Rules(gone, 1, []alarm.RuleID{1}); return err },
		"rules Pairs":         func() error { _, err := rules.Pairs(gone, 1, []alarm.RuleID{1}); return err },
		"rules Running":       func() error { _, err := rules.Running(gone); return err },
		"rules Dynamic":       func() error { _, err := rules.TenantsWithDynamicRules(gone); return err },
		"rules Devices":       func() error { _, _, err := rules.Devices(gone, 1, 1, 0, 1); return err },
		"rules MembersByRule": func() error { _, err := rules.MembersByRule(gone, 1, []alarm.RuleID{1}); return err },
		"rules of channels":   func() error { _, err := rules.UsageByChannel(gone, 1, []int64{1}, 1); return err },
		"rules of scene":      func() error { _, err := rules.UsageOfScene(gone, 1, 1, 1); return err },
		"rules ForgetDevice":  func() error { return rules.ForgetDevice(gone, 1, 1) },
		"rules Clear":         func() error { return rules.Clear(gone, 1) },
	} {
		err := call()
		if !errors.Is(err, context.Canceled) || strings.Count(err.Error(), "alarm: ") != 1 ||
			!strings.HasPrefix(err.Error(), "alarm: ") {
			t.Errorf("%s: %v, want an error that is wrapped once", name, err)
		}
	}
	if got, err := positions.Load(t.Context()); err != nil || got != 7 {
		t.Errorf("%d %v", got, err)
	}
}
