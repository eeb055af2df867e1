package notify_test

import (
	"testing"

	"tilth/internal/testkit"
)

func TestCountUnread(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	s.Message(t, field.ID)
	s.Message(t, field.ID, field.Ada.ID)
	s.Message(t, field.ID, field.Ada.ID, field.Bora.ID)
	s.Message(t, rival.ID)
	s.Message(t, rival.ID, rival.Bora.ID)
	for _, c := range []struct {
		name string
		user *testkit.Tenant
		id   int64
		want int64
	}{
		{"ada", field, field.Ada.ID, 1},
		{"bora", field, field.Bora.ID, 2},
		{"the other ada", rival, rival.Ada.ID, 2},
		{"the other bora", rival, rival.Bora.ID, 1},
	} {
		if n, err := s.Messages.CountUnread(t.Context(), c.user.ID, c.id); err != nil || n != c.want {
			t.Errorf("%s: %d (%v), want %d", c.name, n, err, c.want)
		}
	}
	if n, err := s.Messages.CountUnread(t.Context(), 99, field.Ada.ID); err != nil || n != 0 {
		t.Errorf("no such tenant: %d (%v)", n, err)
	}
}
