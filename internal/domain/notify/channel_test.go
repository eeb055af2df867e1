package notify_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

func TestChannelRoundTrip(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	want := s.Channel(t, field.ID, "Gece", func(c *notify.Channel) {
		c.To = notify.Recipients{notify.KindEmail: {"b@example.com", "a@example.com"}, notify.KindSMS: {"+13", "+12"}}
		c.Language = text.Turkish
	})
	if got, err := s.Channels.Get(t.Context(), field.ID, want.ID); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	s.Clock.Advance(time.Hour)
	next := notify.Channel{ID: want.ID, Name: "Gündüz", To: notify.Recipients{notify.KindSMS: {"+14"}}}
	if err := s.Channels.Update(t.Context(), field.ID, &next); err != nil {
		t.Fatal(err)
	}
	next.Tenant, next.CreateTime = field.ID, want.CreateTime
	got, err := s.Channels.Get(t.Context(), field.ID, want.ID)
	if err != nil || !reflect.DeepEqual(got, &next) {
		t.Errorf("%+v (%v), want %+v", got, err, next)
	}
	recipients := fmt.Sprint(got.Kinds(), want.Kinds(), got.To[notify.KindEmail],
		got.To[notify.KindSMS], want.To[notify.KindEmail])
	if recipients != "[phoneMessage] [email phoneMessage] [] [+14] [b@example.com a@example.com]" {
		t.Error(recipients)
	}
	if err := s.Channels.Delete(t.Context(), field.ID, want.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Channels.Get(t.Context(), field.ID, want.ID); !errs.Is(err, errs.NotFound) {
		t.Errorf("%v", err)
	}
}

func TestChannelPage(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	s.Channel(t, rival.ID, "Işık theirs")
	for _, c := range []struct {
		name           string
		email, byPhone bool
	}{{"Işık", true, false}, {"İlk 50%_", false, true}, {"Ёлка", true, true}} {
		s.Clock.Advance(time.Second)
		s.Channel(t, field.ID, c.name, func(made *notify.Channel) {
			if !c.email {
				delete(made.To, notify.KindEmail)
			}
			if !c.byPhone {
				delete(made.To, notify.KindSMS)
			}
		})
	}
	s.Channel(t, field.ID, "of the same instant") // the highest id is first
	for _, c := range []struct {
		q     notify.ChannelQuery
		want  string
		total int64
	}{
		{notify.ChannelQuery{Limit: 10}, "of the same instant, Ёлка, İlk 50%_, Işık", 4},
		{notify.ChannelQuery{Limit: 2, Offset: 1}, "Ёлка, İlk 50%_", 4},
		{notify.ChannelQuery{Limit: 2, Offset: 4}, "", 4},
		{notify.ChannelQuery{Limit: 10, Name: "IŞI"}, "Işık", 1},
		{notify.ChannelQuery{Limit: 10, Name: "елка"}, "Ёлка", 1},
		{notify.ChannelQuery{Limit: 10, Name: "0%_"}, "İlk 50%_", 1},
		{notify.ChannelQuery{Limit: 10, Name: "theirs"}, "", 0},
		{notify.ChannelQuery{Limit: 10, Kind: notify.KindEmail}, "of the same instant, Ёлка, Işık", 3},
		{notify.ChannelQuery{Limit: 10, Kind: notify.KindSMS}, "of the same instant, Ёлка, İlk 50%_", 3},
		{notify.ChannelQuery{Limit: 1, Kind: notify.KindSMS, Name: "i"}, "of the same instant", 2},
	} {
		list, total, err := s.Channels.Page(t.Context(), field.ID, c.q)
		var names []string
		for _, one := range list {
			names = append(names, one.Name)
		}
		if got := strings.Join(names, ", "); err != nil || got != c.want || total != c.total {
			t.Errorf("%+v: %q %d (%v), want %q %d", c.q, got, total, err, c.want, c.total)
		}
	}
}

// GetMany and Missing divide ids into those of the tenant's channels and the others, in their
// order.
func TestGetManyAndMissing(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	a, b, theirs := s.Channel(t, field.ID, "A").ID, s.Channel(t, field.ID, "B").ID, s.Channel(t, rival.ID, "C").ID
	for _, c := range []struct {
		ids           []int64
		some, missing string
	}{
		{nil, "", "[]"},
		{[]int64{b, a}, "B A", "[]"},
		{[]int64{99, a, theirs, 98, b}, "A B", fmt.Sprint([]int64{99, theirs, 98})},
	} {
		list, err := s.Channels.GetMany(t.Context(), field.ID, c.ids)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, one := range list {
			names = append(names, one.Name)
		}
		missing, err := s.Channels.Missing(t.Context(), field.ID, c.ids)
		if got := strings.Join(names, " "); err != nil || got != c.some || fmt.Sprint(missing) != c.missing {
			t.Errorf("%v: %s, %v are missing (%v)", c.ids, got, missing, err)
		}
	}
}

func TestChannelsOfOtherTenantsHidden(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	theirs := s.Channel(t, rival.ID, "Theirs")
	taken := *theirs
	taken.Name = "taken"
	for name, call := range map[string]func(owner tenant.ID) error{
		"Get":    func(owner tenant.ID) error { _, err := s.Channels.Get(t.Context(), owner, theirs.ID); return err },
		"Update": func(owner tenant.ID) error { return s.Channels.Update(t.Context(), owner, &taken) },
		"Delete": func(owner tenant.ID) error { return s.Channels.Delete(t.Context(), owner, theirs.ID) },
	} {
		if err := call(field.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := s.Channels.Get(t.Context(), rival.ID, theirs.ID); err != nil || !reflect.DeepEqual(got, theirs) {
		t.Errorf("%+v %v", got, err)
	}
	if list, total, err := s.Channels.Page(t.Context(), field.ID, notify.ChannelQuery{Limit: 10}); err != nil ||
		len(list) != 0 || total != 0 {
		t.Errorf("%+v %d %v", list, total, err)
	}
}

// The database refuses to delete a channel that a rule uses.
func TestChannelInUseNotDeleted(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	used := s.Channel(t, field.ID, "Used").ID
	rule := alarm.Rule{Name: "Frost", Device: s.Device(t, field.ID, s.Station(t), "A").ID, Trigger: alarm.DeviceOffline,
		Hits: 1, Window: time.Minute, Channels: []int64{used}}
	id, err := s.Rules.Create(t.Context(), field.ID, &rule)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Channels.Delete(t.Context(), field.ID, used); !db.IsReferenced(err) {
		t.Errorf("%v", err)
	}
	if err := s.Rules.Delete(t.Context(), field.ID, id); err != nil {
		t.Fatal(err)
	}
	if err := s.Channels.Delete(t.Context(), field.ID, used); err != nil {
		t.Error(err)
	}
}

func TestChannelsATenant(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`WITH RECURSIVE k (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n + 1 < ?)
			INSERT INTO channels (tenant_id, notice_name, folded_name, language, create_time, update_time)
			SELECT ?, 'C', 'c', '', n, n FROM k`, notify.ChannelsATenant, field.ID).Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Channel(t, field.ID, "the last")
	_, err = s.Channels.Create(t.Context(), field.ID, &notify.Channel{Name: "one more"})
	if !errs.Is(err, errs.Refused) || errs.As(err).Args["limit"] != "1000" {
		t.Errorf("%v", err)
	}
	s.Channel(t, rival.ID, "another tenant's")
}
