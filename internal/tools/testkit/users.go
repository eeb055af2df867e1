package testkit

import (
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/text"
)

// Password is the password of every user that the builders make.
const Password = "correct horse battery"

// PasswordCost is the cost of a password hash in tests. The server checks such a hash as any other,
// since a hash names its own cost.
var PasswordCost = identity.Cost{Passes: 1, Memory: 8, Threads: 1}

// PasswordHash returns the stored form of a password, at PasswordCost.
func PasswordHash(password string) string {
	salt := []byte("salt of the test")
	key := argon2.IDKey([]byte(password), salt, PasswordCost.Passes, PasswordCost.Memory, PasswordCost.Threads, 32)
	return fmt.Sprintf(
		"$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version,
		PasswordCost.Memory,
		PasswordCost.Passes,
		PasswordCost.Threads,
		base64.RawStdEncoding.EncodeToString(salt),
		base64.RawStdEncoding.EncodeToString(key),
	)
}

// Tenant is a tenant with its users.
type Tenant struct {
	*tenant.Tenant
	Ada, Bora *identity.User
}

// Tenant makes a tenant in Istanbul with the host NAME.example and two users, ada and bora. The
// users of all tenants have the same names, since a user name is unique only within a tenant.
func (s *Stores) Tenant(t testing.TB, name string) *Tenant {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Istanbul")
	if err != nil {
		t.Fatal(err)
	}
	made := &Tenant{Tenant: &tenant.Tenant{
		Name: name, Hosts: []string{name + ".example"}, TimeZone: zone, Language: text.English,
	}}
	if err := s.Tenants.Put(t.Context(), made.Tenant); err != nil {
		t.Fatal(err)
	}
	made.Ada = s.User(t, made.ID, "ada")
	made.Bora = s.User(t, made.ID, "bora")
	return made
}

// User makes a user of a tenant, whose password is Password.
func (s *Stores) User(t testing.TB, owner tenant.ID, userName string) *identity.User {
	t.Helper()
	u := &identity.User{
		UserName: userName, Nickname: userName + " of " + fmt.Sprint(owner),
		Email: fmt.Sprintf("%s@%d.example", userName, owner), Mobile: "+90555111223" + fmt.Sprint(owner%10),
	}
	if err := s.Users.Create(t.Context(), owner, u, PasswordHash(Password)); err != nil {
		t.Fatal(err)
	}
	return u
}

// Session signs a user in without the password and returns the tokens.
func (s *Stores) Session(t testing.TB, u *identity.User) identity.TokenPair {
	t.Helper()
	pair, err := s.Sessions.Start(t.Context(), u.Tenant, u.ID, false)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}
