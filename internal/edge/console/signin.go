package console

import (
	"cmp"
	"context"
	"strings"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// LoginUsername signs a person in by password.
func (s *server) LoginUsername(
	ctx context.Context,
	r wire.LoginUsernameRequestObject,
) (wire.LoginUsernameResponseObject, error) {
	for field, value := range map[string]string{"userName": r.Body.UserName, "tenantName": r.Body.TenantName} {
		if err := checkText(field, value); err != nil {
			return nil, err
		}
	}
	var owner tenant.ID
	t, err := s.Tenants.ByName(ctx, r.Body.TenantName)
	switch {
	case err == nil:
		owner = t.ID
	case !errs.Is(err, errs.NotFound):
		return nil, err
	}
	pair, err := s.SignIn.WithPassword(ctx, identity.Attempt{
		Tenant: owner, UserName: strings.TrimSpace(r.Body.UserName), Password: r.Body.Password,
		Remember: r.Body.RememberMe != nil && *r.Body.RememberMe, Address: requestFrom(ctx).Address,
		Verification: deref(r.Body.CaptchaVerification),
	})
	if err != nil {
		return nil, err
	}
	return wire.LoginUsername200JSONResponse{Code: success, Data: wireSession(pair)}, nil
}

// RefreshToken exchanges a refresh token for a new pair.
func (s *server) RefreshToken(
	ctx context.Context,
	r wire.RefreshTokenRequestObject,
) (wire.RefreshTokenResponseObject, error) {
	pair, err := s.SignOn.Refresh(ctx, r.Params.RefreshToken)
	if err != nil {
		return nil, err
	}
	return wire.RefreshToken200JSONResponse{Code: success, Data: wireSession(pair)}, nil
}

// Logout ends the session of the presented token.
func (s *server) Logout(ctx context.Context, _ wire.LogoutRequestObject) (wire.LogoutResponseObject, error) {
	c := caller(ctx)
	err := audit.Record(ctx, c.Tenant, "session.signOut", s.snapshotSession, func(ctx context.Context) error {
		return s.Sessions.End(ctx, c.Tenant, c.Session)
	})
	if err != nil {
		return nil, err
	}
	done := true
	return wire.Logout200JSONResponse{Code: success, Data: &done}, nil
}

// GetUser answers the signed-in user.
func (s *server) GetUser(ctx context.Context, _ wire.GetUserRequestObject) (wire.GetUserResponseObject, error) {
	c := caller(ctx)
	u, err := s.Users.Get(ctx, c.Tenant, c.User)
	if err != nil {
		return nil, err
	}
	t, err := s.Tenants.Get(ctx, c.Tenant)
	if err != nil {
		return nil, err
	}
	signOn, err := s.userSignOn(ctx)
	if err != nil {
		return nil, err
	}
	return wire.GetUser200JSONResponse{Code: success, Data: &wire.User{
		Oidc:       signOn,
		Id:         u.ID,
		UserName:   u.UserName,
		Nickname:   u.Nickname,
		Email:      u.Email,
		Mobile:     u.Mobile,
		Avatar:     u.Avatar,
		Role:       string(u.Role),
		LoginDate:  omitZero(u.LastSignIn),
		Language:   string(cmp.Or(u.Language, t.Language)),
		TenantName: t.Title(),
		TimeZone:   t.TimeZone.String(),

		SecondFactor:         u.SecondFactor,
		SecondFactorRequired: t.SecondFactorRequired,
	}}, nil
}

func wireSession(p identity.TokenPair) *wire.Session {
	return &wire.Session{AccessToken: p.Access, RefreshToken: p.Refresh, UserId: p.UserID, ExpiresTime: p.Expires}
}
