package console

import (
	"context"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
)

// LoginCode finishes a sign-in with a code.
func (s *server) LoginCode(
	ctx context.Context,
	r wire.LoginCodeRequestObject,
) (wire.LoginCodeResponseObject, error) {
	pair, err := s.SignIn.WithCode(ctx, ticketAttempt(ctx, *r.Body))
	if err != nil {
		return nil, err
	}
	return wire.LoginCode200JSONResponse{Code: success, Data: wireSession(pair)}, nil
}

func ticketAttempt(ctx context.Context, b wire.LoginCode) identity.TicketAttempt {
	return identity.TicketAttempt{Ticket: b.Ticket, Code: b.Code, Address: requestFrom(ctx).Address}
}

// LoginTotpBegin gives whoever has to set up a second factor to sign in the key for the app.
func (s *server) LoginTotpBegin(
	ctx context.Context,
	r wire.LoginTotpBeginRequestObject,
) (wire.LoginTotpBeginResponseObject, error) {
	e, err := s.SignIn.BeginEnrolment(ctx, r.Body.Ticket)
	if err != nil {
		return nil, err
	}
	return wire.LoginTotpBegin200JSONResponse{Code: success, Data: wireEnrolment(e)}, nil
}

func wireEnrolment(e *identity.Enrolment) *wire.Enrolment {
	return &wire.Enrolment{Secret: e.Secret, Uri: e.URI}
}

// LoginTotpConfirm turns that second factor on and finishes the sign-in.
func (s *server) LoginTotpConfirm(
	ctx context.Context,
	r wire.LoginTotpConfirmRequestObject,
) (wire.LoginTotpConfirmResponseObject, error) {
	pair, codes, err := s.SignIn.ConfirmEnrolment(ctx, ticketAttempt(ctx, *r.Body))
	if err != nil {
		return nil, err
	}
	return wire.LoginTotpConfirm200JSONResponse{Code: success, Data: &wire.EnrolledSession{
		AccessToken: pair.Access, RefreshToken: pair.Refresh, UserId: pair.UserID, ExpiresTime: pair.Expires,
		RecoveryCodes: codes,
	}}, nil
}

// BeginSecondFactor gives the signed-in user a key for an authenticator app.
func (s *server) BeginSecondFactor(
	ctx context.Context,
	r wire.BeginSecondFactorRequestObject,
) (wire.BeginSecondFactorResponseObject, error) {
	e, err := s.Account.BeginSecondFactor(ctx, caller(ctx), proof(ctx, r.Body.Password, deref(r.Body.Code)))
	if err != nil {
		return nil, err
	}
	return wire.BeginSecondFactor200JSONResponse{Code: success, Data: wireEnrolment(e)}, nil
}

func proof(ctx context.Context, password, code string) identity.Proof {
	return identity.Proof{Password: password, Code: code, Address: requestFrom(ctx).Address}
}

// ConfirmSecondFactor turns the signed-in user's second factor on.
func (s *server) ConfirmSecondFactor(
	ctx context.Context,
	r wire.ConfirmSecondFactorRequestObject,
) (wire.ConfirmSecondFactorResponseObject, error) {
	codes, err := s.Account.ConfirmSecondFactor(ctx, caller(ctx), r.Body.Code)
	if err != nil {
		return nil, err
	}
	return wire.ConfirmSecondFactor200JSONResponse{
		Code: success, Data: &wire.RecoveryCodes{RecoveryCodes: codes},
	}, nil
}

// DisableSecondFactor turns the signed-in user's second factor off.
func (s *server) DisableSecondFactor(
	ctx context.Context,
	r wire.DisableSecondFactorRequestObject,
) (wire.DisableSecondFactorResponseObject, error) {
	if err := s.Account.DisableSecondFactor(ctx, caller(ctx), proof(ctx, r.Body.Password, r.Body.Code)); err != nil {
		return nil, err
	}
	return wire.DisableSecondFactor200JSONResponse{Code: success, Data: new(true)}, nil
}

// NewRecoveryCodes gives the signed-in user new recovery codes.
func (s *server) NewRecoveryCodes(
	ctx context.Context,
	r wire.NewRecoveryCodesRequestObject,
) (wire.NewRecoveryCodesResponseObject, error) {
	codes, err := s.Account.NewRecoveryCodes(ctx, caller(ctx), proof(ctx, "", r.Body.Code))
	if err != nil {
		return nil, err
	}
	return wire.NewRecoveryCodes200JSONResponse{
		Code: success, Data: &wire.RecoveryCodes{RecoveryCodes: codes},
	}, nil
}

// UpdatePeopleSettings sets whether the tenant's people need a second factor.
func (s *server) UpdatePeopleSettings(
	ctx context.Context,
	r wire.UpdatePeopleSettingsRequestObject,
) (wire.UpdatePeopleSettingsResponseObject, error) {
	if err := s.People.SetSecondFactor(ctx, caller(ctx), r.Body.SecondFactor); err != nil {
		return nil, err
	}
	return wire.UpdatePeopleSettings200JSONResponse{Code: success, Data: new(true)}, nil
}

// ResetSecondFactor removes a person's second factor.
func (s *server) ResetSecondFactor(
	ctx context.Context,
	r wire.ResetSecondFactorRequestObject,
) (wire.ResetSecondFactorResponseObject, error) {
	if err := s.People.ResetSecondFactor(ctx, caller(ctx), r.Body.Id); err != nil {
		return nil, err
	}
	return wire.ResetSecondFactor200JSONResponse{Code: success, Data: new(true)}, nil
}
