package console

import (
	"context"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
)

// PagePeople answers the tenant's people, by user name.
func (s *server) PagePeople(
	ctx context.Context,
	r wire.PagePeopleRequestObject,
) (wire.PagePeopleResponseObject, error) {
	q := pageQuery(r.Params.PageNo, r.Params.PageSize)
	found, err := s.People.Page(ctx, caller(ctx).Tenant, identity.PeopleFilter{
		Text: deref(r.Params.Text), Role: identity.Role(deref(r.Params.Role)),
		State: identity.UserState(deref(r.Params.State)),
	}, q.Offset, q.Limit)
	if err != nil {
		return nil, err
	}
	page := &wire.PeoplePage{
		List: make([]wire.Person, 0, len(found.List)), Total: found.Total, Owners: found.Owners,
		SecondFactor: string(identity.PolicyOf(found.SecondFactorRequired)), Mail: found.Mail,
	}
	for _, u := range found.List {
		page.List = append(page.List, wire.Person{
			Id: u.ID, UserName: u.UserName, Nickname: u.Nickname, Email: u.Email, Role: string(u.Role),
			RoleFrom: string(u.RoleFrom), Language: string(u.Language), State: string(u.State()),
			Removable: u.MadeHere, LoginDate: omitZero(u.LastSignIn), SecondFactor: u.SecondFactor,
			Keys: found.Credentials[u.ID],
		})
	}
	return wire.PagePeople200JSONResponse{Code: success, Data: page}, nil
}

// UpdatePerson changes a person's role or language.
func (s *server) UpdatePerson(
	ctx context.Context,
	r wire.UpdatePersonRequestObject,
) (wire.UpdatePersonResponseObject, error) {
	change := identity.PersonChange{Role: r.Body.Role, Language: r.Body.Language}
	if err := s.People.Change(ctx, caller(ctx).Tenant, r.Body.Id, change); err != nil {
		return nil, err
	}
	return wire.UpdatePerson200JSONResponse{Code: success, Data: new(true)}, nil
}

// TogglePerson disables a person or enables them again.
func (s *server) TogglePerson(
	ctx context.Context,
	r wire.TogglePersonRequestObject,
) (wire.TogglePersonResponseObject, error) {
	change := identity.PersonChange{Enabled: &r.Body.Enabled}
	if err := s.People.Change(ctx, caller(ctx).Tenant, r.Body.Id, change); err != nil {
		return nil, err
	}
	return wire.TogglePerson200JSONResponse{Code: success, Data: new(true)}, nil
}

// EndPersonSessions signs a person out everywhere.
func (s *server) EndPersonSessions(
	ctx context.Context,
	r wire.EndPersonSessionsRequestObject,
) (wire.EndPersonSessionsResponseObject, error) {
	if err := s.People.EndSessions(ctx, caller(ctx).Tenant, r.Body.Id); err != nil {
		return nil, err
	}
	return wire.EndPersonSessions200JSONResponse{Code: success, Data: new(true)}, nil
}

// DeletePerson removes a person.
func (s *server) DeletePerson(
	ctx context.Context,
	r wire.DeletePersonRequestObject,
) (wire.DeletePersonResponseObject, error) {
	if err := s.People.Delete(ctx, caller(ctx).Tenant, r.Params.Id); err != nil {
		return nil, err
	}
	return wire.DeletePerson200JSONResponse{Code: success, Data: new(true)}, nil
}

// PagePersonKeys answers a person's API credentials, newest first.
func (s *server) PagePersonKeys(
	ctx context.Context,
	r wire.PagePersonKeysRequestObject,
) (wire.PagePersonKeysResponseObject, error) {
	q := pageQuery(r.Params.PageNo, r.Params.PageSize)
	list, total, err := s.People.PageCredentials(ctx, caller(ctx).Tenant, r.Params.Id, q.Offset, q.Limit)
	if err != nil {
		return nil, err
	}
	page := &wire.PersonKeyPage{List: make([]wire.PersonKey, 0, len(list)), Total: int(total)}
	for i := range list {
		c := wireCredential(&list[i].Credential)
		page.List = append(page.List, wire.PersonKey{
			Id: c.Id, Name: c.Name, AppKey: c.AppKey, Role: c.Role, MayRole: string(list[i].May), Scopes: c.Scopes,
			ExpiryTime: c.ExpiryTime, Enabled: c.Enabled, CreateTime: c.CreateTime, LastUseTime: c.LastUseTime,
			Requests24h: c.Requests24h, Requests30d: c.Requests30d,
		})
	}
	return wire.PagePersonKeys200JSONResponse{Code: success, Data: page}, nil
}

// DeletePersonKey removes an API credential of a person.
func (s *server) DeletePersonKey(
	ctx context.Context,
	r wire.DeletePersonKeyRequestObject,
) (wire.DeletePersonKeyResponseObject, error) {
	if err := s.People.DeleteCredential(ctx, caller(ctx).Tenant, r.Params.Id, r.Params.Key); err != nil {
		return nil, err
	}
	return wire.DeletePersonKey200JSONResponse{Code: success, Data: new(true)}, nil
}

// InvitePerson invites a person.
func (s *server) InvitePerson(
	ctx context.Context,
	r wire.InvitePersonRequestObject,
) (wire.InvitePersonResponseObject, error) {
	email, nickname, language := deref(r.Body.Email), deref(r.Body.Nickname), deref(r.Body.Language)
	for field, value := range map[string]string{"email": email, "nickname": nickname, "language": language} {
		if err := checkText(field, value); err != nil {
			return nil, err
		}
	}
	i, link, err := s.People.Invite(ctx, caller(ctx), identity.InvitationForm{
		Email: email, Role: r.Body.Role, Nickname: nickname, Language: language, Mail: r.Body.SendMail,
	})
	if err != nil {
		return nil, err
	}
	return wire.InvitePerson200JSONResponse{Code: success, Data: newInvitation(i, link)}, nil
}

func newInvitation(i *identity.Invitation, link string) *wire.NewInvitation {
	return &wire.NewInvitation{Id: i.ID, ExpiresTime: i.Expires, Link: omitEmpty(link)}
}

// PageInvitations answers the invitations that nobody accepted yet, newest first.
func (s *server) PageInvitations(
	ctx context.Context,
	r wire.PageInvitationsRequestObject,
) (wire.PageInvitationsResponseObject, error) {
	q := pageQuery(r.Params.PageNo, r.Params.PageSize)
	list, total, err := s.People.PageInvitations(ctx, caller(ctx).Tenant, q.Offset, q.Limit)
	if err != nil {
		return nil, err
	}
	page := &wire.InvitationPage{List: make([]wire.Invitation, 0, len(list)), Total: int(total)}
	for _, i := range list {
		page.List = append(page.List, wire.Invitation{
			Id: i.ID, Email: i.Email, Role: string(i.Role), Nickname: i.Nickname, Language: string(i.Language),
			InvitedBy: i.InvitedBy, Withdrawn: omitEmpty(string(i.Withdrawn)), Mailed: i.Mailed,
			CreateTime: i.CreateTime, ExpiresTime: i.Expires,
		})
	}
	return wire.PageInvitations200JSONResponse{Code: success, Data: page}, nil
}

// ResendInvitation gives an invitation a new link.
func (s *server) ResendInvitation(
	ctx context.Context,
	r wire.ResendInvitationRequestObject,
) (wire.ResendInvitationResponseObject, error) {
	i, link, err := s.People.Resend(ctx, caller(ctx), r.Body.Id)
	if err != nil {
		return nil, err
	}
	return wire.ResendInvitation200JSONResponse{Code: success, Data: newInvitation(i, link)}, nil
}

// DeleteInvitation takes an invitation back.
func (s *server) DeleteInvitation(
	ctx context.Context,
	r wire.DeleteInvitationRequestObject,
) (wire.DeleteInvitationResponseObject, error) {
	if err := s.People.TakeBack(ctx, caller(ctx).Tenant, r.Params.Id); err != nil {
		return nil, err
	}
	return wire.DeleteInvitation200JSONResponse{Code: success, Data: new(true)}, nil
}

// GetInvitation answers what an invitation offers.
func (s *server) GetInvitation(
	ctx context.Context,
	r wire.GetInvitationRequestObject,
) (wire.GetInvitationResponseObject, error) {
	i, t, err := s.People.Offer(ctx, r.Body.Token)
	if err != nil {
		return nil, err
	}
	return wire.GetInvitation200JSONResponse{Code: success, Data: &wire.InvitationOffer{
		TenantName: t.Title(), Email: i.Email, Role: string(i.Role), InvitedBy: i.InvitedBy,
		Nickname: i.Nickname, ExpiresTime: i.Expires,
	}}, nil
}

// AcceptInvitation makes the user of an invitation and signs them in.
func (s *server) AcceptInvitation(
	ctx context.Context,
	r wire.AcceptInvitationRequestObject,
) (wire.AcceptInvitationResponseObject, error) {
	a := identity.Acceptance{
		Token: r.Body.Token, UserName: r.Body.UserName, Password: r.Body.Password,
		Nickname: deref(r.Body.Nickname), Address: requestFrom(ctx).Address,
	}
	for field, value := range map[string]string{"userName": a.UserName, "nickname": a.Nickname} {
		if err := checkText(field, value); err != nil {
			return nil, err
		}
	}
	pair, err := s.People.Accept(ctx, a)
	if err != nil {
		return nil, err
	}
	return wire.AcceptInvitation200JSONResponse{Code: success, Data: wireSession(pair)}, nil
}
