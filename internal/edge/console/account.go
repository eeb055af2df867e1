package console

import (
	"context"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
)

// UpdateUser changes the signed-in user's nickname and e-mail.
func (s *server) UpdateUser(
	ctx context.Context,
	r wire.UpdateUserRequestObject,
) (wire.UpdateUserResponseObject, error) {
	err := s.Account.UpdateProfile(ctx, caller(ctx), identity.Profile{
		ID: r.Body.Id, Nickname: deref(r.Body.Nickname), Email: deref(r.Body.Email), Mobile: r.Body.Mobile,
	})
	if err != nil {
		return nil, err
	}
	return wire.UpdateUser200JSONResponse{Code: success, Data: new(true)}, nil
}

// UpdateUserPassword changes the signed-in user's password with a code.
func (s *server) UpdateUserPassword(
	ctx context.Context,
	r wire.UpdateUserPasswordRequestObject,
) (wire.UpdateUserPasswordResponseObject, error) {
	if err := s.Account.ChangePassword(ctx, caller(ctx), deref(r.Body.Code), deref(r.Body.Password)); err != nil {
		return nil, err
	}
	return wire.UpdateUserPassword200JSONResponse{Code: success, Data: new(true)}, nil
}

// UpdateUserMobile binds another mobile with a code that was sent to it.
func (s *server) UpdateUserMobile(
	ctx context.Context,
	r wire.UpdateUserMobileRequestObject,
) (wire.UpdateUserMobileResponseObject, error) {
	if err := s.Account.UpdateMobile(ctx, caller(ctx), mobileChange(*r.Body)); err != nil {
		return nil, err
	}
	return wire.UpdateUserMobile200JSONResponse{Code: success, Data: new(true)}, nil
}

// ValidateSmsCode binds a first mobile with a code that was sent to it.
func (s *server) ValidateSmsCode(
	ctx context.Context,
	r wire.ValidateSmsCodeRequestObject,
) (wire.ValidateSmsCodeResponseObject, error) {
	if err := s.Account.BindMobile(ctx, caller(ctx), mobileChange(*r.Body)); err != nil {
		return nil, err
	}
	return wire.ValidateSmsCode200JSONResponse{Code: success, Data: new(true)}, nil
}

func mobileChange(m wire.MobileCode) identity.MobileChange {
	return identity.MobileChange{Mobile: deref(m.Mobile), Purpose: deref(m.Scene), Code: deref(m.Code)}
}

// SendSmsCode sends the signed-in user a code to a mobile.
func (s *server) SendSmsCode(
	ctx context.Context,
	r wire.SendSmsCodeRequestObject,
) (wire.SendSmsCodeResponseObject, error) {
	err := s.Account.SendCode(ctx, caller(ctx), identity.CodeRequest{
		Mobile:   deref(r.Body.Mobile),
		Purpose:  deref(r.Body.Scene),
		Language: requestFrom(ctx).Language,
		Address:  requestFrom(ctx).Address,
	})
	if err != nil {
		return nil, err
	}
	return wire.SendSmsCode200JSONResponse{Code: success, Data: new(true)}, nil
}
