package openapi

import (
	"context"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/notify"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/platform/errs"
)

// ListWebhooks answers all webhooks, the newest first.
func (s *server) ListWebhooks(
	ctx context.Context,
	_ wire.ListWebhooksRequestObject,
) (wire.ListWebhooksResponseObject, error) {
	list, _, err := s.Webhooks.Page(ctx, requestFrom(ctx).program.Tenant, 0, notify.WebhooksATenant)
	if err != nil {
		return nil, err
	}
	w := wire.ListWebhooks200JSONResponse{Items: make([]wire.Webhook, len(list))}
	for i := range list {
		w.Items[i] = wireWebhook(&list[i])
	}
	return w, nil
}

func wireWebhook(w *notify.Webhook) wire.Webhook {
	v := wire.Webhook{
		Id:             w.ID,
		Name:           w.Name,
		Url:            w.URL,
		Events:         w.Events(),
		Level:          levelNames[alarm.Level(w.Level)],
		Enabled:        w.Enabled,
		OldSecretUntil: omitZero(wire.Moment(w.OldSecretUntil)),
		CreateTime:     wire.Moment(w.CreateTime),
	}
	if w.Gone {
		v.Gone = &w.Gone
	}
	return v
}

func withSecret(w *notify.Webhook, secret string) wire.WebhookWithSecret {
	v := wireWebhook(w)
	return wire.WebhookWithSecret{
		Id: v.Id, Name: v.Name, Url: v.Url, Events: v.Events, Level: v.Level, Enabled: v.Enabled, Gone: v.Gone,
		OldSecretUntil: v.OldSecretUntil, CreateTime: v.CreateTime, Secret: secret,
	}
}

// CreateWebhook makes a webhook and answers its secret, this once.
func (s *server) CreateWebhook(
	ctx context.Context,
	r wire.CreateWebhookRequestObject,
) (wire.CreateWebhookResponseObject, error) {
	t, b := requestFrom(ctx).program.Tenant, r.Body
	f := notify.WebhookForm{
		Name:    &b.Name,
		URL:     &b.Url,
		Events:  b.Events,
		Level:   parseLevel(b.Level),
		Enabled: b.Enabled,
	}
	w, err := s.checkWebhookForm(&f)
	if err != nil {
		return nil, err
	}
	id, secret := int64(0), ""
	err = audit.Record(ctx, t, "webhook.create", s.Webhooks.Snapshot(t, &id), func(ctx context.Context) (err error) {
		id, secret, err = s.Webhooks.Create(ctx, t, &w)
		return err
	})
	if err != nil {
		return nil, err
	}
	made, err := s.Webhooks.Get(ctx, t, id)
	if err != nil {
		return nil, err
	}
	return wire.CreateWebhook200JSONResponse(withSecret(made, secret)), nil
}

// checkWebhookForm checks the form of a webhook. Programs get the error of an empty name with the
// parameter's name; people see it at the field.
func (s *server) checkWebhookForm(f *notify.WebhookForm) (notify.Webhook, error) {
	w, err := f.Webhook(s.WebhookCaller.Guard)
	if err != nil && errs.As(err).Key == "common.nameRequired" {
		err = invalid("open.empty", "name")
	}
	return w, err
}

// parseLevel returns the level of a word, which the contract's check accepted; nil if none was
// given.
func parseLevel(word *string) *int {
	for level, name := range levelNames {
		if word != nil && *word == name {
			return new(int(level))
		}
	}
	return nil
}

// GetWebhook answers one webhook.
func (s *server) GetWebhook(
	ctx context.Context,
	r wire.GetWebhookRequestObject,
) (wire.GetWebhookResponseObject, error) {
	w, err := s.Webhooks.Get(ctx, requestFrom(ctx).program.Tenant, r.Id)
	if err != nil {
		return nil, err
	}
	return wire.GetWebhook200JSONResponse(wireWebhook(w)), nil
}

// ChangeWebhook changes the given fields of a webhook. It reads the other fields in the transaction
// that writes them, so that it does not revert a concurrent change of another call or the effect of
// an answer of 410.
func (s *server) ChangeWebhook(
	ctx context.Context,
	r wire.ChangeWebhookRequestObject,
) (wire.ChangeWebhookResponseObject, error) {
	t := requestFrom(ctx).program.Tenant
	err := audit.Record(ctx, t, "webhook.update", s.Webhooks.Snapshot(t, &r.Id), func(ctx context.Context) error {
		old, err := s.Webhooks.Get(ctx, t, r.Id)
		if err != nil {
			return err
		}
		w, err := s.checkWebhookForm(mergeChange(old, r.Body))
		if err != nil {
			return err
		}
		w.ID = r.Id
		return s.Webhooks.Update(ctx, t, &w)
	})
	if err != nil {
		return nil, err
	}
	updated, err := s.Webhooks.Get(ctx, t, r.Id)
	if err != nil {
		return nil, err
	}
	return wire.ChangeWebhook200JSONResponse(wireWebhook(updated)), nil
}

// mergeChange returns a webhook's form with a program's changes; fields that the program does not
// give stay.
func mergeChange(old *notify.Webhook, b *wire.WebhookChange) *notify.WebhookForm {
	f := &notify.WebhookForm{
		Name:       &old.Name,
		URL:        &old.URL,
		CurrentURL: old.URL,
		Events:     old.Events(),
		Level:      &old.Level,
		Enabled:    &old.Enabled,
	}
	if b.Name != nil {
		f.Name = b.Name
	}
	if b.Url != nil {
		f.URL = b.Url
	}
	if b.Events != nil {
		f.Events = *b.Events
	}
	if b.Level != nil {
		f.Level = parseLevel(b.Level)
	}
	if b.Enabled != nil {
		f.Enabled = b.Enabled
	}
	return f
}

// DeleteWebhook removes a webhook and answers what it was.
func (s *server) DeleteWebhook(
	ctx context.Context,
	r wire.DeleteWebhookRequestObject,
) (wire.DeleteWebhookResponseObject, error) {
	t := requestFrom(ctx).program.Tenant
	was, err := s.Webhooks.Get(ctx, t, r.Id)
	if err != nil {
		return nil, err
	}
	err = audit.Record(
		ctx,
		t,
		"webhook.delete",
		s.Webhooks.Snapshot(t, &r.Id),
		func(ctx context.Context) error { return s.Webhooks.Delete(ctx, t, r.Id) },
	)
	if err != nil {
		return nil, err
	}
	return wire.DeleteWebhook200JSONResponse(wireWebhook(was)), nil
}

// RenewWebhookSecret makes another secret for a webhook and answers it, this once.
func (s *server) RenewWebhookSecret(
	ctx context.Context,
	r wire.RenewWebhookSecretRequestObject,
) (wire.RenewWebhookSecretResponseObject, error) {
	t := requestFrom(ctx).program.Tenant
	secret := ""
	err := audit.Record(ctx, t, "webhook.update", s.Webhooks.Snapshot(t, &r.Id), func(ctx context.Context) (err error) {
		secret, err = s.Webhooks.RotateSecret(ctx, t, r.Id)
		return err
	})
	if err != nil {
		return nil, err
	}
	w, err := s.Webhooks.Get(ctx, t, r.Id)
	if err != nil {
		return nil, err
	}
	return wire.RenewWebhookSecret200JSONResponse(withSecret(w, secret)), nil
}

// TestWebhook sends a test call to a webhook and answers its result.
func (s *server) TestWebhook(
	ctx context.Context,
	r wire.TestWebhookRequestObject,
) (wire.TestWebhookResponseObject, error) {
	info := requestFrom(ctx)
	o, err := s.WebhookCaller.SendTest(ctx, info.program.Tenant, r.Id)
	if err != nil {
		return nil, err
	}
	w := wire.TestWebhook200JSONResponse{
		Ok:     o.Err == nil,
		Took:   max(0, o.Took.Milliseconds()),
		Answer: omitZero(o.Answer),
	}
	if o.Err != nil {
		w.Detail = new(errorText(info.Language, o.Err))
	}
	return w, nil
}

// ListWebhookDeliveries answers the latest deliveries of a webhook.
func (s *server) ListWebhookDeliveries(
	ctx context.Context,
	r wire.ListWebhookDeliveriesRequestObject,
) (wire.ListWebhookDeliveriesResponseObject, error) {
	deliveries, err := s.Outbox.WebhookDeliveries(ctx, requestFrom(ctx).program.Tenant, r.Id)
	if err != nil {
		return nil, err
	}
	w := wire.ListWebhookDeliveries200JSONResponse{Items: make([]wire.WebhookDelivery, len(deliveries))}
	for i := range deliveries {
		d := &deliveries[i]
		w.Items[i] = wire.WebhookDelivery{
			Notice:     d.Notice,
			Type:       "notice." + notify.WebhookEvent(d.Event),
			State:      string(d.State),
			Attempts:   d.Attempts,
			Answer:     omitZero(d.Answer),
			NextTime:   omitZero(wire.Moment(d.NextTime)),
			CreateTime: wire.Moment(d.CreateTime),
			UpdateTime: wire.Moment(d.UpdateTime),
		}
	}
	return w, nil
}
