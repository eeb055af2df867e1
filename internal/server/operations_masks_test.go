package server

import (
	"encoding/json"
	"net/http"
	"regexp"
	"testing"

	"tilth/internal/domain/notify"
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

// sampleChannel is the form of a channel with the nth recipient of each kind.
func sampleChannel(t *testing.T, n int) fields {
	t.Helper()
	var others []fields
	for _, k := range notify.Kinds() {
		sample, ok := sampleRecipients[k.Name]
		switch {
		case !ok:
			t.Fatalf("%s has no sample: add one, so that its mask is looked at", k.Name)
		case k.Other:
			others = append(others, fields{"mode": string(k.Name), "recipients": []string{sample[n]}})
		}
	}
	return fields{
		"noticeName": "Masked", "noticeMode": []string{"email", "phoneMessage"}, "others": others,
		"email":        fields{"emails": []string{sampleRecipients[notify.KindEmail][n]}},
		"phoneMessage": []string{sampleRecipients[notify.KindSMS][n]},
	}
}

// checkMasksOfChannels changes the recipients of a channel of each kind. Where the mask tells no
// difference, the entry says that there was one.
func (w *isolationEnv) checkMasksOfChannels(s *tenantFixture) {
	w.t.Helper()
	id := s.makeThing("notice-channel/create", sampleChannel(w.t, 0))
	w.mustCall(s, http.MethodPut, pc+"notice-channel/update", with(sampleChannel(w.t, 1), "id", id), new(any))
	want := "channel.update Masked; emails: [e•••@example.com] > [f•••@example.org]; " +
		"phoneMessage: [+90•••••299] > [+90•••••288]; telegram hidden"
	if changed := entryText(&w.activityLog(s)[0]); changed != want {
		w.t.Errorf("%s, want %s", changed, want)
	}
	w.mustCall(s, http.MethodDelete, pc+"notice-channel/delete?id="+number(id), nil, new(any))
	w.checkMasks("e•••@example.com", "f•••@example.org", "+90•••••299", "•••")
}

// checkMasks makes sure that no value of the activity log leads to somebody or to a server, but for those
// that are shown on purpose. Some values must be among those that it looks at.
func (w *isolationEnv) checkMasks(among ...string) {
	w.t.Helper()
	if err := w.server.Stores.Audit.Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	var rows []struct{ Kind, Action, ThingName, Changes string }
	err := w.server.Stores.DB.Read(w.t.Context()).NewRaw(
		"SELECT kind, action, thing_name, changes FROM audit_entries WHERE actor <> 'provider'",
	).Scan(w.t.Context(), &rows)
	if err != nil {
		w.t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		var changes []struct {
			Field         string
			Before, After any
		}
		if err := json.Unmarshal([]byte(row.Changes), &changes); err != nil {
			w.t.Fatal(err)
		}
		look := func(field, value string) {
			seen[value] = true
			for what, pattern := range reaches {
				if pattern.MatchString(value) && shownOnPurpose[field] != what {
					w.t.Errorf("%s.%s: %s has %s: %s", row.Kind, row.Action, field, what, value)
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
			w.t.Errorf("%s is nowhere among %d entries: nothing was looked at", one, len(rows))
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
