package testkit

import (
	"testing"
	"time"

	"tilth/internal/identity"
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
	pair, err := s.SignIn.Password(t.Context(), identity.Attempt{Tenant: field.ID, UserName: "ada", Password: Password})
	if err != nil || pair.UserID != field.Ada.ID {
		t.Errorf("%+v %v", pair, err)
	}
	d := s.Device(t, field.ID, s.Station(t), "WS-1")
	e, _, ok := s.Registry.Authenticate("WS-1", Secret("WS-1"))
	if !ok || e.Ref != Ref(d) || len(e.Product.Properties) != 5 {
		t.Errorf("%+v %v", e, ok)
	}
	s.Notice(t, Notice{Device: d, Started: 1, Created: 2})
	s.Message(t, field.ID, field.Ada.ID)
	if n, err := s.Messages.CountUnread(t.Context(), field.ID, field.Ada.ID); n != 0 || err != nil {
		t.Error(n, err)
	}
}

func TestEventually(t *testing.T) {
	asked := 0
	Eventually(t, "three questions", func() bool { asked++; return asked == 3 })
	c := make(chan int, 1)
	c <- 7
	if Receive(t, "seven", c) != 7 || asked != 3 {
		t.Error(asked)
	}
}

func TestLog(t *testing.T) {
	l := NewLog()
	l.Debug("said", "what", "this")
	if l.Text() == "" {
		t.Error("nothing was kept")
	}
}
