package alarm_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// form is a valid form of a rule on WS-1; with changes it.
func form(with ...func(*alarm.Form)) *alarm.Form {
	f := &alarm.Form{
		Name: new("Frost"), Source: new(1), Device: new("WS-1"), Trigger: new(0), Level: new(2), ManualRelease: new(1),
		Conditions: []alarm.FormCondition{comparison("and", "airTemperature", "<", reading.Number(2))},
	}
	for _, change := range with {
		change(f)
	}
	return f
}

func comparison(join, attribute, operator string, v reading.Value) alarm.FormCondition {
	return alarm.FormCondition{Join: &join, Attribute: &attribute, Operator: &operator, Value: &v}
}

// withConditions sets the form's conditions.
func withConditions(list ...alarm.FormCondition) func(*alarm.Form) {
	return func(f *alarm.Form) { f.Conditions = list }
}

func withRecoveryValue(c alarm.FormCondition, at float64) alarm.FormCondition {
	c.Recovery = &at
	return c
}

// missingChannels is a lookup that knows channels 1 to 25.
func missingChannels(_ context.Context, _ tenant.ID, ids []int64) (missing []int64, err error) {
	for _, id := range ids {
		if id < 1 || id > 25 {
			missing = append(missing, id)
		}
	}
	return missing, nil
}

func checker(t *testing.T) (*testkit.Stores, *testkit.Tenant, *alarm.Checker) {
	t.Helper()
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	s.Device(t, field.ID, station, "WS-1")
	s.Device(t, rival.ID, station, "theirs")
	return s, field, alarm.NewChecker(s.Devices, s.Scenes, s.Catalog, missingChannels)
}

// A filled-in form becomes a rule, with defaults for missing fields.
func TestCheckedRule(t *testing.T) {
	s, field, c := checker(t)
	ws, err := s.Devices.Get(t.Context(), field.ID, "WS-1")
	if err != nil {
		t.Fatal(err)
	}
	rule := func(with func(*alarm.Rule)) alarm.Rule {
		r := alarm.Rule{
			Tenant:        field.ID,
			Name:          "Frost",
			Device:        ws.ID,
			Hits:          1,
			Window:        time.Minute,
			Level:         alarm.LevelSerious,
			ManualRelease: true,
			Conditions: []alarm.Condition{
				{Join: "and", Attribute: "airTemperature", Operator: comparator.Below, Value: reading.Number(2)},
			},
		}
		with(&r)
		return r
	}
	conditions := func(list ...alarm.Condition) func(*alarm.Rule) {
		return func(r *alarm.Rule) { r.Conditions = list }
	}
	long := strings.Repeat("ğ", 64)
	for name, tc := range map[string]struct {
		form func(*alarm.Form)
		want func(*alarm.Rule)
	}{
		"the minimum": {func(*alarm.Form) {}, func(*alarm.Rule) {}},
		"trimmed": {func(f *alarm.Form) {
			f.Name, f.Device, f.Description = new(" "+long+"\t"), new(" WS-1 "), new(" a\nb ")
		}, func(r *alarm.Rule) { r.Name, r.Description = long, "a\nb" }},
		"counts":        {func(f *alarm.Form) { f.Hits, f.Window = new(10), new(int64(1_800_000)) }, func(r *alarm.Rule) { r.Hits, r.Window = 10, 30*time.Minute }},
		"level 0":       {func(f *alarm.Form) { f.Level, f.ManualRelease = new(0), new(0) }, func(r *alarm.Rule) { r.Level, r.ManualRelease = alarm.LevelGeneral, false }},
		"channels":      {func(f *alarm.Form) { f.Channels = []int64{3, 1, 3} }, func(r *alarm.Rule) { r.Channels = []int64{1, 3} }},
		"the whole day": {func(f *alarm.Form) { f.Start, f.End = new("00:00"), new("24:00") }, func(r *alarm.Rule) { r.Period = alertmsg.Period{End: 1440} }},
		"a reminder":    {func(f *alarm.Form) { f.RemindEvery = new(5) }, func(r *alarm.Rule) { r.RemindEvery = 5 * time.Minute }},
		"a daily one":   {func(f *alarm.Form) { f.RemindEvery = new(1440) }, func(r *alarm.Rule) { r.RemindEvery = 24 * time.Hour }},
		"no reminder":   {func(f *alarm.Form) { f.RemindEvery = new(0) }, func(*alarm.Rule) {}},
		"a period":      {func(f *alarm.Form) { f.Complex, f.Start, f.End = new(0), new("06:15"), new(" 06:30 ") }, func(r *alarm.Rule) { r.Period = alertmsg.Period{Start: 375, End: 390} }},
		"no period":     {func(f *alarm.Form) { f.Start, f.End, f.Slots = new(""), new(" "), []int{1} }, func(*alarm.Rule) {}},
		"half hours":    {func(f *alarm.Form) { f.Complex, f.Slots, f.Start = new(1), []int{0, 47}, new("x") }, func(r *alarm.Rule) { r.Period.Slots = []int{0, 47} }},
		"half hours on days": {func(f *alarm.Form) { f.Complex, f.Slots, f.Weekdays = new(1), []int{0}, []int{7, 1} }, func(r *alarm.Rule) {
			r.Period = alertmsg.Period{Slots: []int{0}, Weekdays: []int{1, 7}}
		}},
		"days alone": {func(f *alarm.Form) { f.Weekdays = []int{5, 4, 3, 2, 1} }, func(r *alarm.Rule) { r.Period.Weekdays = []int{1, 2, 3, 4, 5} }},
		"all days":   {func(f *alarm.Form) { f.Weekdays = []int{7, 1, 2, 3, 4, 5, 6} }, func(*alarm.Rule) {}},
		"no days":    {func(f *alarm.Form) { f.Weekdays = []int{} }, func(*alarm.Rule) {}},
		"offline, no condition": {func(f *alarm.Form) { f.Trigger, f.Conditions, f.Hits = new(1), nil, new(99) }, func(r *alarm.Rule) {
			r.Trigger, r.Conditions = alarm.DeviceOffline, nil
		}},
		"offline as the form says it": {func(f *alarm.Form) {
			f.Trigger, f.Conditions = new(1),
				[]alarm.FormCondition{comparison("and", "onlineState", "=", reading.Number(0))}
		}, func(r *alarm.Rule) { r.Trigger, r.Conditions = alarm.DeviceOffline, nil }},
		"numbers as texts": {withConditions(comparison("", "airTemperature", ">=", reading.Text(" 2.50 ")), withRecoveryValue(comparison("or", "rain", "<", reading.Text("1e-3")), 0.002)), conditions(
			alarm.Condition{Join: "and", Attribute: "airTemperature", Operator: comparator.AtLeast, Value: reading.Number(2.5)},
			alarm.Condition{Join: "or", Attribute: "rain", Operator: comparator.Below, Value: reading.Number(0.001), Recovery: new(0.002)},
		)},
		"the first one's join": {withConditions(comparison("or", " rain ", "!=", reading.Number(-0.5))), conditions(
			alarm.Condition{Join: "and", Attribute: "rain", Operator: comparator.NotEqual, Value: reading.Number(-0.5)},
		)},
		"booleans": {withConditions(comparison("and", "heating", "=", reading.Boolean(false)), comparison("and", "heating", "!=", reading.Text("true")), comparison("or", "heating", "=", reading.Number(1)), comparison("or", "heating", "=", reading.Text("0"))), conditions(
			alarm.Condition{Join: "and", Attribute: "heating", Operator: comparator.Equal, Value: reading.Boolean(false)},
			alarm.Condition{Join: "and", Attribute: "heating", Operator: comparator.NotEqual, Value: reading.Boolean(true)},
			alarm.Condition{Join: "or", Attribute: "heating", Operator: comparator.Equal, Value: reading.Boolean(true)},
			alarm.Condition{Join: "or", Attribute: "heating", Operator: comparator.Equal, Value: reading.Boolean(false)},
		)},
		"texts": {withConditions(comparison("and", "note", "=", reading.Text("12"))), conditions(
			alarm.Condition{Join: "and", Attribute: "note", Operator: comparator.Equal, Value: reading.Text("12")},
		)},
		"recovery": {withConditions(withRecoveryValue(comparison("and", "airTemperature", ">", reading.Number(30)), 28.5), withRecoveryValue(comparison("or", "airTemperature", "<=", reading.Number(2)), 2)), conditions(
			alarm.Condition{Join: "and", Attribute: "airTemperature", Operator: comparator.Above, Value: reading.Number(30), Recovery: new(28.5)},
			alarm.Condition{Join: "or", Attribute: "airTemperature", Operator: comparator.AtMost, Value: reading.Number(2), Recovery: new(2.0)},
		)},
	} {
		got, err := c.Rule(t.Context(), field.ID, form(tc.form))
		if want := withDeviceTarget(rule(tc.want)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v (%v)\nwant %+v", name, got, err, want)
		}
	}
}

// refusal is a form and its expected error.
type refusal struct {
	name  string
	form  func(*alarm.Form)
	key   string
	field string
	args  map[string]string
}

func TestRefusedForms(t *testing.T) {
	_, field, c := checker(t)
	many := make([]alarm.FormCondition, 17)
	for i := range many {
		many[i] = comparison("and", "rain", ">", reading.Number(1))
	}
	limit := func(s string) map[string]string { return map[string]string{"limit": s} }
	n := func(n string, more ...string) map[string]string {
		m := map[string]string{"n": n}
		for i := 0; i < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	good := comparison("and", "rain", ">", reading.Number(1))
	period := func(complex int, start, end string, slots ...int) func(*alarm.Form) {
		return func(f *alarm.Form) { f.Complex, f.Start, f.End, f.Slots = &complex, &start, &end, slots }
	}
	days := func(days ...int) func(*alarm.Form) { return func(f *alarm.Form) { f.Weekdays = days } }
	for _, r := range []refusal{
		{"no name", func(f *alarm.Form) { f.Name = nil }, "rule.nameRequired", "", nil},
		{"a blank name", func(f *alarm.Form) { f.Name = new(" \t") }, "rule.nameRequired", "", nil},
		{"65 characters", func(f *alarm.Form) { f.Name = new(strings.Repeat("ğ", 65)) }, "invalid.long", "alarmName", limit("64")},
		{"a line break", func(f *alarm.Form) { f.Name = new("a\nb") }, "invalid.format", "alarmName", nil},
		{"nothing to be seen", func(f *alarm.Form) { f.Name = new("\u2060") }, "rule.nameRequired", "", nil},
		{"turned around", func(f *alarm.Form) { f.Name = new("a\u202eb") }, "invalid.format", "alarmName", nil},
		{"no source", func(f *alarm.Form) { f.Source = nil }, "rule.sourceRequired", "", nil},
		{"source 2", func(f *alarm.Form) { f.Source = new(2) }, "invalid.choice", "dataSource", nil},
		{"no device", func(f *alarm.Form) { f.Device = nil }, "rule.deviceRequired", "", nil},
		{"a blank device", func(f *alarm.Form) { f.Device = new(" ") }, "rule.deviceRequired", "", nil},
		{"NUL", func(f *alarm.Form) { f.Device = new("a\x00") }, "invalid.format", "device", nil},
		{"no such device", func(f *alarm.Form) { f.Device = new("none") }, "error.404", "device", nil},
		{"another tenant's", func(f *alarm.Form) { f.Device = new("theirs") }, "error.404", "device", nil},
		{"no trigger", func(f *alarm.Form) { f.Trigger = nil }, "rule.triggerRequired", "", nil},
		{"trigger 2", func(f *alarm.Form) { f.Trigger = new(2) }, "invalid.choice", "triggerType", nil},
		{"no level", func(f *alarm.Form) { f.Level = nil }, "rule.levelRequired", "", nil},
		{"level 3", func(f *alarm.Form) { f.Level = new(3) }, "invalid.choice", "alarmLevel", nil},
		{"level -1", func(f *alarm.Form) { f.Level = new(-1) }, "invalid.choice", "alarmLevel", nil},
		{"no release", func(f *alarm.Form) { f.ManualRelease = nil }, "rule.releaseRequired", "", nil},
		{"release 2", func(f *alarm.Form) { f.ManualRelease = new(2) }, "invalid.choice", "manualRelease", nil},
		{"no conditions", withConditions(), "rule.conditionsRequired", "", nil},
		{"17 conditions", withConditions(many...), "invalid.many", "conditions", limit("16")},
		{"no join", withConditions(good, alarm.FormCondition{}), "rule.join", "", n("2")},
		{"another join", withConditions(good, comparison("xor", "rain", ">", reading.Number(1))), "rule.join", "", n("2")},
		{"no attribute", withConditions(alarm.FormCondition{}), "rule.attributeRequired", "", n("1")},
		{"an unknown one", withConditions(good, good, comparison("or", "wind", ">", reading.Number(1))), "rule.attributeUnknown", "", n("3", "value", "wind")},
		{"being offline among readings", withConditions(comparison("and", "onlineState", "=", reading.Number(0))), "rule.attributeUnknown", "", n("1", "value", "onlineState")},
		{"no operator", withConditions(alarm.FormCondition{Attribute: new("rain")}), "rule.operator", "", n("1")},
		{"another operator", withConditions(comparison("and", "rain", "==", reading.Number(1))), "rule.operator", "", n("1")},
		{"a larger boolean", withConditions(comparison("and", "heating", ">", reading.Boolean(true))), "rule.operatorType", "", n("1")},
		{"a larger text", withConditions(comparison("and", "note", "<=", reading.Text("a"))), "rule.operatorType", "", n("1")},
		{"no value", withConditions(alarm.FormCondition{Attribute: new("rain"), Operator: new(">")}), "rule.valueRequired", "", n("1")},
		{"null", withConditions(comparison("and", "rain", ">", reading.Value{})), "rule.valueRequired", "", n("1")},
		{"a blank value", withConditions(comparison("and", "note", "=", reading.Text(" "))), "rule.valueRequired", "", n("1")},
		{"a word for a number", withConditions(comparison("and", "rain", ">", reading.Text("wet"))), "rule.valueNumber", "", n("1")},
		{"a hexadecimal one", withConditions(comparison("and", "rain", ">", reading.Text("0x1p3"))), "rule.valueNumber", "", n("1")},
		{"an infinite one", withConditions(comparison("and", "rain", ">", reading.Text("Inf"))), "rule.valueNumber", "", n("1")},
		{"too large a one", withConditions(comparison("and", "rain", ">", reading.Text("1e999"))), "rule.valueNumber", "", n("1")},
		{"yes for a number", withConditions(comparison("and", "rain", ">", reading.Boolean(true))), "rule.valueNumber", "", n("1")},
		{"a word for a boolean", withConditions(comparison("and", "heating", "=", reading.Text("on"))), "rule.valueBoolean", "", n("1")},
		{"2 for a boolean", withConditions(comparison("and", "heating", "=", reading.Number(2))), "rule.valueBoolean", "", n("1")},
		{"a number for a text", withConditions(comparison("and", "note", "=", reading.Number(2))), "rule.valueText", "", n("1", "limit", "1024")},
		{"too long a text", withConditions(comparison("and", "note", "=", reading.Text(strings.Repeat("ş", 1025)))), "rule.valueText", "", n("1", "limit", "1024")},
		{"NUL in a text", withConditions(comparison("and", "note", "=", reading.Text("a\x00"))), "rule.valueText", "", n("1", "limit", "1024")},
		{"two decimals", withConditions(good, comparison("and", "airTemperature", ">", reading.Number(2.25))), "rule.decimals", "", n("2", "limit", "1")},
		{"two decimals in a text", withConditions(comparison("and", "airTemperature", ">", reading.Text("-0.05"))), "rule.decimals", "", n("1", "limit", "1")},
		{"two decimals to recover", withConditions(withRecoveryValue(comparison("and", "airTemperature", ">", reading.Number(2)), 1.75)), "rule.decimals", "", n("1", "limit", "1")},
		{"recovery of =", withConditions(withRecoveryValue(comparison("and", "rain", "=", reading.Number(2)), 1)), "rule.recoveryNone", "", n("1")},
		{"recovery of a boolean", withConditions(withRecoveryValue(comparison("and", "heating", "!=", reading.Boolean(true)), 1)), "rule.recoveryNone", "", n("1")},
		{"recovery above >", withConditions(withRecoveryValue(comparison("and", "rain", ">", reading.Number(2)), 2.1)), "rule.recoveryAbove", "", n("1")},
		{"recovery above >=", withConditions(withRecoveryValue(comparison("and", "rain", ">=", reading.Number(-2)), -1)), "rule.recoveryAbove", "", n("1")},
		{"recovery below <", withConditions(good, withRecoveryValue(comparison("or", "rain", "<", reading.Number(2)), 1.9)), "rule.recoveryBelow", "", n("2")},
		{"recovery below <=", withConditions(withRecoveryValue(comparison("or", "rain", "<=", reading.Number(2)), -2)), "rule.recoveryBelow", "", n("1")},
		{"offline and something", func(f *alarm.Form) { f.Trigger = new(1) }, "rule.offlineOnly", "conditions", nil},
		{"offline twice", func(f *alarm.Form) {
			off := comparison("and", "onlineState", "=", reading.Number(0))
			f.Trigger, f.Conditions = new(1), []alarm.FormCondition{off, off}
		}, "rule.offlineOnly", "conditions", nil},
		{"online", func(f *alarm.Form) {
			f.Trigger, f.Conditions = new(1),
				[]alarm.FormCondition{comparison("and", "onlineState", "=", reading.Number(1))}
		}, "rule.offlineOnly", "conditions", nil},
		{"no hit", func(f *alarm.Form) { f.Hits = new(0) }, "invalid.min", "hitCounts", limit("1")},
		{"11 hits", func(f *alarm.Form) { f.Hits = new(11) }, "invalid.max", "hitCounts", limit("10")},
		{"two minutes", func(f *alarm.Form) { f.Window = new(int64(120_000)) }, "invalid.choice", "durations", nil},
		{"another kind of period", period(2, "", ""), "invalid.choice", "complexTime", nil},
		{"no end", period(0, "06:00", ""), "invalid.required", "endTime", nil},
		{"no start", period(0, "", "06:00"), "invalid.required", "startTime", nil},
		{"a start after the end", period(0, "06:15", "06:00"), "rule.timeOrder", "", nil},
		{"a start at the end", period(0, "06:00", "06:00"), "rule.timeNone", "", nil},
		{"ten past", period(0, "06:10", "07:00"), "rule.timeStep", "startTime", nil},
		{"after the day", period(0, "06:00", "24:15"), "rule.timeStep", "endTime", nil},
		{"no time", period(0, "6:00", "07:00"), "rule.timeStep", "startTime", nil},
		{"no half hours", period(1, "06:00", "07:00"), "invalid.few", "timePeriods", limit("1")},
		{"half hour 48", period(1, "", "", 47, 48), "rule.slots", "timePeriods", nil},
		{"half hour -1", period(1, "", "", -1), "rule.slots", "timePeriods", nil},
		{"a half hour twice", period(1, "", "", 3, 3), "rule.slots", "timePeriods", nil},
		{"half hours back and forth", period(1, "", "", 4, 3), "rule.slots", "timePeriods", nil},
		{"day 0", days(0), "rule.weekdays", "weekdays", nil},
		{"day 8", days(1, 8), "rule.weekdays", "weekdays", nil},
		{"day -1", days(-1), "rule.weekdays", "weekdays", nil},
		{"a day twice", days(6, 7, 6), "rule.weekdays", "weekdays", nil},
		{"all days and one twice", days(1, 2, 3, 4, 5, 6, 7, 7), "rule.weekdays", "weekdays", nil},
		{"an unknown channel", func(f *alarm.Form) { f.Channels = []int64{1, 99, 26} }, "rule.channelMissing", "passageway", map[string]string{"id": "26"}},
		{"21 channels", func(f *alarm.Form) {
			for id := range int64(21) {
				f.Channels = append(f.Channels, 25-id)
			}
		}, "invalid.many", "passageway", limit("20")},
		{"reminders every 4 minutes", func(f *alarm.Form) { f.RemindEvery = new(4) }, "invalid.min", "remindEvery", limit("5")},
		{"reminders backwards", func(f *alarm.Form) { f.RemindEvery = new(-5) }, "invalid.min", "remindEvery", limit("5")},
		{"reminders after a day", func(f *alarm.Form) { f.RemindEvery = new(1441) }, "invalid.max", "remindEvery", limit("1440")},
		{"reminders never", func(f *alarm.Form) { f.RemindEvery = new(math.MaxInt) }, "invalid.max", "remindEvery", limit("1440")},
		{"a long description", func(f *alarm.Form) { f.Description = new(strings.Repeat("ü", 501)) }, "invalid.long", "alarmDesc", limit("500")},
		{"NUL in the description", func(f *alarm.Form) { f.Description = new("a\x00") }, "invalid.format", "alarmDesc", nil},
	} {
		got, err := c.Rule(t.Context(), field.ID, form(r.form))
		e := errs.As(err)
		kind := errs.Refused
		if r.key == "error.404" {
			kind = errs.NotFound
		}
		if e.Kind != kind || e.Key != r.key || e.Field != r.field ||
			len(e.Args)+len(r.args) > 0 && !maps.Equal(e.Args, r.args) {
			t.Errorf("%s: %v %v, want %s %s %v (made %+v)", r.name, err, e.Args, r.field, r.key, r.args, got)
		}
	}
}

// Of several errors, the first in the order of the form is reported.
func TestFirstFault(t *testing.T) {
	_, field, c := checker(t)
	f := &alarm.Form{}
	for _, step := range []struct {
		key  string
		mend func()
	}{
		{"rule.nameRequired", func() { f.Name = new("Frost") }},
		{"rule.sourceRequired", func() { f.Source = new(1) }},
		{"rule.deviceRequired", func() { f.Device = new("WS-1") }},
		{"rule.triggerRequired", func() { f.Trigger = new(0) }},
		{"rule.levelRequired", func() { f.Level = new(0) }},
		{"rule.conditionsRequired", func() { f.Conditions, f.Hits = form().Conditions, new(0) }},
		{"invalid.min", func() { f.Hits, f.Window = new(1), new(int64(5)) }},
		{"invalid.choice", func() { f.Window, f.Start, f.End, f.Channels = nil, new("24:00"), new("00:00"), []int64{99} }},
		{"rule.timeOrder", func() { f.Start, f.End = nil, nil }},
		{"rule.channelMissing", func() { f.Channels, f.RemindEvery = nil, new(1) }},
		{"invalid.min", func() { f.RemindEvery, f.Description = nil, new("\x01") }},
		{"invalid.format", func() { f.Description = nil }},
		{"rule.releaseRequired", func() { f.ManualRelease = new(0) }},
	} {
		if _, err := c.Rule(t.Context(), field.ID, f); errs.As(err).Key != step.key {
			t.Errorf("%v, want %s", err, step.key)
		}
		step.mend()
	}
	if _, err := c.Rule(t.Context(), field.ID, f); err != nil {
		t.Error(err)
	}
}

// A rehearsal needs only the fields that determine when there is a notice.
func TestFirstDeviceRule(t *testing.T) {
	_, field, c := checker(t)
	f := form(func(f *alarm.Form) {
		f.Name, f.Source, f.Level, f.ManualRelease, f.Channels = nil, nil, nil, nil, []int64{99}
	})
	on, err := c.FirstDeviceRule(t.Context(), field.ID, f)
	r, d, p := on.Rule, on.TargetDevice, on.Product
	if err != nil || d.Name != "WS-1" || p.Name != "weather-station" || len(r.Conditions) != 1 || r.Hits != 1 ||
		r.Device != d.ID || r.Tenant != field.ID {
		t.Errorf("%+v %v %v %v", r, d, p, err)
	}
	for key, change := range map[string]func(*alarm.Form){
		"rule.deviceRequired":     func(f *alarm.Form) { f.Device = nil },
		"rule.triggerRequired":    func(f *alarm.Form) { f.Trigger = nil },
		"rule.conditionsRequired": withConditions(),
		"rule.timeOrder":          func(f *alarm.Form) { f.Start, f.End = new("02:00"), new("01:00") },
	} {
		if _, err := c.FirstDeviceRule(t.Context(), field.ID, form(change)); errs.As(err).Key != key {
			t.Errorf("%v, want %s", err, key)
		}
	}
}

// A failed lookup is an error, never an accepted rule.
func TestCheckFaults(t *testing.T) {
	s, field, c := checker(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Rule(gone, field.ID, form()); !errs.Is(err, errs.Internal) {
		t.Errorf("%v", err)
	}
	broken := alarm.NewChecker(s.Devices, s.Scenes, s.Catalog,
		func(context.Context, tenant.ID, []int64) ([]int64, error) { return nil, errors.New("no") })
	if _, err := broken.Rule(t.Context(), field.ID,
		form(func(f *alarm.Form) { f.Channels = []int64{1} })); !errs.Is(err, errs.Internal) {
		t.Errorf("%v", err)
	}
}

func TestCopyTargets(t *testing.T) {
	s, field, c := checker(t)
	station := s.Catalog.ProductByName("weather-station")
	s.Device(t, field.ID, station, "WS-2")
	other := func(name string, properties ...device.Property) {
		p := &device.Product{Name: name, Properties: properties}
		if err := s.Catalog.PutProduct(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		s.Reload(t)
		s.Device(t, field.ID, s.Catalog.ProductByName(name), name,
			func(d *device.Device) { d.NoteName = "The " + name })
	}
	other("lacks", device.Property{Identifier: "rain", DataType: device.Number})
	other("text", device.Property{Identifier: "airTemperature", DataType: device.Text})
	other("coarse", device.Property{Identifier: "airTemperature", DataType: device.Number, Precision: new(0)})
	other("fine", device.Property{Identifier: "airTemperature", DataType: device.Number})
	rule, err := c.Rule(t.Context(), field.ID,
		form(withConditions(withRecoveryValue(comparison("and", "airTemperature", "<", reading.Number(2)), 2.5))))
	if err != nil {
		t.Fatal(err)
	}
	if ids, err := c.CopyTargets(t.Context(), field.ID, &rule, []string{" fine", "WS-2", "WS-1"}); err != nil ||
		len(ids) != 3 || ids[2] != rule.Device {
		t.Errorf("%v %v", ids, err)
	}
	for _, tc := range []struct {
		names            []string
		key, said, value string
	}{
		{nil, "rule.deviceRequired", "", ""},
		{make([]string, 401), "invalid.many", "", ""},
		{[]string{"WS-2", "none"}, "invalid.unknown", "", "none"},
		{[]string{"theirs"}, "invalid.unknown", "", "theirs"},
		{[]string{"a\x00"}, "invalid.format", "", ""},
		{[]string{"WS-2", "WS-2"}, "rule.copyTwice", "WS-2", ""},
		{[]string{"WS-2", "lacks"}, "rule.copyMisfit", "The lacks", "airTemperature"},
		{[]string{"lacks", "text", "WS-2", "WS-2"}, "rule.copyTwice", "WS-2", ""},
		{[]string{"text"}, "rule.copyMisfit", "The text", "airTemperature"},
		{[]string{"coarse"}, "rule.copyMisfit", "The coarse", "airTemperature"},
	} {
		_, err := c.CopyTargets(t.Context(), field.ID, &rule, tc.names)
		if e := errs.As(err); e.Kind != errs.Refused || e.Key != tc.key || e.Args["device"] != tc.said ||
			e.Args["value"] != tc.value {
			t.Errorf("%.20v: %v %v, want %+v", tc.names, err, e.Args, tc)
		}
	}
	// All devices that do not fit are named at once, up to ten.
	_, err = c.CopyTargets(t.Context(), field.ID, &rule, []string{"text", "WS-2", "lacks"})
	if e := errs.As(err); e.Kind != errs.Refused || e.Key != "rule.copyMisfits" ||
		e.Args["devices"] != "The text · The lacks" {
		t.Errorf("%v %v", err, e.Args)
	}
	var many []string
	lacks := s.Catalog.ProductByName("lacks")
	for n := range 12 {
		many = append(many, fmt.Sprint("M-", n))
		s.Device(t, field.ID, lacks, many[n])
	}
	_, err = c.CopyTargets(t.Context(), field.ID, &rule, many)
	if e := errs.As(err); e.Key != "rule.copyMisfits" || !strings.HasSuffix(e.Args["devices"], " · M-9 · … (+2)") {
		t.Errorf("%v %v", err, e.Args)
	}
}

// withDeviceTarget is a rule with its device as its target.
func withDeviceTarget(r alarm.Rule) alarm.Rule {
	r.Targets = alarm.Targets{Devices: []device.ID{r.Device}}
	return r
}
