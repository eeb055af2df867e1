package openapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/tools/testkit"
)

const hour = int64(3_600_000)

func noticeTitles(list wire.NoticeList) string {
	var all []string
	for _, n := range list.Items {
		all = append(all, n.Title)
	}
	return strings.Join(all, " ")
}

// setHoldsSince writes since when a notice holds, as the alarm engine does.
func (w *fixture) setHoldsSince(t *testing.T, notice, since int64) {
	t.Helper()
	err := w.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, "UPDATE notices SET holds_since = ? WHERE id = ?", since, notice)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNotices(t *testing.T) {
	w := newFixture(t)
	now := w.Clock.Milli()
	for i, n := range []testkit.Notice{
		{Title: "heat", Level: alarm.LevelImportant, Status: alarm.ResolvedAutomatically, Start: now - 5*hour, End: now - 4*hour},
		{Title: "wind", Level: alarm.LevelGeneral, Status: alarm.ResolvedManually, Start: now - 3*hour, End: now - 2*hour},
	} {
		n.Device, n.CreateTime = w.ws1, now+int64(i)+1
		w.Notice(t, n)
	}
	at := func(ms int64) string { return fmt.Sprint(now + ms) }
	for path, want := range map[string]string{
		"/notices":                                                          "wind heat Frost",
		"/notices?status=open":                                              "Frost",
		"/notices?status=resolved":                                          "wind heat",
		"/notices?level=general":                                            "wind",
		"/notices?level=important":                                          "heat",
		"/notices?device=WS-1":                                              "wind heat Frost",
		"/notices?device=WS-2":                                              "",
		"/notices?device=zzrival-1":                                         "",
		"/notices?from=" + at(-3*hour):                                      "wind Frost", // at or after
		"/notices?to=" + at(-3*hour):                                        "heat",       // before
		"/notices?from=" + at(-5*hour) + "&to=" + at(-3*hour+1):             "wind heat",
		"/notices?from=" + at(-3*hour) + "&to=" + at(-3*hour):               "", // an empty range
		"/notices?level=general&status=open":                                "",
		"/notices?from=2026-11-21T09:00:00%2B03:00&to=2026-11-21T07:00:00Z": "wind", // from 06:00Z
	} {
		list := ask[wire.NoticeList](t, w, call{path: path})
		if noticeTitles(list) != want || list.NextCursor != nil || list.Items == nil {
			t.Errorf("%s: %q, want %q", path, noticeTitles(list), want)
		}
	}
	list := ask[wire.NoticeList](t, w, call{path: "/notices"})
	wind, frost := list.Items[0], list.Items[2]
	if wind.Level != "general" || wind.Status != "resolved" || *wind.ResolvedBy != "hand" ||
		int64(*wind.EndTime) != now-2*hour ||
		int64(wind.StartTime) != now-3*hour {
		t.Errorf("%+v", wind)
	}
	if *list.Items[1].ResolvedBy != "itself" || frost.Status != "open" || frost.EndTime != nil ||
		frost.ResolvedBy != nil ||
		frost.DeviceName != "WS-1" ||
		frost.NoteName != "Mast" {
		t.Errorf("%+v %+v", list.Items[1], frost)
	}
	for _, n := range list.Items {
		if n.HoldsSince != nil {
			t.Errorf("holdsSince before the engine found it: %+v", n)
		}
	}
	w.setHoldsSince(t, w.notice, now-6*hour)
	w.setHoldsSince(t, wind.Id, 0) // not known
	list = ask[wire.NoticeList](t, w, call{path: "/notices"})
	if frost = list.Items[2]; frost.HoldsSince == nil || int64(*frost.HoldsSince) != now-6*hour ||
		list.Items[0].HoldsSince != nil {
		t.Errorf("%+v %+v", frost, list.Items[0])
	}
	one := ask[wire.Notice](t, w, call{path: fmt.Sprint("/notices/", w.notice)})
	if one.HoldsSince == nil || *one.HoldsSince != *frost.HoldsSince {
		t.Errorf("%+v", one)
	}
	one.HoldsSince = frost.HoldsSince // as in the list
	if one != frost {
		t.Errorf("%+v, in the list %+v", one, frost)
	}
	w.mustRefuse(t, call{path: "/notices/123456"}, http.StatusNotFound)
	if p := w.mustRefuse(t, call{path: "/notices/abc"}, http.StatusBadRequest); p.Parameter != "id" {
		t.Errorf("%+v", p)
	}
}

// Paging meets each notice once, even if notices are recorded meanwhile in the same millisecond.
func TestNoticesPageByPage(t *testing.T) {
	w := newFixture(t)
	now := w.Clock.Milli()
	for i := range 23 {
		w.Notice(
			t,
			testkit.Notice{
				Device:     w.ws1,
				Title:      fmt.Sprint("n", i),
				Start:      now + int64(i),
				CreateTime: now + int64(i/5),
			},
		)
	}
	var seen []string
	path := "/notices?limit=4"
	for page := 0; ; page++ {
		list := ask[wire.NoticeList](t, w, call{path: path})
		seen = append(seen, strings.Fields(noticeTitles(list))...)
		w.Notice(
			t,
			testkit.Notice{
				Device:     w.ws1,
				Title:      "new",
				Start:      now + 1000 + int64(page),
				CreateTime: now + 4 + int64(page),
			},
		)
		if list.NextCursor == nil {
			break
		}
		path = query("/notices", "limit", "4", "cursor", *list.NextCursor)
	}
	var want []string
	for i := 22; i >= 0; i-- {
		want = append(want, fmt.Sprint("n", i))
	}
	if got := strings.Join(seen, " "); got != strings.Join(want, " ")+" Frost" {
		t.Errorf("%s", got)
	}
}
