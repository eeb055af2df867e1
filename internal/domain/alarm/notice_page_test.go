package alarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func TestNoticePage(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	a := s.Device(t, field.ID, station, "A", func(d *device.Device) { d.NoteName = "Mast" })
	b := s.Device(t, field.ID, station, "B")
	theirs := s.Device(t, rival.ID, station, "theirs")
	now := s.Clock.Milli()
	for i, n := range []testkit.Notice{
		{Device: theirs, Title: "İlk don", Start: now},
		{Device: a, Title: "İlk Don", Level: alarm.LevelSerious, Status: alarm.Pending, Start: now - 5*hour},
		{Device: b, Title: "Işık 50%", Level: alarm.LevelGeneral, Status: alarm.ResolvedAutomatically, Start: now - 9*hour, End: now - 8*hour},
		{Device: a, Title: "ilk yağmur", Level: alarm.LevelImportant, Status: alarm.ResolvedManually, Start: now - 7*hour, End: now},
	} {
		n.CreateTime = now + int64(i/2) // the field's first two in the same millisecond: the greater id comes first
		s.Notice(t, n)
	}
	for i, c := range []struct {
		q     alarm.NoticeQuery
		want  string
		total int64
	}{
		{alarm.NoticeQuery{Limit: 10}, "ilk yağmur, Işık 50%, İlk Don", 3},
		{alarm.NoticeQuery{Limit: 1, Offset: 1}, "Işık 50%", 3},
		{alarm.NoticeQuery{Limit: 10, Offset: 3}, "", 3},
		{alarm.NoticeQuery{Limit: 10, Title: "İLK"}, "ilk yağmur, İlk Don", 2},
		{alarm.NoticeQuery{Limit: 10, Title: "%"}, "Işık 50%", 1},
		{alarm.NoticeQuery{Limit: 10, Devices: []string{"A", "theirs"}}, "ilk yağmur, İlk Don", 2},
		{alarm.NoticeQuery{Limit: 10, Devices: []string{"theirs"}}, "", 0},
		{alarm.NoticeQuery{Limit: 10, Status: new(alarm.Pending)}, "İlk Don", 1},
		{alarm.NoticeQuery{Limit: 10, Status: new(alarm.ResolvedManually)}, "ilk yağmur", 1},
		{alarm.NoticeQuery{Limit: 10, Level: new(alarm.LevelGeneral)}, "Işık 50%", 1},
		{alarm.NoticeQuery{Limit: 10, From: new(now - 7*hour)}, "ilk yağmur, İlk Don", 2},
		{alarm.NoticeQuery{Limit: 10, To: new(now - 7*hour)}, "ilk yağmur, Işık 50%", 2},
		{alarm.NoticeQuery{Limit: 10, From: new(now - 7*hour), To: new(now - 5*hour - 1)}, "ilk yağmur", 1},
	} {
		list, total, err := s.Notices.Page(t.Context(), field.ID, c.q)
		if got := titles(list); err != nil || got != c.want || total != c.total {
			t.Errorf("%d: %q %d (%v), want %q %d", i, got, total, err, c.want, c.total)
		}
	}
	list, err := s.Notices.Newest(t.Context(), field.ID)
	if err != nil || titles(list) != "ilk yağmur, Işık 50%, İlk Don" {
		t.Errorf("%v %v", list, err)
	}
	want := alarm.Notice{
		ID:         list[0].ID,
		Rule:       list[0].Rule,
		Title:      "ilk yağmur",
		Status:     alarm.ResolvedManually,
		Level:      alarm.LevelImportant,
		DeviceName: "A",
		NoteName:   "Mast",
		Start:      now - 7*hour,
		End:        now,
		CreateTime: now + 1,
	}
	if list[0] != want || want.Rule == 0 {
		t.Errorf("%+v\nwant %+v", list[0], want)
	}
}

func titles(list []alarm.Notice) string {
	var all []string
	for _, n := range list {
		all = append(all, n.Title)
	}
	return strings.Join(all, ", ")
}

func TestNewestNotices(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	d := s.Device(t, field.ID, s.Station(t), "A")
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`WITH RECURSIVE k (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < 403)
			INSERT INTO notices (tenant_id, rule_id, rule_revision, device_id, device_name, title,
				folded_title, alarm_level, start_time, create_time)
			SELECT ?, n, 1, ?, 'A', 'N' || n, 'n' || n, 0, n, n FROM k`, field.ID, d.ID).Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Notices.Newest(t.Context(), field.ID)
	if err != nil || len(list) != 400 || list[0].Title != "N403" || list[399].Title != "N4" {
		t.Errorf("%d %v", len(list), err)
	}
}

// A notice keeps its rule and its device's names as they were, whatever becomes of them.
func TestNoticeDetail(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	d := s.Device(t, field.ID, s.Station(t), "A", func(d *device.Device) { d.NoteName = "Mast" })
	rule := newFullRule(t, s, d)
	was := alarm.NewRuleCopy(&rule, "Mast", d.ProductID,
		[]alarm.AttributeCopy{{Identifier: "airTemperature", FunctionName: "Air temp.", Unit: "°C",
			Precision: new(1)}})
	samples := []alarm.NoticeSample{{Time: 5,
		Values: map[string]reading.Value{"airTemperature": reading.Number(1.5), "heating": reading.Boolean(false),
			"note": reading.Text("a")}}}
	points := alarm.Chart{"airTemperature": {{Time: 1, Value: reading.Number(2)},
		{Time: 5, Value: reading.Number(1.5)}}}
	id := s.Notice(t, testkit.Notice{
		Device:     d,
		Rule:       8,
		Revision:   3,
		Level:      alarm.LevelSerious,
		Status:     alarm.ResolvedManually,
		Start:      5,
		End:        9,
		CreateTime: 6,
		RuleJSON:   text(t, was),
	})
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(
			`UPDATE notices SET alarm_desc = 'why', samples = ?, resolve_reason = 'byHand', resolve_user = 'Ada', remark = 'seen', kept = ? WHERE id = ?`,
			text(t, samples),
			text(t, points),
			id,
		).Exec(
			ctx,
		)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &alarm.Detail{
		Notice: alarm.Notice{
			ID:         id,
			Rule:       8,
			Title:      "Frost",
			Status:     alarm.ResolvedManually,
			Level:      alarm.LevelSerious,
			DeviceName: "A",
			NoteName:   "Mast",
			Start:      5,
			End:        9,
			CreateTime: 6,
		},
		Device:      d.ID,
		Revision:    3,
		Description: "why",
		RuleCopy:    was,
		Samples:     samples,
		Reason:      alarm.Manual,
		ResolveUser: "Ada",
		Remark:      "seen",
		Chart:       points,
	}
	// While the device exists, and after it was deleted.
	for _, name := range []string{"Mast", "Mast"} {
		if got, err := s.Notices.Get(t.Context(), field.ID, id); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v (%v)\nwant %+v", got, err, want)
		}
		if list, err := s.Notices.Newest(t.Context(), field.ID); err != nil || len(list) != 1 ||
			list[0].NoteName != name || list[0].DeviceName != "A" {
			t.Errorf("%+v %v", list, err)
		}
		if err := s.Devices.Delete(t.Context(), field.ID, d.ID); err != nil {
			t.Fatal(err)
		}
	}
	for owner, number := range map[*testkit.Tenant]int64{rival: id, field: id + 1} {
		if _, err := s.Notices.Get(t.Context(), owner.ID, number); !errs.Is(err, errs.NotFound) {
			t.Errorf("%v", err)
		}
	}
}

// A list shows the device's current remark name.
func TestNoticeOfRenamedDevice(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	d := s.Device(t, field.ID, s.Station(t), "A", func(d *device.Device) { d.NoteName = "New" })
	s.Notice(t, testkit.Notice{Device: d, RuleJSON: `{"noteName":"Old"}`})
	if list, err := s.Notices.Newest(t.Context(), field.ID); err != nil || list[0].NoteName != "New" {
		t.Errorf("%+v %v", list, err)
	}
}

// A notice that cannot be decoded is an error that names it.
func TestDamagedNotice(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	d := s.Device(t, field.ID, s.Station(t), "A")
	id := s.Notice(t, testkit.Notice{Device: d, RuleJSON: `{"`})
	if _, err := s.Notices.Get(t.Context(), field.ID, id); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprint("notice ", id)) {
		t.Errorf("%v", err)
	}
	if err := s.Devices.Delete(t.Context(), field.ID, d.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Notices.Newest(t.Context(), field.ID); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprint("notice ", id)) {
		t.Errorf("%v", err)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
