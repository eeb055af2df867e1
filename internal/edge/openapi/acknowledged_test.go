package openapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

// setAcknowledgement writes the acknowledgement of a notice; nil removes it.
func (w *fixture) setAcknowledgement(t testing.TB, notice int64, a *alertmsg.Ack) {
	t.Helper()
	if a == nil {
		a = &alertmsg.Ack{}
	}
	err := w.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(
			"UPDATE notices SET ack_user = ?, ack_time = ?, ack_note = ?, ack_remind_at = ? WHERE id = ?",
			a.User,
			a.Time,
			a.Note,
			a.RemindAt,
			notice,
		).Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The list and the single notice show the same acknowledgement, also after the notice has ended.
func TestAcknowledgedNotices(t *testing.T) {
	w := newFixture(t)
	now := w.Clock.Milli()
	over := w.Notice(
		t,
		testkit.Notice{
			Device:     w.ws1,
			Title:      "heat",
			Status:     alarm.ResolvedAutomatically,
			Start:      now - hour,
			End:        now,
			CreateTime: now,
		},
	)
	for _, id := range []int64{w.notice, over} {
		w.setAcknowledgement(t, id, &alertmsg.Ack{User: "Ada", Time: now, Note: "at the pump", RemindAt: now + hour})
		want := wire.Acknowledgement{
			By:         "Ada",
			Time:       wire.Moment(now),
			Note:       "at the pump",
			RemindTime: wire.Moment(now + hour),
		}
		one := ask[wire.Notice](t, w, call{path: fmt.Sprint("/notices/", id)})
		if one.Acknowledged == nil || *one.Acknowledged != want {
			t.Errorf("%+v", one.Acknowledged)
		}
	}
	for _, n := range ask[wire.NoticeList](t, w, call{path: "/notices"}).Items {
		if n.Acknowledged == nil || n.Acknowledged.By != "Ada" {
			t.Errorf("%+v", n)
		}
	}
	w.setAcknowledgement(t, over, nil)
	if body := string(w.do(t, call{path: fmt.Sprint("/notices/", over)}).body); strings.Contains(body, "acknowledged") {
		t.Error(body)
	}
}
