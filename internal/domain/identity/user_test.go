package identity_test

import (
	"strings"
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func TestUserRoundTrip(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	made := &identity.User{
		UserName: "Çağla",
		Nickname: "Ç",
		Email:    "c@example.com",
		Mobile:   "+905551112299",
		Disabled: true,
	}
	if err := s.Users.Create(t.Context(), field.ID, made, "hash"); err != nil {
		t.Fatal(err)
	}
	if made.ID == 0 || made.Tenant != field.ID {
		t.Errorf("%+v", made)
	}
	for name, find := range map[string]func() (*identity.User, error){
		"Get":              func() (*identity.User, error) { return s.Users.Get(t.Context(), field.ID, made.ID) },
		"ByName":           func() (*identity.User, error) { return s.Users.ByName(t.Context(), field.ID, "Çağla") },
		"ByName, capitals": func() (*identity.User, error) { return s.Users.ByName(t.Context(), field.ID, "ÇAğLA") },
	} {
		if got, err := find(); err != nil || *got != *made {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	if hash, err := s.Users.PasswordHash(t.Context(), field.ID, made.ID); err != nil || hash != "hash" {
		t.Errorf("%q %v", hash, err)
	}
	same := &identity.User{UserName: "ADA"}
	if err := s.Users.Create(t.Context(), field.ID, same, "hash"); !db.IsDuplicate(err) {
		t.Errorf("ada in capitals was created beside ada: %v", err)
	}
	all, err := s.Users.List(t.Context(), field.ID)
	if err != nil || len(all) != 3 || all[0].UserName != "ada" || all[1].UserName != "bora" ||
		all[2].UserName != "Çağla" {
		t.Errorf("%+v %v", all, err)
	}
}

func TestUserChanges(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	want := *field.Ada
	want.Nickname, want.Email, want.Mobile, want.Disabled = "N", "n@example.com", "", true
	change := want
	change.UserName = "renamed" // Update does not change the user name
	if err := s.Users.Update(t.Context(), field.ID, &change); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Users.Get(t.Context(), field.ID, field.Ada.ID); err != nil || *got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	if err := s.Users.PutPassword(t.Context(), field.ID, field.Ada.ID, "other"); err != nil {
		t.Fatal(err)
	}
	if hash, _ := s.Users.PasswordHash(t.Context(), field.ID, field.Ada.ID); hash != "other" {
		t.Errorf("hash %q", hash)
	}
	if hash, _ := s.Users.PasswordHash(t.Context(), field.ID, field.Bora.ID); hash == "other" {
		t.Error("other users have the new password")
	}
}

// Users are found by address in any case of its letters, and by number.
func TestUsersWithContacts(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	for _, u := range []*identity.User{
		{UserName: "cem", Email: "Cem@Example.com"},
		{UserName: "deniz", Mobile: "+905551110000"},
		{UserName: "eda", Email: "cem@example.com", Mobile: "+905551110001"},
	} {
		if err := s.Users.Create(t.Context(), field.ID, u, "hash"); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		contacts []string
		want     string
	}{
		{[]string{"CEM@example.com"}, "cem eda"},
		{[]string{"+905551110000"}, "deniz"},
		{[]string{"cem@example.com", "+905551110000"}, "cem deniz eda"},
		{[]string{"nobody@example.com", "+905551110009"}, ""},
		{nil, ""},
	} {
		found, err := s.Users.WithContacts(t.Context(), field.ID, row.contacts)
		names := make([]string, len(found))
		for i, u := range found {
			names[i] = u.Name()
		}
		if got := strings.Join(names, " "); err != nil || got != row.want {
			t.Errorf("%v: %q %v, want %q", row.contacts, got, err, row.want)
		}
	}
}

func TestUserDelete(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	pair, bora := s.Session(t, field.Ada), s.Session(t, field.Bora)
	if err := s.Users.Delete(t.Context(), field.ID, field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Users.Get(t.Context(), field.ID, field.Ada.ID); !errs.Is(err, errs.NotFound) {
		t.Errorf("%v", err)
	}
	if _, err := s.Sessions.Caller(t.Context(), pair.Access); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("a deleted user's token: %v", err)
	}
	if _, err := s.Sessions.Refresh(t.Context(), pair.Refresh); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("a deleted user's refresh token: %v", err)
	}
	if _, err := s.Sessions.Caller(t.Context(), bora.Access); err != nil {
		t.Errorf("another user's token: %v", err)
	}
}

// No method of the stores, called with another tenant's id for this tenant's user or session, finds
// or changes anything.
func TestTenantIsolation(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	mine := s.User(t, field.ID, "only-mine")
	pair := s.Session(t, mine)
	mine.LastSignIn = s.Clock.Now().UnixMilli()
	caller, err := s.Sessions.Caller(t.Context(), pair.Access)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, owner := range []tenant.ID{rival.ID, 0, 99} {
		for name, row := range map[string]struct {
			call  func() error
			finds bool // the method must return a NotFound error
		}{
			"UserStore.Get":          {func() error { _, err := s.Users.Get(ctx, owner, mine.ID); return err }, true},
			"UserStore.ByName":       {func() error { _, err := s.Users.ByName(ctx, owner, "only-mine"); return err }, true},
			"UserStore.PasswordHash": {func() error { _, err := s.Users.PasswordHash(ctx, owner, mine.ID); return err }, true},
			"UserStore.Update":       {func() error { u := *mine; u.Nickname = "taken"; return s.Users.Update(ctx, owner, &u) }, true},
			"UserStore.PutPassword":  {func() error { return s.Users.PutPassword(ctx, owner, mine.ID, "taken") }, true},
			"UserStore.Delete":       {func() error { return s.Users.Delete(ctx, owner, mine.ID) }, false},
			"UserStore.List": {func() error {
				all, err := s.Users.List(ctx, owner)
				for _, u := range all {
					if u.ID == mine.ID {
						t.Errorf("tenant %d lists the user", owner)
					}
				}
				return err
			}, false},
			"UserStore.WithContacts": {func() error {
				found, err := s.Users.WithContacts(ctx, owner, []string{mine.Email, mine.Mobile})
				for _, u := range found {
					if u.ID == mine.ID {
						t.Errorf("tenant %d finds the user by contact", owner)
					}
				}
				return err
			}, false},
			"SessionStore.Start":   {func() error { _, err := s.Sessions.Start(ctx, owner, mine.ID, true); return err }, true},
			"SessionStore.End":     {func() error { return s.Sessions.End(ctx, owner, caller.Session) }, false},
			"SessionStore.EndUser": {func() error { return s.Sessions.EndUser(ctx, owner, mine.ID) }, false},
			"SessionStore.IsActive": {func() error {
				active, err := s.Sessions.IsActive(ctx, owner, caller.Session)
				if active {
					t.Errorf("tenant %d sees the session as active", owner)
				}
				return err
			}, false},
			"SignIn.Password": {func() error {
				if _, err := s.SignIn.WithPassword(ctx, attempt(owner, "only-mine", testkit.Password, homeAddr)); !errs.Is(err, errs.Refused) {
					t.Errorf("tenant %d accepts the token: %v", owner, err)
				}
				return nil
			}, false},
		} {
			if err := row.call(); row.finds != errs.Is(err, errs.NotFound) || !row.finds && err != nil {
				t.Errorf("%s as tenant %d: %v", name, owner, err)
			}
			if got, err := s.Users.Get(ctx, field.ID, mine.ID); err != nil || *got != *mine {
				t.Fatalf("%s as tenant %d changed the user: %+v %v", name, owner, got, err)
			}
			if hash, err := s.Users.PasswordHash(ctx, field.ID, mine.ID); err != nil ||
				hash != testkit.PasswordHash(testkit.Password) {
				t.Fatalf("%s as tenant %d changed the password (%v)", name, owner, err)
			}
			if again, err := s.Sessions.Caller(ctx, pair.Access); err != nil || again != caller {
				t.Fatalf("%s as tenant %d ended the session: %v", name, owner, err)
			}
		}
	}
}
