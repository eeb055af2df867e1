package console

import (
	"context"

	"tilth/internal/domain/homeassistant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// GetHomeAssistant answers how the tenant's devices get into Home Assistant, and whether they do.
func (s *server) GetHomeAssistant(
	ctx context.Context,
	_ wire.GetHomeAssistantRequestObject,
) (wire.GetHomeAssistantResponseObject, error) {
	data, err := s.homeAssistant(ctx)
	if err != nil {
		return nil, err
	}
	return wire.GetHomeAssistant200JSONResponse{Code: success, Data: data}, nil
}

// UpdateHomeAssistant changes that.
func (s *server) UpdateHomeAssistant(
	ctx context.Context,
	r wire.UpdateHomeAssistantRequestObject,
) (wire.UpdateHomeAssistantResponseObject, error) {
	b := r.Body
	err := s.HomeAssistant.Update(ctx, caller(ctx).Tenant, &homeassistant.Form{
		Enabled: b.Enabled, URL: b.Url, UserName: b.UserName, Password: b.Password,
		Prefix: b.DiscoveryPrefix, Base: b.BaseTopic,
	})
	if err != nil {
		return nil, err
	}
	data, err := s.homeAssistant(ctx)
	if err != nil {
		return nil, err
	}
	return wire.UpdateHomeAssistant200JSONResponse{Code: success, Data: data}, nil
}

func (s *server) homeAssistant(ctx context.Context) (*wire.HomeAssistant, error) {
	set, status, err := s.HomeAssistant.Get(ctx, caller(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	w := &wire.HomeAssistant{
		Enabled: set.Enabled, Url: set.URL, UserName: set.UserName, HasPassword: set.HasPassword,
		DiscoveryPrefix: set.Prefix, BaseTopic: set.Base,
		State: string(status.State), Since: omitZero(status.Since),
		Devices: omitZero(status.Devices), Entities: omitZero(status.Entities),
		OmittedDevices: omitZero(status.Omitted),
	}
	if status.Problem != "" {
		w.Error = new(errorText(requestFrom(ctx).Language, errs.New(errs.Upstream, string(status.Problem))))
	}
	return w, nil
}
