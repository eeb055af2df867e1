package server

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// Held deliveries are counted but not overdue, and the log says how to release them.
func TestHeldOutboxIsNotOverdue(t *testing.T) {
	st, log := testkit.NewStores(t), testkit.NewLog()
	s := &Server{
		logger: log.Logger,
		Stores: &Stores{Stores: st.Stores},
	}
	if err := s.warnIfHeld(t.Context()); err != nil || log.Text() != "" {
		t.Errorf("%v %s", err, log.Text())
	}
	held := tenant.Hold(t.Context(), st.DB, st.Clock.Now())
	if err := errors.Join(held, st.Tenants.LoadHold(t.Context())); err != nil {
		t.Fatal(err)
	}
	err := s.warnIfHeld(t.Context())
	if err != nil || !strings.Contains(log.Text(), "tilth outbox release") ||
		!strings.Contains(log.Text(), "waiting=0") {
		t.Errorf("%v %s", err, log.Text())
	}
	if by, err := s.queuedByMode(t.Context()); err != nil || len(by) != len(notify.AllKinds()) {
		t.Errorf("%+v %v", by, err)
	}
	due := map[notify.ChannelKind]notify.Waiting{notify.KindEmail: {Deliveries: 2, Due: time.Minute}}
	if got := withoutDue(due); len(got) != 1 || got[notify.KindEmail] != (notify.Waiting{Deliveries: 2}) {
		t.Errorf("%+v", got)
	}
}
