package identity

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/text"
)

// maxSubjectLength limits the subject of an email, in characters.
const maxSubjectLength = 60

// Email is an email to a user.
type Email struct {
	ID       string // unique
	To       string
	Language text.Language
	Subject  string
	Text     string // paragraphs, separated by empty lines
}

// Mailer sends emails in the background; Enqueue never blocks.
type Mailer interface{ Enqueue(l Email) }

// newAccountEmail makes the email that tells a tenant's user about an event of the account. event
// is mobile, email or password if that changed, and value is the new value, masked; factorOn or
// factorOff if the second factor was turned on or off; signOn if the account was linked to one at an
// issuer, value; or guesses if somebody tries passwords. It gives nil for a user without an address.
func newAccountEmail(t *tenant.Tenant, u *User, event, value string, at time.Time) *Email {
	if u.Email == "" {
		return nil
	}
	sentences := map[string][3]string{
		"mobile":   {"mail.mobileSubject", "mail.mobileBody", "mail.notYou"},
		"email":    {"mail.emailSubject", "mail.emailBody", "mail.notYou"},
		"password": {"mail.passwordSubject", "mail.passwordBody", "mail.notYou"},
		"signOn":   {"mail.signOnSubject", "mail.signOnBody", "mail.notYou"},
		"guesses":  {"mail.guessesSubject", "mail.guessesBody", "mail.guessesAdvice"},

		"factorOn":  {"mail.factorOnSubject", "mail.factorOnBody", "mail.notYou"},
		"factorOff": {"mail.factorOffSubject", "mail.factorOffBody", "mail.notYou"},
	}[event]
	l := languageOf(t, u.Language)
	body := text.Translate(l, sentences[1], map[string]string{
		"user": u.UserName, "time": text.DateTimeWithZone(l, at.In(t.TimeZone)), event: value,
	})
	return &Email{
		ID: fmt.Sprintf("account-%d-%s", u.ID, rand.Text()), To: u.Email, Language: l,
		Subject: subject(l, t, sentences[0]),
		Text:    body + "\n\n" + text.Translate(l, sentences[2], nil),
	}
}

// emailUser sends u an email about an event, after the transaction in ctx commits.
func emailUser(
	ctx context.Context,
	d *db.DB,
	tenants *tenant.Store,
	m Mailer,
	u *User,
	event, value string,
	at time.Time,
) error {
	if m == nil {
		return nil
	}
	t, err := tenants.Get(ctx, u.Tenant)
	if err != nil {
		return err
	}
	if email := newAccountEmail(t, u, event, value, at); email != nil {
		d.AfterCommit(ctx, func() { m.Enqueue(*email) })
	}
	return nil
}

// newInvitationEmail makes the email that brings an invitation's link to its address.
func newInvitationEmail(t *tenant.Tenant, i *Invitation, link string) *Email {
	l := languageOf(t, i.Language)
	body := text.Translate(l, "mail.invitationBody", map[string]string{
		"by": i.InvitedBy, "title": text.SingleLine(t.Title()),
		"role": text.Translate(l, "roleName."+string(i.Role), nil),
		"time": text.DateTimeWithZone(l, time.UnixMilli(i.Expires).In(t.TimeZone)),
	})
	return &Email{
		ID: fmt.Sprintf("invitation-%d-%s", i.ID, rand.Text()), To: i.Email, Language: l,
		Subject: subject(l, t, "mail.invitationSubject"),
		Text:    body + "\n\n" + link + "\n\n" + text.Translate(l, "mail.invitationAdvice", nil),
	}
}

// languageOf gives the language of an email to somebody who chose one; empty: the tenant's.
func languageOf(t *tenant.Tenant, chosen text.Language) text.Language {
	if chosen.Valid() {
		return chosen
	}
	return t.Language
}

// subject gives the subject of an email, with the tenant's title shortened to fit.
func subject(l text.Language, t *tenant.Tenant, key string) string {
	untitled := text.Translate(l, key, map[string]string{"title": ""})
	title := text.Shorten(text.SingleLine(t.Title()), maxSubjectLength-len([]rune(untitled)))
	return text.Translate(l, key, map[string]string{"title": title})
}
