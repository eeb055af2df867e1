package console_test

import (
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/edge/console/wire"
)

// Entries that a version before wrote hold recipients as they were: they are read with masks.
func TestOldAuditEntriesAreReadMasked(t *testing.T) {
	w := newServer(t)
	ada := w.Audit.NewContext(t.Context(), audit.Actor{
		Kind: audit.User, ID: w.field.Ada.ID, Name: nil,
	})
	thing := audit.Thing{ID: 1, Name: "Staff"}
	err := audit.Log(ada, w.field.ID, audit.Action{Name: "channel.update", Thing: thing, Changes: []audit.Change{
		{Field: "noticeName", Before: "ada@example.com", After: "Staff"},
		{Field: "emails", Before: []string{"ada@example.com"}, After: []string{"ada@example.com", "b•••@example.com"}},
		{Field: "phoneMessage", Before: []string{"+905551112233"}, After: []string{"+905559992233"}},
		{Field: "telegram", After: []string{"-100987654321"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := "channel.update Staff; noticeName: ada@example.com > Staff; " +
		"emails: [a•••@example.com] > [a•••@example.com b•••@example.com]; phoneMessage hidden; " +
		"telegram: <nil> > [•••]"
	if got := entryText(&w.auditLog(t, w.ada, "").List[0]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What a server answered tells a viewer neither whom it was for, however it is written, nor where the
// server is; an operator reads it as it was.
func TestViewersSeeMaskedAnswers(t *testing.T) {
	for answer, want := range map[string]string{
		"dial tcp 203.0.113.9:587: connect: connection refused":           "dial tcp •••: connect: connection refused",
		"dial tcp [2001:db8::7]:465: connect: no route to host":           "dial tcp •••: connect: no route to host",
		"lookup mail on 127.0.0.11:53: no such host":                      "lookup ••• on •••: no such host",
		"lookup smtp.farm.example: i/o timeout":                           "lookup •••: i/o timeout",
		"tls: certificate is valid for mx.farm.example, not smtp.example": "tls: certificate is valid for •••, not •••",
		"dial tcp: address relay:99: invalid":                             "dial tcp: address •••: invalid",
		"550 5.1.1 <Ada@Example.COM>: no such user":                       "550 5.1.1 <A•••@Example.COM>: no such user",
		"550 5.7.1 relaying from eda@farm.example to ada@example.com denied": "550 5.7.1 relaying from e•••@farm.example " +
			"to a•••@example.com denied",
		"30005 905551112233 is unknown":    "300•••••233 is unknown",
		"no route to 0555 111 22 33 today": "no route to 055••••• 33 today",
		"535 5.7.8 bad credentials":        "535 5.7.8 bad credentials",
	} {
		w := newServer(t)
		channel := w.Channel(t, w.field.ID, "Staff", func(c *notify.Channel) {
			c.To = notify.Recipients{notify.KindEmail: {"ada@example.com"}}
		}).ID
		w.MailSender.Break(&notify.Failure{Kind: notify.Transient, Answer: answer})
		_, id := w.openRuleNotice(t, frostForm("WS-1", body{"passageway": []int64{channel}}), air(1))
		w.Clock.Advance(time.Second)
		if _, err := w.Outbox.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		for role, want := range map[identity.Role]string{identity.Operator: answer, identity.Viewer: want} {
			w.adaIs(t, role)
			d := w.notice(t, id).Deliveries[0]
			differs := func(a string) bool { return a != want }
			if got := answersOf(&d); len(got) < 2 || slices.ContainsFunc(got, differs) {
				t.Errorf("the %s reads %q, want %q", role, got, want)
			}
		}
	}
}

func answersOf(d *wire.Delivery) (list []string) {
	if d.LastError != nil {
		list = append(list, *d.LastError)
	}
	for _, s := range d.Steps {
		if s.Answer != nil {
			list = append(list, *s.Answer)
		}
	}
	return list
}
