package alarm_test

import (
	"fmt"
	"strings"
	"testing"

	"tilth/internal/domain/alarm"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func listed(list []alarm.ListedNotice) string {
	var all []string
	for _, n := range list {
		all = append(all, n.Title)
	}
	return strings.Join(all, " ")
}

// A caller that continues after the last notice sees each notice once, whatever is recorded
// meanwhile.
func TestNoticePageAfterCursor(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	a, theirs := s.Device(t, field.ID, station, "A"), s.Device(t, rival.ID, station, "theirs")
	now := s.Clock.Milli()
	put := func(title string, at int64, status alarm.ResolveStatus) int64 {
		return s.Notice(t, testkit.Notice{Device: a, Title: title, Status: status, Start: at, CreateTime: at})
	}
	for i := range 9 {
		put(fmt.Sprint("n", i), now+int64(i/3), alarm.ResolveStatus(i%3)) // always three in the same millisecond
	}
	s.Notice(t, testkit.Notice{Device: theirs, Title: "theirs", Start: now, CreateTime: now + 1})
	var seen []string
	for than, page := (*alarm.NoticeCursor)(nil), 0; ; page++ {
		list, err := s.Notices.PageAfter(t.Context(), field.ID, alarm.NoticeQuery{Limit: 2, Offset: 5}, than)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			break
		}
		seen = append(seen, listed(list))
		put(fmt.Sprint("late", page), now+2, alarm.Pending) // in the same millisecond as the newest
		than = new(list[len(list)-1].Cursor())
	}
	if got := strings.Join(seen, " "); got != "n8 n7 n6 n5 n4 n3 n2 n1 n0" {
		t.Errorf("%s", got)
	}
	for want, q := range map[string]alarm.NoticeQuery{
		"n6 n3 n0":          {Open: new(true), Title: "n"},
		"n8 n7 n5 n4 n2 n1": {Open: new(false)},
		"n2 n1":             {Open: new(false), To: new(now)},
		"n7 n4 n1":          {Open: new(false), Status: new(alarm.ResolvedAutomatically)},
	} {
		q.Limit = 100
		list, err := s.Notices.PageAfter(t.Context(), field.ID, q, nil)
		if err != nil || listed(list) != want {
			t.Errorf("%s (%v), want %s", listed(list), err, want)
		}
	}
	list, err := s.Notices.PageAfter(t.Context(), field.ID, alarm.NoticeQuery{Limit: 9}, &alarm.NoticeCursor{})
	if err != nil || len(list) != 0 {
		t.Errorf("before the first notice: %v (%v)", list, err)
	}
}

func TestOneNotice(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	a := s.Device(t, field.ID, s.Station(t), "A")
	id := s.Notice(t, testkit.Notice{Device: a, Title: "Frost", Start: 5, CreateTime: 7,
		RuleJSON: `{"noteName":"Mast"}`})
	n, err := s.Notices.GetListed(t.Context(), field.ID, id)
	if err != nil || n.ID != id || n.Title != "Frost" || n.Cursor() != (alarm.NoticeCursor{CreateTime: 7, ID: id}) ||
		n.Description != "" {
		t.Errorf("%+v (%v)", n, err)
	}
	if err := s.Devices.Delete(t.Context(), field.ID, a.ID); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Notices.GetListed(t.Context(), field.ID, id); err != nil || n.NoteName != "Mast" {
		t.Errorf("of a deleted device: %+v (%v)", n, err)
	}
	for name, get := range map[string]func() (*alarm.ListedNotice, error){
		"another tenant's": func() (*alarm.ListedNotice, error) { return s.Notices.GetListed(t.Context(), rival.ID, id) },
		"none":             func() (*alarm.ListedNotice, error) { return s.Notices.GetListed(t.Context(), field.ID, id+1) },
	} {
		if n, err := get(); !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: %+v (%v)", name, n, err)
		}
	}
}
