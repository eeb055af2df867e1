package testkit

import (
	"errors"
	"syscall"
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/identity/oidc"
)

// UseIssuer makes Connections and SignOn with an issuer of the installation; nil: there is none.
// Issuers are called on this machine only.
func (s *Stores) UseIssuer(t testing.TB, installation *identity.Connection) {
	t.Helper()
	var err error
	if s.Connections, err = identity.NewConnectionStore(s.DB, SecretKey, installation); err != nil {
		t.Fatal(err)
	}
	refuse := func(bool) func(string, string, syscall.RawConn) error {
		return func(_, address string, _ syscall.RawConn) error { return errors.New(address + " is not called") }
	}
	s.SignOn = identity.NewSignOn(identity.SignOnDeps{
		DB: s.DB, Tenants: s.Tenants, Users: s.Users, Sessions: s.Sessions, Invitations: s.Invitations,
		Connections: s.Connections, Mailer: s.Mails, PublicURL: PublicURL, Now: s.Clock.Now, Logger: s.Log.Logger,
		Issuers: oidc.NewClient(oidc.Options{Control: refuse, Now: s.Clock.Now}),
	})
}

// Connection gives the connection of a tenant to the issuer.
func (i *Issuer) Connection() *identity.Connection {
	return &identity.Connection{
		Connection: oidc.Connection{Issuer: i.URL, ClientID: i.ClientID, ClientSecret: i.ClientSecret},
	}
}
