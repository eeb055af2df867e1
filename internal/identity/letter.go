package identity

import (
	"crypto/rand"
	"fmt"
	"time"

	"tilth/internal/tenant"
	"tilth/internal/text"
)

// subjectMax is how long a mail's subject is at most, in characters.
const subjectMax = 60

// Letter is a mail to a user.
type Letter struct {
	ID       string // unique
	To       string
	Language text.Language
	Subject  string
	Text     string // paragraphs parted by empty lines
}

// Postbox takes letters to be sent in the background; Post never waits.
type Postbox interface{ Post(l Letter) }

// letterOf writes a tenant's user what happened to the account: what is mobile, email
// or password where that changed, and as what it is now, as much of it as may be
// shown; or guesses, where others try passwords. There is none for a user without an address.
func letterOf(t *tenant.Tenant, u *User, what, as string, at time.Time) *Letter {
	if u.Email == "" {
		return nil
	}
	sentences := map[string][3]string{
		"mobile":   {"mail.mobileSubject", "mail.mobileBody", "mail.notYou"},
		"email":    {"mail.emailSubject", "mail.emailBody", "mail.notYou"},
		"password": {"mail.passwordSubject", "mail.passwordBody", "mail.notYou"},
		"guesses":  {"mail.guessesSubject", "mail.guessesBody", "mail.guessesAdvice"},
	}[what]
	body := text.Say(t.Language, sentences[1], map[string]string{
		"user": u.UserName, "time": text.Zoned(t.Language, at.In(t.TimeZone)), what: as,
	})
	title := text.Shorten(text.Line(titleOf(t)), subjectMax-len([]rune(text.Say(t.Language, sentences[0], map[string]string{"title": ""}))))
	return &Letter{
		ID: fmt.Sprintf("account-%d-%s", u.ID, rand.Text()), To: u.Email, Language: t.Language,
		Subject: text.Say(t.Language, sentences[0], map[string]string{"title": title}),
		Text:    body + "\n\n" + text.Say(t.Language, sentences[2], nil),
	}
}

// titleOf is what a tenant is called before its people.
func titleOf(t *tenant.Tenant) string {
	if t.Branding.Title != "" {
		return t.Branding.Title
	}
	return t.Name
}
