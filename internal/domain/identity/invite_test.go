package identity_test

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func (k *credentialFixture) adaCaller() identity.Caller {
	return identity.Caller{Tenant: k.field.ID, User: k.field.Ada.ID, Role: identity.Owner}
}

// invite invites somebody to ada's tenant.
func (k *credentialFixture) invite(t *testing.T, f identity.InvitationForm) (*identity.Invitation, string) {
	t.Helper()
	i, link, err := k.People.Invite(t.Context(), k.adaCaller(), f)
	if err != nil {
		t.Fatal(err)
	}
	return i, link
}

func tokenOf(link string) string {
	_, token, _ := strings.Cut(link, "#")
	return token
}

func (k *credentialFixture) accept(t *testing.T, token, userName string) (identity.TokenPair, error) {
	t.Helper()
	return k.People.Accept(t.Context(), identity.Acceptance{
		Token: token, UserName: userName, Password: testkit.Password, Address: netip.MustParseAddr(homeAddr),
	})
}

func TestInviteByHandAndAccept(t *testing.T) {
	k := newCredentialFixture(t)
	i, link := k.invite(t, identity.InvitationForm{Role: "viewer", Nickname: " Neighbour ", Language: "tr-tr"})
	token, ok := strings.CutPrefix(link, "https://field.example/invitation#")
	if !ok || i.Expires != k.Clock.Milli()+identity.InvitationLife.Milliseconds() || len(token) != 43 {
		t.Errorf("%s %+v", link, i)
	}
	offered, owner, err := k.People.Offer(t.Context(), token)
	if err != nil || owner.ID != k.field.ID || offered.InvitedBy != k.field.Ada.Nickname ||
		offered.Role != identity.Viewer {
		t.Errorf("%+v %v %v", offered, owner, err)
	}
	// A taken name, in any case, and other bad input leave the token as it is.
	for name, c := range map[string]struct{ userName, password, key string }{
		"taken":          {"ADA", testkit.Password, "people.userNameTaken"},
		"with a space":   {"a b", testkit.Password, "people.userName"},
		"empty":          {" ", testkit.Password, "people.userName"},
		"long":           {strings.Repeat("x", 65), testkit.Password, "people.userName"},
		"no password":    {"cem", "", "password.required"},
		"short password": {"cem", "12345", "password.min"},
	} {
		_, err := k.People.Accept(
			t.Context(),
			identity.Acceptance{Token: token, UserName: c.userName, Password: c.password},
		)
		wantRefused(t, name, err, c.key)
	}
	pair, err := k.accept(t, token, " cem ")
	if err != nil {
		t.Fatal(err)
	}
	caller, err := k.Sessions.Caller(t.Context(), pair.Access)
	if err != nil || caller.Tenant != k.field.ID || caller.Role != identity.Viewer {
		t.Errorf("%+v %v", caller, err)
	}
	u := k.person(t, &identity.User{Tenant: k.field.ID, ID: caller.User})
	if u.UserName != "cem" || u.Nickname != "Neighbour" || u.Language != "tr-tr" || !u.MadeHere ||
		u.RoleFrom != identity.RoleFromOwner || u.LastSignIn != k.Clock.Milli() {
		t.Errorf("%+v", u)
	}
	if pair, err := k.SignIn.WithPassword(t.Context(), identity.Attempt{
		Tenant: k.field.ID, UserName: "cem", Password: testkit.Password, Address: netip.MustParseAddr(homeAddr),
	}); err != nil || pair.UserID != u.ID {
		t.Errorf("the password does not sign in: %v", err)
	}
	_, err = k.accept(t, token, "deniz")
	wantRefused(t, "again", err, "invitation.dead")
	if list, total, err := k.People.PageInvitations(t.Context(), k.field.ID, 0, 10); err != nil || total != 0 {
		t.Errorf("%v %v", list, err)
	}
}

// Of two acceptances at once, one makes a user.
func TestAcceptTwiceAtOnce(t *testing.T) {
	k := newCredentialFixture(t)
	_, link := k.invite(t, identity.InvitationForm{Role: "viewer"})
	var both sync.WaitGroup
	var errors [2]error
	for i := range errors {
		both.Go(func() { _, errors[i] = k.accept(t, tokenOf(link), fmt.Sprint("cem", i)) })
	}
	both.Wait()
	if (errors[0] == nil) == (errors[1] == nil) {
		t.Errorf("%v", errors)
	}
	if page, err := k.People.Page(
		t.Context(),
		k.field.ID,
		identity.PeopleFilter{},
		0,
		10,
	); err != nil ||
		page.Total != 3 {
		t.Errorf("%d people, %v", page.Total, err)
	}
}

// The link holds for 72 hours; sent again, only the new one holds.
func TestInvitationLinks(t *testing.T) {
	k := newCredentialFixture(t)
	i, first := k.invite(t, identity.InvitationForm{Role: "viewer"})
	k.Clock.Advance(identity.InvitationLife - time.Second)
	if _, _, err := k.People.Offer(t.Context(), tokenOf(first)); err != nil {
		t.Errorf("a second before its end: %v", err)
	}
	k.Clock.Advance(time.Second)
	_, _, err := k.People.Offer(t.Context(), tokenOf(first))
	wantRefused(t, "after 72 hours", err, "invitation.dead")
	_, err = k.accept(t, tokenOf(first), "cem")
	wantRefused(t, "accepting it", err, "invitation.dead")

	again, second, err := k.People.Resend(t.Context(), k.adaCaller(), i.ID)
	if err != nil || again.ID != i.ID || again.Expires != k.Clock.Milli()+identity.InvitationLife.Milliseconds() {
		t.Fatalf("%+v %v", again, err)
	}
	_, third, err := k.People.Resend(t.Context(), k.adaCaller(), i.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = k.People.Offer(t.Context(), tokenOf(second))
	wantRefused(t, "the replaced one", err, "invitation.dead")
	if err := k.People.TakeBack(t.Context(), k.rival.ID, i.ID); !errs.Is(err, errs.NotFound) {
		t.Errorf("another tenant's: %v", err)
	}
	if _, _, err := k.People.Resend(t.Context(),
		identity.Caller{Tenant: k.rival.ID, User: k.rival.Ada.ID}, i.ID); !errs.Is(err, errs.NotFound) {
		t.Errorf("another tenant's: %v", err)
	}
	if err := k.People.TakeBack(t.Context(), k.field.ID, i.ID); err != nil {
		t.Fatal(err)
	}
	_, err = k.accept(t, tokenOf(third), "cem")
	wantRefused(t, "taken back", err, "invitation.dead")
	for name, token := range map[string]string{"made up": "x", "none": ""} {
		_, _, err := k.People.Offer(t.Context(), token)
		wantRefused(t, name, err, "invitation.dead")
	}
}

// The mail names tenant, inviter, role, link and end, in the invitation's language.
func TestInvitationMail(t *testing.T) {
	k := newCredentialFixture(t)
	i, link := k.invite(
		t,
		identity.InvitationForm{Email: "cem@example.com", Role: "operator", Language: "ru-ru", Mail: true},
	)
	if link != "" || !i.Mailed {
		t.Errorf("%q %+v", link, i)
	}
	mails := k.Mails.Sent()
	if len(mails) != 1 || mails[0].To != "cem@example.com" || mails[0].Subject != "field: вас приглашают" ||
		mails[0].Language != "ru-ru" {
		t.Fatalf("%+v", mails)
	}
	for _, part := range []string{
		k.field.Ada.Nickname, "field", "оператор", "\n\nhttps://field.example/invitation#",
	} {
		if !strings.Contains(mails[0].Text, part) {
			t.Errorf("%q lacks %q", mails[0].Text, part)
		}
	}
	_, after, _ := strings.Cut(mails[0].Text, "#")
	token, _, _ := strings.Cut(after, "\n")
	pair, err := k.accept(t, token, "cem")
	if err != nil {
		t.Fatal(err)
	}
	if u := k.person(t, &identity.User{Tenant: k.field.ID, ID: pair.UserID}); u.Email != "cem@example.com" {
		t.Errorf("%+v", u)
	}
}

func TestInviteRefusals(t *testing.T) {
	k := newCredentialFixture(t)
	k.invite(t, identity.InvitationForm{Email: "cem@example.com", Role: "viewer"})
	for name, c := range map[string]struct {
		form identity.InvitationForm
		key  string
	}{
		"no address":      {identity.InvitationForm{Role: "viewer", Mail: true}, "profile.emailRequired"},
		"no real address": {identity.InvitationForm{Role: "viewer", Email: "x"}, "profile.emailFormat"},
		"no role":         {identity.InvitationForm{}, "invalid.choice"},
		"no language":     {identity.InvitationForm{Role: "viewer", Language: "xx"}, "invalid.choice"},
		"a long nickname": {identity.InvitationForm{Role: "viewer", Nickname: strings.Repeat("x", 65)}, "invalid.long"},
		"invited already": {identity.InvitationForm{Role: "viewer", Email: "CEM@example.com"}, "invitation.again"},
	} {
		_, _, err := k.People.Invite(t.Context(), k.adaCaller(), c.form)
		wantRefused(t, name, err, c.key)
	}
	// Without mail, or without an address for the link, nothing is made.
	k.field.Hosts = nil
	if err := k.Tenants.Put(t.Context(), k.field.Tenant); err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string]func(*identity.PeopleDeps){
		"no mail":           func(p *identity.PeopleDeps) { p.Mailer = nil },
		"no public address": func(p *identity.PeopleDeps) { p.PublicURL = "" },
	} {
		deps := k.People.PeopleDeps
		parts(&deps)
		form := identity.InvitationForm{Email: "deniz@example.com", Role: "viewer", Mail: true}
		_, _, err := identity.NewPeople(deps).Invite(t.Context(), k.adaCaller(), form)
		if !errs.Is(err, errs.NotConfigured) {
			t.Errorf("%s: %v", name, err)
		}
		// The page says so before anybody tries.
		page, err := identity.NewPeople(deps).Page(t.Context(), k.field.ID, identity.PeopleFilter{}, 0, 10)
		if err != nil || page.Mail {
			t.Errorf("%s: %+v %v", name, page, err)
		}
	}
	if list, total, err := k.People.PageInvitations(t.Context(), k.field.ID, 0, 10); err != nil || total != 1 ||
		list[0].Email != "cem@example.com" {
		t.Errorf("%d %v", total, err)
	}
	if list, total, err := k.People.PageInvitations(t.Context(), k.rival.ID, 0, 10); err != nil || total != 0 {
		t.Errorf("the rival sees %v %v", list, err)
	}
}

// A tenant sends 20 invitations by mail in an hour, and has 100 open ones; another tenant is not
// held up.
func TestInvitationLimits(t *testing.T) {
	k := newCredentialFixture(t)
	invite := func(n int, mail bool) error {
		form := identity.InvitationForm{Email: fmt.Sprintf("p%d@example.com", n), Role: "viewer", Mail: mail}
		_, _, err := k.People.Invite(t.Context(), k.adaCaller(), form)
		return err
	}
	for n := range 20 {
		if err := invite(n, true); err != nil {
			t.Fatal(n, err)
		}
	}
	if err := invite(20, true); !errs.Is(err, errs.TooMany) || errs.As(err).Retry != time.Hour {
		t.Errorf("the 21st mail: %v", err)
	}
	_, _, err := k.People.Invite(t.Context(), identity.Caller{Tenant: k.rival.ID, User: k.rival.Ada.ID},
		identity.InvitationForm{Email: "p@example.com", Role: "viewer", Mail: true})
	if err != nil {
		t.Errorf("the rival's: %v", err)
	}
	for n := 20; n < 100; n++ {
		if err := invite(n, false); err != nil {
			t.Fatal(n, err)
		}
	}
	wantRefused(t, "the 101st", invite(100, false), "invitation.tooMany")
	k.Clock.Advance(identity.InvitationLife)
	if err := invite(100, true); err != nil {
		t.Errorf("once they have expired: %v", err)
	}
	if err := k.Invitations.Sweep(t.Context(), k.Clock.Now().Add(31*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, total, err := k.People.PageInvitations(t.Context(), k.field.ID, 0, 10); err != nil || total != 1 {
		t.Errorf("%d are left, %v", total, err)
	}
}

// The thousandth person is let in, and nobody after.
func TestMostPeople(t *testing.T) {
	k := newCredentialFixture(t)
	_, first := k.invite(t, identity.InvitationForm{Role: "viewer"})
	_, second := k.invite(t, identity.InvitationForm{Role: "viewer"})
	for n := 2; n < identity.MaxPeople-1; n++ {
		if err := k.Users.Create(
			t.Context(),
			k.field.ID,
			&identity.User{UserName: fmt.Sprint("p", n)},
			"",
		); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := k.accept(t, tokenOf(first), "cem"); err != nil {
		t.Errorf("the thousandth: %v", err)
	}
	_, err := k.accept(t, tokenOf(second), "deniz")
	wantRefused(t, "one more", err, "people.tooMany")
	_, _, err = k.People.Invite(t.Context(), k.adaCaller(), identity.InvitationForm{Role: "viewer"})
	wantRefused(t, "inviting one more", err, "people.tooMany")
}
