package console_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// reaches finds what leads to somebody or to a server, unless it is masked.
var reaches = map[string]*regexp.Regexp{
	"an address": regexp.MustCompile(`[^\s•]@[^\s]+\.|^@\w`),
	"a number":   regexp.MustCompile(`\+\d{7,}|^-?\d{9,}$`),
	"a host": regexp.MustCompile(
		`://|^([\w-]+\.)+[a-z]{2,}(:\d+)?$|^\d{1,3}(\.\d{1,3}){3}(:\d+)?$`),
}

// shownOnPurpose are the fields that say where data goes and where people sign in: owners have to
// notice a change of it, and docs/access.md says so.
var shownOnPurpose = map[string]string{"url": "a host", "signOn": "a host"}

// sampleRecipients has two recipients of each kind of channel, which its mask tells apart, or not.
var sampleRecipients = map[notify.ChannelKind][2]string{
	notify.KindEmail:    {"eda@example.com", "fatma@example.org"},
	notify.KindSMS:      {"+905551112299", "+905551112288"},
	notify.KindTelegram: {"-100987654321", "@farm_chat"},
}

// channelForm is the form of a channel with the nth recipient of each kind.
func channelForm(t *testing.T, n int, with body) body {
	t.Helper()
	var others []body
	for _, k := range notify.Kinds() {
		sample, ok := sampleRecipients[k.Name]
		switch {
		case !ok:
			t.Fatalf("%s has no sample: add one, so that its mask is looked at", k.Name)
		case k.Other:
			others = append(others, body{"mode": string(k.Name), "recipients": []string{sample[n]}})
		}
	}
	b := nightShiftForm(body{
		"noticeName": "Masked", "others": others,
		"email":        body{"emails": []string{sampleRecipients[notify.KindEmail][n]}},
		"phoneMessage": []string{sampleRecipients[notify.KindSMS][n]},
	})
	maps.Copy(b, with)
	return b
}

// After all operations, and those on channels of each kind, no value of the audit log leads to
// somebody or to a server, but for those that are shown on purpose.
func TestAuditMasksWhoAndWhere(t *testing.T) {
	w := newServerWithPhones(t)
	for _, id := range slices.Sorted(maps.Keys(auditedOperations)) {
		one := auditedOperations[id]
		if one.call == nil || id == "logout" || id == "oidcLogout" {
			continue
		}
		if strings.HasPrefix(id, "updateUser") || id == "validateSmsCode" {
			w.Clock.Advance(time.Minute + time.Second) // a user gets one code a minute
		}
		w.removeSecondFactors(t)
		w.Do(t, one.call(t, w))
	}
	checkMasks(t, w, "a•••@example.com", "+90•••••233")

	w = newServer(t, withTelegram(&testkit.FakeSender{}))
	id := testkit.Ask[int64](t, w.Contract, w.channelCall(http.MethodPost, "create", channelForm(t, 0, nil)))
	w.mustSucceed(t, w.channelCall(http.MethodPut, "update", channelForm(t, 1, body{"id": id})))
	changed := entryText(&w.auditLog(t, w.ada, "").List[0])
	w.mustSucceed(t, w.deleteChannelCall(id))
	checkMasks(t, w, "e•••@example.com", "f•••@example.org", "+90•••••299", "•••")
	// Where the mask tells no difference, the entry says that there was one.
	want := "channel.update Masked; emails: [e•••@example.com] > [f•••@example.org]; " +
		"phoneMessage: [+90•••••299] > [+90•••••288]; telegram hidden"
	if changed != want {
		t.Errorf("%s, want %s", changed, want)
	}
}

// checkMasks looks at all values of the audit log, among which some must be.
func checkMasks(t *testing.T, w *fixture, among ...string) {
	t.Helper()
	if err := w.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var rows []struct{ Kind, Action, ThingName, Changes string }
	err := w.DB.Read(t.Context()).NewRaw("SELECT kind, action, thing_name, changes FROM audit_entries").
		Scan(t.Context(), &rows)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		var changes []struct {
			Field         string
			Before, After any
		}
		if err := json.Unmarshal([]byte(row.Changes), &changes); err != nil {
			t.Fatal(err)
		}
		look := func(field, value string) {
			seen[value] = true
			for what, pattern := range reaches {
				if pattern.MatchString(value) && shownOnPurpose[field] != what {
					t.Errorf("%s.%s: %s has %s: %s", row.Kind, row.Action, field, what, value)
				}
			}
		}
		look("its thing", row.ThingName)
		for _, c := range changes {
			for _, value := range append(textsIn(c.Before), textsIn(c.After)...) {
				look(c.Field, value)
			}
		}
	}
	for _, one := range among {
		if !seen[one] {
			t.Errorf("%s is nowhere among %d entries: nothing was looked at", one, len(rows))
		}
	}
}

// textsIn gives all texts in a JSON value.
func textsIn(value any) (texts []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			texts = append(texts, textsIn(one)...)
		}
	case map[string]any:
		for _, one := range v {
			texts = append(texts, textsIn(one)...)
		}
	}
	return texts
}

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
