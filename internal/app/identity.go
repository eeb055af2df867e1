package app

import (
	"tilth/internal/domain/captcha"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/identity/oidc"
	"tilth/internal/domain/notify/guard"
)

// openIdentity makes who signs in, how, and who may do what.
func (s *Stores) openIdentity() (err error) {
	codes, err := DeriveKey(s.Key, smsCodes)
	if err != nil {
		return err
	}
	factors, err := DeriveKey(s.Key, secondFactors)
	if err != nil {
		return err
	}
	connections, err := DeriveKey(s.Key, signOn)
	if err != nil {
		return err
	}
	decoys, err := DeriveKey(s.Key, passwordDecoys)
	if err != nil {
		return err
	}
	s.Users = identity.NewUserStore(s.DB, s.Now)
	s.Sessions = identity.NewSessionStore(s.DB, s.Now)
	s.Credentials = identity.NewCredentialStore(s.DB, s.Now)
	s.Invitations = identity.NewInvitationStore(s.DB, s.Now)
	s.Tickets = identity.NewTicketStore(s.DB, s.Now)
	s.Codes = identity.NewCodeStore(s.DB, codes, s.SMS, s.Now)
	s.AnalysisViews = identity.NewAnalysisViewStore(s.DB)
	s.Avatars = identity.NewAvatarStore(s.DB, s.Now)
	s.Hasher = identity.NewHasherAt(s.PasswordCost, s.Limits)
	s.Captcha = captcha.New(s.Now, s.Picture, s.Limits)
	if s.Factors, err = identity.NewSecondFactorStore(s.DB, s.Users, factors, s.Now, s.Limits); err != nil {
		return err
	}
	if s.Connections, err = identity.NewConnectionStore(s.DB, connections, s.Issuer); err != nil {
		return err
	}
	s.SignIn = identity.NewSignIn(identity.SignInDeps{
		Tenants:  s.Tenants,
		Users:    s.Users,
		Sessions: s.Sessions,
		Factors:  s.Factors,
		Tickets:  s.Tickets,
		Hasher:   s.Hasher,
		Key:      decoys,
		Captcha:  identity.Captcha{Policy: s.CaptchaPolicy, Verify: s.Captcha.Verify},
		Mailer:   s.Mailer,
		Now:      s.Now,
		Meter:    s.Limits,
	})
	// Issuers are called where webhooks may be.
	reachable := &guard.Guard{Private: s.Private}
	s.SignOn = identity.NewSignOn(identity.SignOnDeps{
		DB:          s.DB,
		Tenants:     s.Tenants,
		Users:       s.Users,
		Sessions:    s.Sessions,
		Invitations: s.Invitations,
		Connections: s.Connections,
		Issuers:     oidc.NewClient(oidc.Options{Control: reachable.Control, Now: s.Now, Meter: s.Limits}),
		Mailer:      s.Mailer,
		PublicURL:   s.LinkBase,
		Now:         s.Now,
		Logger:      s.Logger,
		Meter:       s.Limits,
	})
	s.Account = identity.NewAccount(identity.AccountDeps{
		DB:                s.DB,
		Tenants:           s.Tenants,
		Users:             s.Users,
		Sessions:          s.Sessions,
		Codes:             s.Codes,
		Factors:           s.Factors,
		SignIn:            s.SignIn,
		Hasher:            s.Hasher,
		Mailer:            s.Mailer,
		Now:               s.Now,
		MinPasswordLength: s.MinPasswordLength,
	})
	s.People = identity.NewPeople(identity.PeopleDeps{
		DB:                s.DB,
		Tenants:           s.Tenants,
		Users:             s.Users,
		Sessions:          s.Sessions,
		Factors:           s.Factors,
		Invitations:       s.Invitations,
		Credentials:       s.Credentials,
		Hasher:            s.Hasher,
		Mailer:            s.Mailer,
		PublicURL:         s.LinkBase,
		Now:               s.Now,
		Meter:             s.Limits,
		MinPasswordLength: s.MinPasswordLength,
	})
	return nil
}
