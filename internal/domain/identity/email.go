package identity

import (
	"crypto/rand"
	"fmt"
	"time"

	"tilth/internal/domain/tenant"
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
// is mobile, email or password if that changed, and value is the new value, masked; or event is
// guesses if somebody tries passwords. It gives nil for a user without an address.
func newAccountEmail(t *tenant.Tenant, u *User, event, value string, at time.Time) *Email {
	if u.Email == "" {
		return nil
	}
	sentences := map[string][3]string{
		"mobile":   {"mail.mobileSubject", "mail.mobileBody", "mail.notYou"},
		"email":    {"mail.emailSubject", "mail.emailBody", "mail.notYou"},
		"password": {"mail.passwordSubject", "mail.passwordBody", "mail.notYou"},
		"guesses":  {"mail.guessesSubject", "mail.guessesBody", "mail.guessesAdvice"},
	}[event]
	body := text.Translate(t.Language, sentences[1], map[string]string{
		"user": u.UserName, "time": text.DateTimeWithZone(t.Language, at.In(t.TimeZone)), event: value,
	})
	untitled := text.Translate(t.Language, sentences[0], map[string]string{"title": ""})
	title := text.Shorten(text.SingleLine(displayTitle(t)), maxSubjectLength-len([]rune(untitled)))
	return &Email{
		ID: fmt.Sprintf("account-%d-%s", u.ID, rand.Text()), To: u.Email, Language: t.Language,
		Subject: text.Translate(t.Language, sentences[0], map[string]string{"title": title}),
		Text:    body + "\n\n" + text.Translate(t.Language, sentences[2], nil),
	}
}

// displayTitle gives the name of a tenant that its users see.
func displayTitle(t *tenant.Tenant) string {
	if t.Branding.Title != "" {
		return t.Branding.Title
	}
	return t.Name
}
