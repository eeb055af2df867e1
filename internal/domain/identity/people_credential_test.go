package identity_test

import (
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
)

// Owners see a person's credentials with what they may do now, and delete them.
func TestCredentialsOfPerson(t *testing.T) {
	k := newCredentialFixture(t)
	old, secret := k.create(t, k.field.Bora, "Pump house")
	if !k.authenticates(t, old.AppKey, secret) {
		t.Fatal("the credential opens nothing")
	}
	small, _, err := k.Credentials.Create(t.Context(), k.field.ID, k.field.Bora.ID,
		identity.CredentialForm{Name: "Screen", Role: "viewer"})
	if err != nil {
		t.Fatal(err)
	}
	k.create(t, k.field.Ada, "Ada's")
	k.create(t, k.rival.Ada, "The rival's")
	k.setRole(t, k.field.Bora, identity.Operator)

	page, err := k.People.Page(t.Context(), k.field.ID, identity.PeopleFilter{}, 0, 10)
	if err != nil || len(page.Credentials) != 2 || page.Credentials[k.field.Bora.ID] != 2 ||
		page.Credentials[k.field.Ada.ID] != 1 {
		t.Errorf("%v %v", page.Credentials, err)
	}
	list, total, err := k.People.PageCredentials(t.Context(), k.field.ID, k.field.Bora.ID, 0, 10)
	if err != nil || total != 2 || list[0].ID != small.ID || list[0].May != identity.Viewer ||
		list[1].ID != old.ID || list[1].Role != identity.Owner || list[1].May != identity.Operator ||
		list[1].LastUse != k.Clock.Milli() {
		t.Fatalf("%+v of %d, %v", list, total, err)
	}
	if list, total, err := k.People.PageCredentials(t.Context(), k.field.ID, k.field.Bora.ID, 1, 1); err != nil ||
		total != 2 || len(list) != 1 || list[0].ID != old.ID {
		t.Errorf("the second page: %+v of %d, %v", list, total, err)
	}
	if err := k.People.DeleteCredential(t.Context(), k.field.ID, k.field.Bora.ID, old.ID); err != nil {
		t.Fatal(err)
	}
	if k.authenticates(t, old.AppKey, secret) {
		t.Error("the deleted credential still opens the data")
	}
	if left := k.list(t, k.field.Bora); len(left) != 1 || left[0].ID != small.ID {
		t.Errorf("%+v", left)
	}
}

// Another tenant's people and another person's credentials are not found, and stay.
func TestCredentialsOfPersonStayInTenant(t *testing.T) {
	k := newCredentialFixture(t)
	own, _ := k.create(t, k.field.Bora, "Bora's")
	theirs, _ := k.create(t, k.rival.Ada, "The rival's")
	if _, _, err := k.People.PageCredentials(t.Context(), k.field.ID, k.rival.Ada.ID, 0, 10); !errs.Is(
		err, errs.NotFound,
	) {
		t.Errorf("the rival's: %v", err)
	}
	for name, c := range map[string]struct{ person, credential int64 }{
		"the rival's person":                   {k.rival.Ada.ID, theirs.ID},
		"the rival's credential":               {k.field.Bora.ID, theirs.ID},
		"the credential of another":            {k.field.Ada.ID, own.ID},
		"a credential of nobody":               {k.field.Bora.ID, 999},
		"the own credential of rival's person": {k.rival.Ada.ID, own.ID},
	} {
		if err := k.People.DeleteCredential(t.Context(), k.field.ID, c.person, c.credential); !errs.Is(
			err, errs.NotFound,
		) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(k.list(t, k.field.Bora)) != 1 || len(k.list(t, k.rival.Ada)) != 1 {
		t.Error("a credential is gone")
	}
	k.field.PeopleByProvider = true
	if err := k.Tenants.Put(t.Context(), k.field.Tenant); err != nil {
		t.Fatal(err)
	}
	_, _, err := k.People.PageCredentials(t.Context(), k.field.ID, k.field.Bora.ID, 0, 10)
	wantRefused(t, "where the provider manages the people", err, "people.byProvider")
	err = k.People.DeleteCredential(t.Context(), k.field.ID, k.field.Bora.ID, own.ID)
	wantRefused(t, "where the provider manages the people", err, "people.byProvider")
}
