package console

import (
	"context"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
)

// CreateCredential makes an API credential of the signed-in user and answers its secret, this once.
func (s *server) CreateCredential(
	ctx context.Context,
	r wire.CreateCredentialRequestObject,
) (wire.CreateCredentialResponseObject, error) {
	form := identity.CredentialForm{
		Name: deref(r.Body.Name), Role: deref(r.Body.Role), Scopes: r.Body.Scopes, Expires: deref(r.Body.ExpiryTime),
	}
	if err := checkText("name", form.Name); err != nil {
		return nil, err
	}
	c := caller(ctx)
	var made identity.Credential
	var secret string
	err := audit.Record(
		ctx,
		c.Tenant,
		"credential.create",
		s.snapshotCredential(c.Tenant, c.User, &made.ID),
		func(ctx context.Context) (err error) {
			made, secret, err = s.Credentials.Create(ctx, c.Tenant, c.User, form)
			return err
		},
	)
	if err != nil {
		return nil, err
	}
	return wire.CreateCredential200JSONResponse{Code: success, Data: &wire.NewCredential{
		Id: made.ID, Name: made.Name, AppKey: made.AppKey, AppSecret: secret, Enabled: boolInt(made.Enabled),
	}}, nil
}

// PageCredentials answers the signed-in user's API credentials, newest first.
func (s *server) PageCredentials(
	ctx context.Context,
	r wire.PageCredentialsRequestObject,
) (wire.PageCredentialsResponseObject, error) {
	c, q := caller(ctx), pageQuery(r.Params.PageNo, r.Params.PageSize)
	list, total, err := s.Credentials.Page(ctx, c.Tenant, c.User, q.Offset, q.Limit)
	if err != nil {
		return nil, err
	}
	page := &wire.CredentialPage{List: make([]wire.Credential, 0, len(list)), Total: int(total)}
	for i := range list {
		page.List = append(page.List, wireCredential(&list[i]))
	}
	return wire.PageCredentials200JSONResponse{Code: success, Data: page}, nil
}

func wireCredential(k *identity.Credential) wire.Credential {
	return wire.Credential{
		Id:          k.ID,
		Name:        k.Name,
		AppKey:      k.AppKey,
		Role:        string(k.Role),
		Scopes:      scopeNames(k.Scopes),
		ExpiryTime:  omitZero(k.Expires),
		Enabled:     boolInt(k.Enabled),
		CreateTime:  k.CreateTime,
		LastUseTime: omitZero(k.LastUse),
		Requests24h: k.Uses24h,
		Requests30d: k.Uses30d,
	}
}

func scopeNames(scopes []identity.Scope) []string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return names
}

// ToggleCredential opens a closed credential and closes an open one, or puts it into the state that
// the caller asks for.
func (s *server) ToggleCredential(
	ctx context.Context,
	r wire.ToggleCredentialRequestObject,
) (wire.ToggleCredentialResponseObject, error) {
	c, id := caller(ctx), r.Params.Id
	err := audit.Record(
		ctx,
		c.Tenant,
		"credential.update",
		s.snapshotCredential(c.Tenant, c.User, &id),
		func(ctx context.Context) error {
			toggle := func() error { return s.Credentials.Toggle(ctx, c.Tenant, c.User, id) }
			if r.Params.Enabled == nil {
				return toggle()
			}
			return setEnabled(*r.Params.Enabled == 1, toggle, func() (bool, error) {
				k, err := s.Credentials.Get(ctx, c.Tenant, c.User, id)
				return err == nil && k.Enabled, err
			})
		},
	)
	if err != nil {
		return nil, err
	}
	return wire.ToggleCredential200JSONResponse{Code: success, Data: new(true)}, nil
}

// DeleteCredential removes a credential.
func (s *server) DeleteCredential(
	ctx context.Context,
	r wire.DeleteCredentialRequestObject,
) (wire.DeleteCredentialResponseObject, error) {
	c := caller(ctx)
	err := audit.Record(
		ctx,
		c.Tenant,
		"credential.delete",
		s.snapshotCredential(c.Tenant, c.User, &r.Params.Id),
		func(ctx context.Context) error {
			return s.Credentials.Delete(ctx, c.Tenant, c.User, r.Params.Id)
		},
	)
	if err != nil {
		return nil, err
	}
	return wire.DeleteCredential200JSONResponse{Code: success, Data: new(true)}, nil
}

// setEnabled toggles a thing unless it is in the wanted state already. It runs within a write
// transaction, of which only one runs at a time. Without the check, a call that is repeated,
// because its first answer was lost or somebody else did the same, would open again what it had
// closed.
func setEnabled(wanted bool, toggle func() error, isOn func() (bool, error)) error {
	on, err := isOn()
	if err != nil || on == wanted {
		return err
	}
	return toggle()
}
