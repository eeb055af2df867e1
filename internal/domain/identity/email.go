package identity

import (
	"crypto/rand"
	"fmt"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/text"
)

// maxSubjectLength is how long a mail's subject is at most, in characters.
const maxSubjectLength = 60

// Email is a mail to a user.
type Email struct {
	ID       string // unique
	To       string
	Language text.Language
	Subject  string
	Text     string // paragraphs parted by empty lines
}

// Mailer takes letters to be sent in the background; Post never waits.
type Mailer interface{ Enqueue(l Email) }

// newAccountEmail writes a tenant's user what happened to the account: what is mobile, email
// or password where that changed, and as what it is now, as much of it as may be
// shown; or guesses, where others try passwords. There is none for a user without an address.
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
	title := text.Shorten(
		text.SingleLine(displayTitle(t)),
		maxSubjectLength-len([]rune(text.Translate(t.Language, sentences[0], map[string]string{"title": ""}))),
	)
	return &Email{
		ID: fmt.Sprintf("account-%d-%s", u.ID, rand.Text()), To: u.Email, Language: t.Language,
		Subject: text.Translate(t.Language, sentences[0], map[string]string{"title": title}),
		Text:    body + "\n\n" + text.Translate(t.Language, sentences[2], nil),
	}
}

// displayTitle is what a tenant is called before its people.
func displayTitle(t *tenant.Tenant) string {
	if t.Branding.Title != "" {
		return t.Branding.Title
	}
	return t.Name
}
