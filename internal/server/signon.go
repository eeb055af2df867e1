package server

import (
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/identity/oidc"
	"tilth/internal/domain/notify/guard"
	"tilth/internal/platform/db"
)

// newConnectionStore makes the store of tenants' issuers; installation is the issuer of tenants
// without one, nil if there is none.
func newConnectionStore(
	d *db.DB,
	platform []byte,
	installation *identity.Connection,
) (*identity.ConnectionStore, error) {
	key, err := signOnKey(platform)
	if err != nil {
		return nil, err
	}
	return identity.NewConnectionStore(d, key, installation)
}

// newSignOn makes what signs people in at issuers. Issuers are called where webhooks may be.
func (s *Server) newSignOn() *identity.SignOn {
	st := s.Stores
	reachable := &guard.Guard{Private: s.set.Notifications.WebhookPrivate}
	return identity.NewSignOn(identity.SignOnDeps{
		DB:          st.DB,
		Tenants:     st.Tenants,
		Users:       st.Users,
		Sessions:    st.Sessions,
		Invitations: st.Invitations,
		Connections: st.Connections,
		Issuers:     oidc.NewClient(oidc.Options{Control: reachable.Control, Now: time.Now, Meter: st.Limits}),
		Mailer:      newMailer(s.mails),
		PublicURL:   s.linkBase(),
		Now:         time.Now,
		Logger:      s.logger,
		Meter:       st.Limits,
	})
}
