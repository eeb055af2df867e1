package identity_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
)

// person reads a user anew.
func (k *credentialFixture) person(t *testing.T, u *identity.User) *identity.User {
	t.Helper()
	got, err := k.Users.Get(t.Context(), u.Tenant, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (k *credentialFixture) change(t *testing.T, u *identity.User, c identity.PersonChange) error {
	t.Helper()
	return k.People.Change(t.Context(), u.Tenant, u.ID, c)
}

func TestPeoplePage(t *testing.T) {
	k := newCredentialFixture(t)
	k.setRole(t, k.field.Bora, identity.Viewer)
	k.User(t, k.field.ID, "Işıl")
	for _, c := range []struct {
		name   string
		filter identity.PeopleFilter
		want   []string
	}{
		{"all", identity.PeopleFilter{}, []string{"ada", "bora", "Işıl"}},
		{"a role", identity.PeopleFilter{Role: identity.Viewer}, []string{"bora"}},
		{"a state", identity.PeopleFilter{State: identity.UserShut}, nil},
		{"part of an address", identity.PeopleFilter{Text: " ADA@ "}, []string{"ada"}},
		{"Turkish letters in another case", identity.PeopleFilter{Text: "IŞIL"}, []string{"Işıl"}},
		{"all of them together", identity.PeopleFilter{Text: "a", Role: identity.Viewer, State: identity.UserActive}, []string{"bora"}},
	} {
		page, err := k.People.Page(t.Context(), k.field.ID, c.filter, 0, 10)
		var got []string
		for _, u := range page.List {
			got = append(got, u.UserName)
		}
		if err != nil || !slices.Equal(got, c.want) || page.Total != len(c.want) || page.Owners != 2 {
			t.Errorf("%s: %v of %d, %d owners, %v", c.name, got, page.Total, page.Owners, err)
		}
	}
	page, err := k.People.Page(t.Context(), k.field.ID, identity.PeopleFilter{}, 1, 1)
	if err != nil || page.Total != 3 || len(page.List) != 1 || page.List[0].UserName != "bora" {
		t.Errorf("%+v %v", page, err)
	}
}

func TestChangePerson(t *testing.T) {
	k := newCredentialFixture(t)
	pair := k.Session(t, k.field.Bora)
	_, secret := k.create(t, k.field.Bora, "program")
	key := k.list(t, k.field.Bora)[0].AppKey
	if err := k.change(
		t,
		k.field.Bora,
		identity.PersonChange{Role: new("viewer"), Language: new("tr-tr")},
	); err != nil {
		t.Fatal(err)
	}
	got := k.person(t, k.field.Bora)
	if got.Role != identity.Viewer || got.RoleFrom != identity.RoleFromOwner || got.Language != "tr-tr" ||
		got.Nickname != k.field.Bora.Nickname || got.Mobile != k.field.Bora.Mobile {
		t.Errorf("%+v", got)
	}
	if c, err := k.Sessions.Caller(t.Context(), pair.Access); err != nil || c.Role != identity.Viewer {
		t.Errorf("%+v %v", c, err)
	}
	wantRefused(
		t,
		"a role that is none",
		k.change(t, k.field.Bora, identity.PersonChange{Role: new("king")}),
		"invalid.choice",
	)
	wantRefused(t, "a language that is none",
		k.change(t, k.field.Bora, identity.PersonChange{Language: new("xx")}), "invalid.choice")

	// Disabled: sessions and programs end; enabled again, the session does not come back.
	ended := []int64{}
	k.Sessions.Ended.Then(func(session int64) { ended = append(ended, session) })
	if err := k.change(t, k.field.Bora, identity.PersonChange{Enabled: new(false)}); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Sessions.Caller(t.Context(), pair.Access); !errs.Is(err, errs.Unauthenticated) || len(ended) != 1 {
		t.Errorf("a disabled person's session: %v, %d ended", err, len(ended))
	}
	if _, err := k.Sessions.Refresh(t.Context(), pair.Refresh); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("a disabled person's refresh token: %v", err)
	}
	if k.authenticates(t, key, secret) {
		t.Error("a disabled person's program is let in")
	}
	if s := k.person(t, k.field.Bora).State(); s != identity.UserDisabled {
		t.Errorf("state %s", s)
	}
	// The provider's mark is another one: taking the owner's away does not let in.
	shut := k.person(t, k.field.Bora)
	shut.Disabled = true
	if err := k.Users.Update(t.Context(), k.field.ID, shut); err != nil {
		t.Fatal(err)
	}
	if err := k.change(t, k.field.Bora, identity.PersonChange{Enabled: new(true)}); err != nil {
		t.Fatal(err)
	}
	if s := k.person(t, k.field.Bora).State(); s != identity.UserShut || k.authenticates(t, key, secret) {
		t.Errorf("state %s", s)
	}
	for name, err := range map[string]error{
		"another tenant's": k.People.Change(t.Context(), k.rival.ID, k.field.Bora.ID, identity.PersonChange{Role: new("viewer")}),
		"nobody":           k.People.Change(t.Context(), k.field.ID, 999, identity.PersonChange{Role: new("viewer")}),
		"end another's":    k.People.EndSessions(t.Context(), k.rival.ID, k.field.Bora.ID),
		"delete another's": k.People.Delete(t.Context(), k.rival.ID, k.field.Bora.ID),
	} {
		if !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEndSessionsOfPerson(t *testing.T) {
	k := newCredentialFixture(t)
	first, second, ada := k.Session(t, k.field.Bora), k.Session(t, k.field.Bora), k.Session(t, k.field.Ada)
	if err := k.People.EndSessions(t.Context(), k.field.ID, k.field.Bora.ID); err != nil {
		t.Fatal(err)
	}
	for _, pair := range []identity.TokenPair{first, second} {
		if _, err := k.Sessions.Caller(t.Context(), pair.Access); !errs.Is(err, errs.Unauthenticated) {
			t.Error(err)
		}
	}
	if _, err := k.Sessions.Caller(t.Context(), ada.Access); err != nil {
		t.Error(err)
	}
}

// The last owner who can sign in stays one, whatever would take that away.
func TestLastOwnerStays(t *testing.T) {
	k := newCredentialFixture(t)
	if err := k.change(t, k.field.Bora, identity.PersonChange{Role: new("operator")}); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, "demote", k.change(t, k.field.Ada, identity.PersonChange{Role: new("viewer")}), "people.lastOwner")
	wantRefused(t, "disable", k.change(t, k.field.Ada, identity.PersonChange{Enabled: new(false)}), "people.lastOwner")
	if got := k.person(t, k.field.Ada); got.Role != identity.Owner || got.State() != identity.UserActive {
		t.Errorf("%+v", got)
	}
	// An owner who cannot sign in does not count.
	shut := k.person(t, k.field.Bora)
	shut.Role, shut.Disabled = identity.Owner, true
	if err := k.Users.Update(t.Context(), k.field.ID, shut); err != nil {
		t.Fatal(err)
	}
	wantRefused(
		t,
		"beside one shut out",
		k.change(t, k.field.Ada, identity.PersonChange{Role: new("viewer")}),
		"people.lastOwner",
	)
	// Another language is no loss, and the provider, being the master, may take the last owner away.
	if err := k.change(t, k.field.Ada, identity.PersonChange{Language: new("ru-ru")}); err != nil {
		t.Error(err)
	}
	k.setRole(t, k.field.Ada, identity.Viewer)
}

// Two owners who demote each other at once: one does, the other is refused.
func TestOwnersDemoteEachOther(t *testing.T) {
	k := newCredentialFixture(t)
	for round := range 5 {
		for _, u := range []*identity.User{k.field.Ada, k.field.Bora} {
			k.setRole(t, u, identity.Owner)
		}
		var both sync.WaitGroup
		var errors [2]error
		for i, u := range []*identity.User{k.field.Ada, k.field.Bora} {
			both.Go(func() { errors[i] = k.change(t, u, identity.PersonChange{Role: new("viewer")}) })
		}
		both.Wait()
		refused := errors[0]
		if refused == nil {
			refused = errors[1]
		}
		wantRefused(t, fmt.Sprint("round ", round), refused, "people.lastOwner")
		if errors[0] != nil && errors[1] != nil {
			t.Errorf("both are refused: %v", errors)
		}
	}
}

// Somebody whom the provider's file made can only be disabled.
func TestDeletePerson(t *testing.T) {
	k := newCredentialFixture(t)
	wantRefused(t, "from the file", k.People.Delete(t.Context(), k.field.ID, k.field.Bora.ID), "people.fromFile")
	invited := &identity.User{UserName: "cem", Role: identity.Owner, RoleFrom: identity.RoleFromOwner, MadeHere: true}
	if err := k.Users.Create(t.Context(), k.field.ID, invited, ""); err != nil {
		t.Fatal(err)
	}
	pair := k.Session(t, invited)
	if err := k.People.Delete(t.Context(), k.field.ID, invited.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Sessions.Caller(t.Context(), pair.Access); !errs.Is(err, errs.Unauthenticated) {
		t.Error(err)
	}
	if _, err := k.Users.Get(t.Context(), k.field.ID, invited.ID); !errs.Is(err, errs.NotFound) {
		t.Error(err)
	}
}

// Where the provider manages the people, nothing of them can be read or changed here.
func TestPeopleByProvider(t *testing.T) {
	k := newCredentialFixture(t)
	offered, link := k.invite(t, identity.InvitationForm{Role: "viewer"})
	k.field.PeopleByProvider = true
	if err := k.Tenants.Put(t.Context(), k.field.Tenant); err != nil {
		t.Fatal(err)
	}
	ctx, id, ada := t.Context(), k.field.ID, k.field.Ada.ID
	c := identity.Caller{Tenant: id, User: ada, Role: identity.Owner}
	_, errPage := k.People.Page(ctx, id, identity.PeopleFilter{}, 0, 10)
	_, _, errInvitations := k.People.PageInvitations(ctx, id, 0, 10)
	_, _, errInvite := k.People.Invite(ctx, c, identity.InvitationForm{Role: "viewer"})
	_, _, errResend := k.People.Resend(ctx, c, offered.ID)
	for name, err := range map[string]error{
		"page": errPage, "invitations": errInvitations, "invite": errInvite, "resend": errResend,
		"take back": k.People.TakeBack(ctx, id, offered.ID),
		"change":    k.change(t, k.field.Bora, identity.PersonChange{Role: new("viewer")}),
		"end":       k.People.EndSessions(ctx, id, k.field.Bora.ID),
		"delete":    k.People.Delete(ctx, id, k.field.Bora.ID),
	} {
		wantRefused(t, name, err, "people.byProvider")
	}
	_, _, err := k.People.Offer(ctx, tokenOf(link))
	wantRefused(t, "an invitation from before", err, "invitation.dead")
}
