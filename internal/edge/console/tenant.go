package console

import (
	"context"

	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// GetTenantIdByName answers the id of the tenant of that name, or null.
//
//nolint:revive // the name is the contract's
func (s *server) GetTenantIdByName(
	ctx context.Context,
	r wire.GetTenantIdByNameRequestObject,
) (wire.GetTenantIdByNameResponseObject, error) {
	t, err := s.Tenants.ByName(ctx, r.Params.Name)
	if errs.Is(err, errs.NotFound) {
		return wire.GetTenantIdByName200JSONResponse{Code: success}, nil
	}
	if err != nil {
		return nil, err
	}
	id := int64(t.ID)
	return wire.GetTenantIdByName200JSONResponse{Code: success, Data: &id}, nil
}

// GetTenantByWebsite answers the tenant that a host belongs to, or null.
func (s *server) GetTenantByWebsite(
	ctx context.Context,
	r wire.GetTenantByWebsiteRequestObject,
) (wire.GetTenantByWebsiteResponseObject, error) {
	t, err := s.Tenants.ByHost(ctx, r.Params.Website)
	if errs.Is(err, errs.NotFound) {
		return wire.GetTenantByWebsite200JSONResponse{Code: success}, nil
	}
	if err != nil {
		return nil, err
	}
	return wire.GetTenantByWebsite200JSONResponse{Code: success, Data: &wire.Tenant{
		Id: int64(t.ID), Name: t.Name, Diy: wireBranding(t.Branding.Sanitized()),
	}}, nil
}

func wireBranding(b tenant.Branding) *wire.Branding {
	if b == (tenant.Branding{}) {
		return nil
	}
	part := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return &wire.Branding{
		Title: part(b.Title), Content: part(b.Content), Logo: part(b.Logo),
		Background: part(b.Background), Favicon: part(b.Favicon),
	}
}

// GetConsoleSettings answers the settings that the console needs before anybody signs in.
func (s *server) GetConsoleSettings(
	context.Context,
	wire.GetConsoleSettingsRequestObject,
) (wire.GetConsoleSettingsResponseObject, error) {
	settings := &wire.ConsoleSettings{
		Version:       s.Version,
		DefaultTenant: s.DefaultTenant,
		DemoPages:     s.DemoPages,
		Captcha:       string(s.SignIn.CaptchaPolicy()),
		Sms:           s.Account.Codes.Available(),
		PasswordMin:   s.Account.MinPasswordLength,
	}
	if s.SMSLogged {
		settings.SmsLogged = &s.SMSLogged
	}
	if m := s.MapTiles; m != nil {
		settings.MapTiles = wireMapTiles(m)
	}
	return wire.GetConsoleSettings200JSONResponse{Code: success, Data: settings}, nil
}

func wireMapTiles(m *MapTiles) *wire.MapTiles {
	w := &wire.MapTiles{Url: m.URL, Attribution: m.Attribution, Datum: wire.MapTilesDatum(m.Datum)}
	if m.MaxZoom > 0 {
		w.MaxZoom = &m.MaxZoom
	}
	if len(m.Links) > 0 {
		links := make([]wire.MapTilesLink, len(m.Links))
		for i, l := range m.Links {
			links[i] = wire.MapTilesLink{Words: l.Words, Url: l.URL}
		}
		w.Links = &links
	}
	return w
}
