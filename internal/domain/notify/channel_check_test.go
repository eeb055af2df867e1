package notify_test

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// filled gives a valid form of a channel, changed by with.
func filled(with ...func(*notify.ChannelForm)) *notify.ChannelForm {
	f := &notify.ChannelForm{
		Name: new("Night shift"), Kinds: []string{"email", "phoneMessage"},
		To: notify.Recipients{notify.KindEmail: {"ada@example.com"}, notify.KindSMS: {"+905551112233"}},
	}
	for _, change := range with {
		change(f)
	}
	return f
}

func mails(list ...string) func(*notify.ChannelForm) {
	return func(f *notify.ChannelForm) { f.To[notify.KindEmail] = list }
}

func numbers(list ...string) func(*notify.ChannelForm) {
	return func(f *notify.ChannelForm) { f.To[notify.KindSMS] = list }
}

// twenty gives twenty addresses, as many as a channel may have.
func twenty() (list []string) {
	for i := range 20 {
		list = append(list, fmt.Sprintf("a%d@example.com", i))
	}
	return list
}

func TestChannelForm(t *testing.T) {
	long := strings.Repeat("ğ", 64)
	for name, tc := range map[string]struct {
		form func(*notify.ChannelForm)
		want func(*notify.Channel)
	}{
		"as it is":          {func(*notify.ChannelForm) {}, func(*notify.Channel) {}},
		"trimmed":           {func(f *notify.ChannelForm) { f.Name = new(" " + long + "\t") }, func(c *notify.Channel) { c.Name = long }},
		"a kind twice":      {func(f *notify.ChannelForm) { f.Kinds = append(f.Kinds, "email") }, func(*notify.Channel) {}},
		"a language":        {func(f *notify.ChannelForm) { f.Language = new(" tr-tr ") }, func(c *notify.Channel) { c.Language = text.Turkish }},
		"the tenant's":      {func(f *notify.ChannelForm) { f.Language = new(" ") }, func(*notify.Channel) {}},
		"empty lines":       {mails("", " ada@example.com ", "\t"), func(*notify.Channel) {}},
		"twenty":            {mails(twenty()...), func(c *notify.Channel) { c.To[notify.KindEmail] = twenty() }},
		"unusual addresses": {mails("a.b+c@sub.example.org", "ş@örnek.tr"), func(c *notify.Channel) { c.To[notify.KindEmail] = []string{"a.b+c@sub.example.org", "ş@örnek.tr"} }},
		// Only the mail server knows whether characters beyond ASCII are the same.
		"almost twice": {mails("Ş@example.com", "ş@example.com"), func(c *notify.Channel) { c.To[notify.KindEmail] = []string{"Ş@example.com", "ş@example.com"} }},
		"numbers as people write them": {numbers("+90 (555) 111-22-33", "90 555 111 22 34", "138 0013 8000"), func(c *notify.Channel) {
			c.To[notify.KindSMS] = []string{"+905551112233", "+905551112234", "+8613800138000"}
		}},
		"as telephones show them":      {numbers("+7 (900)\u00a0123–45‑67", "（+86）13800138001", ""), func(c *notify.Channel) { c.To[notify.KindSMS] = []string{"+79001234567", "+8613800138001"} }},
		"the shortest and the longest": {numbers("+12", "+123456789012345"), func(c *notify.Channel) { c.To[notify.KindSMS] = []string{"+12", "+123456789012345"} }},
		"mail only, with left-over numbers": {func(f *notify.ChannelForm) { f.Kinds, f.To[notify.KindSMS] = []string{"email"}, []string{"none"} }, func(c *notify.Channel) {
			delete(c.To, notify.KindSMS)
		}},
		"SMS only": {func(f *notify.ChannelForm) { f.Kinds, f.To[notify.KindEmail] = []string{"phoneMessage"}, nil }, func(c *notify.Channel) { delete(c.To, notify.KindEmail) }},
	} {
		want := notify.Channel{
			Tenant: 7,
			Name:   "Night shift",
			To:     notify.Recipients{notify.KindEmail: {"ada@example.com"}, notify.KindSMS: {"+905551112233"}},
		}
		tc.want(&want)
		if got, err := filled(tc.form).Channel(7); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v (%v)\nwant %+v", name, got, err, want)
		}
	}
}

func TestChannelFormErrors(t *testing.T) {
	value := func(s string) map[string]string { return map[string]string{"value": s} }
	limit := func(s string) map[string]string { return map[string]string{"limit": s} }
	for _, c := range []struct {
		name       string
		form       func(*notify.ChannelForm)
		key, field string
		args       map[string]string
	}{
		{"no name", func(f *notify.ChannelForm) { f.Name = nil }, "common.nameRequired", "", nil},
		{"a blank name", func(f *notify.ChannelForm) { f.Name = new(" \t") }, "common.nameRequired", "", nil},
		{"65 characters", func(f *notify.ChannelForm) { f.Name = new(strings.Repeat("ğ", 65)) }, "invalid.long", "noticeName", limit("64")},
		{"two lines", func(f *notify.ChannelForm) { f.Name = new("a\r\nBcc: eve@example.com") }, "invalid.format", "noticeName", nil},
		{"a direction override", func(f *notify.ChannelForm) { f.Name = new("a\u202eb") }, "invalid.format", "noticeName", nil},
		{"an invisible name", func(f *notify.ChannelForm) { f.Name = new("\u200b") }, "common.nameRequired", "", nil},
		{"no kind", func(f *notify.ChannelForm) { f.Kinds = nil }, "channel.modeRequired", "", nil},
		{"an unknown kind", func(f *notify.ChannelForm) { f.Kinds = []string{"email", "fax"} }, "invalid.choice", "noticeMode", nil},
		{"no address", mails(), "channel.emailEmpty", "", nil},
		{"blank addresses", mails("", " "), "channel.emailEmpty", "", nil},
		{"21 addresses", mails(append(twenty(), "b@example.com")...), "invalid.many", "emails", limit("20")},
		{"an address twice", mails("ada@example.com", "Ada@EXAMPLE.com"), "channel.emailTwice", "", value("Ada@EXAMPLE.com")},
		{"a name and an address", mails("Ada <ada@example.com>"), "channel.emailFormat", "", value("Ada <ada@example.com>")},
		{"the second", mails("ada@example.com", "ada@example"), "channel.emailFormat", "", value("ada@example")},
		{"an IPv4 host", mails("ada@example.com", "crew@10.0.0.1"), "invalid.mailHost", "emails", value("crew@10.0.0.1")},
		{"an IPv4 host in brackets", mails("crew@[10.0.0.1]"), "invalid.mailHost", "emails", value("crew@[10.0.0.1]")},
		{"an IPv6 host in brackets", mails("crew@[IPv6:fd00::1]"), "invalid.mailHost", "emails", value("crew@[IPv6:fd00::1]")},
		{"a hexadecimal host", mails("crew@0x0a.0.0.1"), "invalid.mailHost", "emails", value("crew@0x0a.0.0.1")},
		{"another header", mails("ada@example.com\r\nBcc: eve@example.com"), "channel.emailFormat", "", value("ada@example.comBcc: eve@example.com")},
		{"no number", numbers(), "channel.phoneEmpty", "", nil},
		{"four numbers", numbers("+12", "+13", "+14", "+15"), "invalid.many", "phoneMessage", limit("3")},
		{"a number twice", numbers("+8613800138000", "138-0013-8000"), "channel.phoneTwice", "", value("138-0013-8000")},
		{"letters", numbers("+90 555 CALL ME"), "channel.phoneFormat", "", value("+90 555 CALL ME")},
		{"a long one", numbers("+1234567890123456"), "channel.phoneFormat", "", value("+1234567890123456")},
		{"a short one", numbers("+1"), "channel.phoneFormat", "", value("+1")},
		{"from zero", numbers("0555 111 22 33"), "channel.phoneFormat", "", value("0555 111 22 33")},
		{"another script's digits", numbers("+９０5551112233"), "channel.phoneFormat", "", value("+９０5551112233")},
		{"a very long one", numbers(strings.Repeat("x", 100_000)), "channel.phoneFormat", "", value(strings.Repeat("x", 64) + "…")},
		{"an unknown language", func(f *notify.ChannelForm) { f.Language = new("xx-xx") }, "invalid.choice", "language", nil},
	} {
		got, err := filled(c.form).Channel(7)
		e := errs.As(err)
		if err == nil || e.Kind != errs.Refused || e.Key != c.key || e.Field != c.field ||
			len(e.Args)+len(c.args) > 0 && !maps.Equal(e.Args, c.args) {
			t.Errorf("%s: %v %q, want %s %s %q (made %+v)", c.name, err, e.Args, c.field, c.key, c.args, got)
		}
	}
	for _, wrong := range []string{
		"ada", "ada@", "@example.com", "ada@@example.com", "ada@example.com, eve@example.com", "ada@example.com;eve@example.com", `"a b"@example.com`,
		"a\x00@example.com", "a..b@example.com", ".a@example.com", "a\u202e@example.com", strings.Repeat("a", 250) + "@example.com", "a@b..c",
		"<a@example.com>", "ada@example.com (x)",
	} {
		if _, err := filled(mails(wrong)).Channel(7); errs.As(err).Key != "channel.emailFormat" {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// If several fields are wrong, the error is the first in the order of the form.
func TestChannelFormFirstError(t *testing.T) {
	f := &notify.ChannelForm{Language: new("x"), To: notify.Recipients{}}
	for _, step := range []struct {
		key string
		fix func()
	}{
		{"common.nameRequired", func() { f.Name = new("A") }},
		{"channel.modeRequired", func() { f.Kinds = []string{"phoneMessage", "email"} }},
		{"channel.emailEmpty", func() { f.To[notify.KindEmail] = []string{"x"} }},
		{"channel.emailFormat", func() { f.To[notify.KindEmail] = []string{"a@b.cd"} }},
		{"channel.phoneEmpty", func() { f.To[notify.KindSMS] = []string{"x"} }},
		{"channel.phoneFormat", func() { f.To[notify.KindSMS] = []string{"+12"} }},
		{"invalid.choice", func() { f.Language = nil }},
	} {
		if _, err := f.Channel(7); errs.As(err).Key != step.key {
			t.Errorf("%v, want %s", err, step.key)
		}
		step.fix()
	}
	if _, err := f.Channel(7); err != nil {
		t.Error(err)
	}
}
