package testkit

import (
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
)

func TestClock(t *testing.T) {
	c := NewClock()
	if !c.Now().Equal(Start) || c.Milli() != Start.UnixMilli() {
		t.Error(c.Now())
	}
	c.Advance(time.Minute)
	if got := c.Now().Sub(Start); got != time.Minute {
		t.Error(got)
	}
	c.Set(Start)
	if !c.Now().Equal(Start) {
		t.Error(c.Now())
	}
}

func TestBuilders(t *testing.T) {
	s := NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	if field.ID == rival.ID || field.Ada.ID == field.Bora.ID || field.Ada.Tenant != field.ID {
		t.Errorf("%+v %+v", field, rival)
	}
	attempt := identity.Attempt{Tenant: field.ID, UserName: "ada", Password: Password}
	pair, err := s.SignIn.WithPassword(t.Context(), attempt)
	if err != nil || pair.UserID != field.Ada.ID {
		t.Errorf("%+v %v", pair, err)
	}
	d := s.Device(t, field.ID, s.Station(t), "WS-1")
	e, _, ok := s.Registry.Authenticate("WS-1", Secret("WS-1"))
	if !ok || e.Ref != Ref(d) || len(e.Product.Properties) != 5 {
		t.Errorf("%+v %v", e, ok)
	}
	s.Notice(t, Notice{Device: d, Start: 1, CreateTime: 2})
	s.Message(t, field.ID, field.Ada.ID)
	if n, err := s.Messages.CountUnread(t.Context(), field.ID, field.Ada.ID); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// Notices that the notifier takes reach the senders.
func TestNotifierReachesSenders(t *testing.T) {
	s := NewStores(t)
	field := s.Tenant(t, "field")
	c := s.Channel(t, field.ID, "Staff", func(c *notify.Channel) { c.To[notify.KindSMS] = []string{"+12"} })
	d := s.Device(t, field.ID, s.Station(t), "WS-1")
	notice := s.Notice(t, Notice{Device: d, Start: 1, CreateTime: 2})
	a := &alertmsg.Alarm{Event: alertmsg.Triggered, Notice: notice, Title: "Frost", DeviceName: d.Name, Start: 1}
	options := &alertmsg.DeliveryOptions{Channels: []int64{c.ID}}
	if err := s.Notifier.NoticeOpened(t.Context(), field.ID, a, options); err != nil {
		t.Fatal(err)
	}
	s.SMSSender.Break(&notify.Failure{Kind: notify.Permanent, Answer: "no"})
	if _, err := s.Outbox.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.SMSSender.Break(nil)
	if mails := s.MailSender.Sent(); len(mails) != 1 || mails[0].Recipient != "staff@example.com" ||
		mails[0].Alarms[0].Title != "Frost" ||
		len(s.SMSSender.Sent()) != 0 {
		t.Errorf("%+v %+v", mails, s.SMSSender.Sent())
	}
	list, err := s.Outbox.Deliveries(t.Context(), field.ID, notice)
	if err != nil || len(list) != 2 || list[0].State != notify.Sent || list[1].LastError != "no" {
		t.Errorf("%+v %v", list, err)
	}
}

func TestEventually(t *testing.T) {
	calls := 0
	Eventually(t, "three calls", func() bool { calls++; return calls == 3 })
	c := make(chan int, 1)
	c <- 7
	if Receive(t, "seven", c) != 7 || calls != 3 {
		t.Error(calls)
	}
}

func TestLog(t *testing.T) {
	l := NewLog()
	l.Debug("said", "what", "this")
	if l.Text() == "" {
		t.Error("the log is empty")
	}
}
