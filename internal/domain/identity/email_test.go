package identity_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

// The SMS is in the caller's language and names the tenant's title.
func TestCodeSMSText(t *testing.T) {
	f := newSessionFixture(t, false)
	f.field.Branding.Title = "Yeşil Alan"
	if err := f.Tenants.Put(t.Context(), f.field.Tenant); err != nil {
		t.Fatal(err)
	}
	c := f.caller(t, f.pair)
	for i, l := range text.Languages {
		r := identity.CodeRequest{
			Mobile: mobileNumber(i), Purpose: 2, Language: l, Address: netip.MustParseAddr(homeAddr),
		}
		if err := f.Account.SendCode(t.Context(), c, r); err != nil {
			t.Fatal(err)
		}
		want := text.Translate(l, "sms.code", map[string]string{
			"title": "Yeşil Alan", "code": f.Phones.Code(t, mobileNumber(i)), "minutes": "10",
		})
		if sent := f.Phones.Sent(); sent[i] != (testkit.SMS{To: mobileNumber(i), Text: want}) ||
			text.SMSParts(want) != 1 {
			t.Errorf("%s: %+v, want %s", l, sent[i], want)
		}
		f.Clock.Advance(time.Minute)
	}
}

// A changed mobile number, password or email address is reported to the old address, in the
// tenant's language and time zone.
func TestAccountChangeEmails(t *testing.T) {
	f := newSessionFixture(t, false)
	f.field.Language = text.Turkish
	f.field.Branding.Title = "Yeşil\r\nAlan"
	if err := f.Tenants.Put(t.Context(), f.field.Tenant); err != nil {
		t.Fatal(err)
	}
	f.setMobile(t, f.field.Ada, "+905559999999")
	c := f.caller(t, f.pair)
	old := f.field.Ada.Email
	if err := f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, f.requestCode(t, c, phone))); err != nil {
		t.Fatal(err)
	}
	f.Clock.Advance(time.Minute)
	if err := f.Account.ChangePassword(t.Context(), c, f.requestCode(t, c, phone), "new pass"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second changes nothing
		if err := f.Account.UpdateProfile(t.Context(), c, identity.Profile{Nickname: "Ada",
			Email: "new@example.com"}); err != nil {
			t.Fatal(err)
		}
	}
	emails := f.Mails.Sent()
	if len(emails) != 3 {
		t.Fatalf("%+v", emails)
	}
	warning := "\n\nBunu başkası yaptıysa parolayı hemen değiştirin ve yöneticinize haber verin."
	ids := map[string]bool{}
	for i, want := range []identity.Email{
		{Subject: "Yeşil Alan: cep telefonu değişti", Text: "“ada” hesabının cep telefonu artık +90•••••001. Zaman: 21.11.2026 12:00 (UTC+3)." + warning},
		{Subject: "Yeşil Alan: parola değişti", Text: "“ada” hesabının parolası değiştirildi. Zaman: 21.11.2026 12:01 (UTC+3). Hesabın diğer oturumları kapatıldı." + warning},
		{Subject: "Yeşil Alan: e-posta adresi değişti", Text: "“ada” hesabının e-posta adresi artık n•••@example.com. Zaman: 21.11.2026 12:01 (UTC+3)." + warning},
	} {
		got := emails[i]
		ids[got.ID] = true
		if got.To != old || got.Language != text.Turkish || got.Subject != want.Subject || got.Text != want.Text ||
			strings.Contains(got.Text, "new pass") {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if len(ids) != 3 {
		t.Errorf("ids %v", ids)
	}
}

// Subjects stay short in every language, for any title of the tenant.
func TestSubjectsAreShort(t *testing.T) {
	f := newSessionFixture(t, false)
	c := f.caller(t, f.pair)
	f.field.Branding.Title = strings.Repeat("Ş", 64)
	for i, l := range text.Languages {
		f.field.Language = l
		if err := f.Tenants.Put(t.Context(), f.field.Tenant); err != nil {
			t.Fatal(err)
		}
		if err := f.Account.UpdateMobile(t.Context(), c, mobileChange(mobileNumber(i),
			f.requestCode(t, c, mobileNumber(i)))); err != nil {
			t.Fatal(err)
		}
		f.Clock.Advance(time.Minute)
		subject := f.Mails.Sent()[i].Subject
		if n := len([]rune(subject)); n > 60 || n < 55 || !strings.Contains(subject, "ŞŞŞ...") {
			t.Errorf("%s: %q has %d characters", l, subject, n)
		}
	}
}

// Everything that emails about an account say comes from the catalogue.
func TestAccountEmailsAreTranslated(t *testing.T) {
	f := newSessionFixture(t, false)
	c := f.caller(t, f.pair)
	pseudo.Register()
	f.field.Language, f.field.Branding.Title = pseudo.Language, "田"
	if err := f.Tenants.Put(t.Context(), f.field.Tenant); err != nil {
		t.Fatal(err)
	}
	if err := f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, f.requestCode(t, c, phone))); err != nil {
		t.Fatal(err)
	}
	f.Clock.Advance(time.Minute)
	if err := f.Account.ChangePassword(t.Context(), c, f.requestCode(t, c, phone), "new pass"); err != nil {
		t.Fatal(err)
	}
	if err := f.Account.UpdateProfile(
		t.Context(),
		c,
		identity.Profile{Nickname: "Ada", Email: "new@example.com"},
	); err != nil {
		t.Fatal(err)
	}
	emails := f.Mails.Sent()
	if len(emails) != 3 {
		t.Fatalf("%+v", emails)
	}
	for _, e := range emails {
		words := pseudo.Untranslated(e.Subject+"\n"+e.Text, f.field.Ada.UserName, "n•••@example.com")
		if len(words) > 0 || !strings.HasPrefix(e.Subject, pseudo.Open) || !strings.HasPrefix(e.Text, pseudo.Open) {
			t.Errorf("%q in %s\n%s", words, e.Subject, e.Text)
		}
	}
}

// A user without an address gets no email, and a server without mail sends none; the change is made
// all the same.
func TestNoEmailWithoutAddressOrMailer(t *testing.T) {
	f := newSessionFixture(t, false)
	c := f.caller(t, f.pair)
	f.field.Ada.Email = ""
	f.setMobile(t, f.field.Ada, "")
	if err := f.Account.BindMobile(t.Context(), c, mobileChange(phone, f.requestCode(t, c, phone))); err != nil ||
		len(f.Mails.Sent()) != 0 {
		t.Errorf("%v %v", err, f.Mails.Sent())
	}
	parts := f.Account.AccountDeps
	parts.Mailer = nil
	f.Clock.Advance(time.Minute)
	if err := identity.NewAccount(parts).ChangePassword(t.Context(), c, f.requestCode(t, c, phone),
		"new pass"); err != nil {
		t.Error(err)
	}
}

// A change that is rolled back sends no email.
func TestNoEmailForFailedChange(t *testing.T) {
	f := newSessionFixture(t, false)
	f.setMobile(t, f.field.Ada, "+905559999999")
	c := f.caller(t, f.pair)
	code := f.requestCode(t, c, phone)
	if _, err := f.Users.Get(t.Context(), f.field.ID, c.User); err != nil {
		t.Fatal(err)
	}
	if err := f.Account.UpdateMobile(t.Context(), c, mobileChange(phone, wrongCode(code))); err == nil {
		t.Fatal("the change succeeded without a database")
	}
	if got := f.Mails.Sent(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
