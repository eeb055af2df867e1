package alarm_test

import (
	"fmt"
	"reflect"
	"testing"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// The rules that use a channel, the newest first, without those of other tenants.
func TestUsageByChannel(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	mine, theirs := s.Device(t, field.ID, station, "A"), s.Device(t, rival.ID, station, "B")
	many, one, unused := s.Channel(t, field.ID, "Many").ID, s.Channel(t, field.ID, "One").ID,
		s.Channel(t, field.ID, "Unused").ID
	foreign := s.Channel(t, rival.ID, "Foreign").ID
	for i := range 7 {
		rule := newFullRule(t, s, mine)
		rule.Name, rule.Channels = fmt.Sprint("Rule ", i), []int64{many}
		if i == 3 {
			rule.Channels = []int64{many, one}
		}
		if _, err := s.Rules.Create(t.Context(), field.ID, &rule); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(1)
	}
	rule := newFullRule(t, s, theirs)
	rule.Name, rule.Channels = "Theirs", []int64{foreign}
	if _, err := s.Rules.Create(t.Context(), rival.ID, &rule); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		channels []int64
		names    int
		want     map[int64]alarm.RuleUsage
	}{
		{[]int64{many, one, unused, foreign, 999}, 3, map[int64]alarm.RuleUsage{
			many: {Count: 7, Names: []string{"Rule 6", "Rule 5", "Rule 4"}}, one: {Count: 1, Names: []string{"Rule 3"}},
		}},
		{[]int64{many}, 1, map[int64]alarm.RuleUsage{many: {Count: 7, Names: []string{"Rule 6"}}}},
		{[]int64{unused, foreign}, 3, map[int64]alarm.RuleUsage{}},
		{nil, 3, nil},
	} {
		if got, err := s.Rules.UsageByChannel(t.Context(), field.ID, c.channels, c.names); err != nil ||
			!reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %+v (%v), want %+v", c.channels, got, err, c.want)
		}
	}
}

// Running rules all of whose channels are given count, and the most serious is named. Rules without
// a channel, stopped ones and those of other tenants do not.
func TestRunningOnlyOn(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	mine, theirs := s.Device(t, field.ID, station, "A"), s.Device(t, rival.ID, station, "B")
	deaf, mute, good := s.Channel(t, field.ID, "Deaf").ID, s.Channel(t, field.ID, "Mute").ID,
		s.Channel(t, field.ID, "Good").ID
	foreign := s.Channel(t, rival.ID, "Foreign").ID
	create := func(d *device.Device, name string, level alarm.Level, run bool, channels ...int64) {
		t.Helper()
		rule := newFullRule(t, s, d)
		rule.Name, rule.Level, rule.Channels = name, level, channels
		id, err := s.Rules.Create(t.Context(), d.Tenant, &rule)
		if err == nil && run {
			err = s.Rules.Publish(t.Context(), d.Tenant, id, "ada")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	create(mine, "General", alarm.LevelGeneral, true, deaf)
	create(mine, "Serious", alarm.LevelSerious, true, deaf, mute)
	create(mine, "Later", alarm.LevelSerious, true, mute)
	create(mine, "Heard", alarm.LevelSerious, true, deaf, good)
	create(mine, "Stopped", alarm.LevelSerious, false, deaf)
	create(mine, "Recorded", alarm.LevelSerious, true)
	create(theirs, "Theirs", alarm.LevelSerious, true, foreign)
	for _, c := range []struct {
		channels []int64
		count    int
		name     string
	}{
		{[]int64{deaf, mute, foreign}, 3, "Serious"},
		{[]int64{deaf}, 1, "General"},
		{[]int64{mute}, 1, "Later"},
		{[]int64{foreign}, 0, ""},
		{nil, 0, ""},
	} {
		if count, name, err := s.Rules.RunningOnlyOn(t.Context(), field.ID, c.channels); err != nil ||
			count != c.count || name != c.name {
			t.Errorf("%v: %d %q (%v), want %+v", c.channels, count, name, err, c)
		}
	}
}

// A channel that is deleted between the check of a rule and its storing is refused as the check
// would have refused it, and nothing is stored.
func TestSaveRuleWithDeletedChannel(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	rule := newFullRule(t, s, s.Device(t, field.ID, s.Station(t), "A"))
	id, err := s.Rules.Create(t.Context(), field.ID, &rule)
	if err != nil {
		t.Fatal(err)
	}
	rule.ID = id
	before := kept(t, s, field.ID, id)
	for _, gone := range []int64{999, s.Channel(t, rival.ID, "Theirs").ID} {
		next := rule
		next.Name, next.Channels = "next", []int64{rule.Channels[0], gone}
		_, created := s.Rules.Create(t.Context(), field.ID, &next)
		_, copied := s.Rules.Copy(t.Context(), field.ID, &next, []device.ID{next.Device})
		for _, err := range []error{created, copied, s.Rules.Update(t.Context(), field.ID, &next)} {
			if e := errs.As(err); e.Kind != errs.Refused || e.Key != "rule.channelMissing" ||
				e.Field != "passageway" || e.Args["id"] != fmt.Sprint(gone) {
				t.Errorf("%v %v", err, e.Args)
			}
		}
	}
	if after := kept(t, s, field.ID, id); !reflect.DeepEqual(after, before) {
		t.Errorf("%+v\nwas %+v", after, before)
	}
	if n := count(t, s, "alarm_rules"); n != 1 {
		t.Errorf("%d rules", n)
	}
}
