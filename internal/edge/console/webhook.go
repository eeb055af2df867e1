package console

import (
	"context"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/notify"
	"tilth/internal/edge/console/wire"
)

// PageWebhooks answers the tenant's webhooks, the newest first, page by page.
func (s *server) PageWebhooks(
	ctx context.Context,
	r wire.PageWebhooksRequestObject,
) (wire.PageWebhooksResponseObject, error) {
	q := pageQuery(r.Params.PageNo, r.Params.PageSize)
	list, total, err := s.Webhooks.Page(ctx, caller(ctx).Tenant, q.Offset, q.Limit)
	if err != nil {
		return nil, err
	}
	page := &wire.WebhookPage{List: make([]wire.Webhook, len(list)), Total: int(total)}
	for i := range list {
		page.List[i] = wireWebhook(&list[i])
	}
	return wire.PageWebhooks200JSONResponse{Code: success, Data: page}, nil
}

func wireWebhook(w *notify.Webhook) wire.Webhook {
	v := wire.Webhook{
		Id:             w.ID,
		Name:           w.Name,
		Url:            w.URL,
		Events:         w.Events(),
		AlarmLevel:     w.Level,
		Enabled:        w.Enabled,
		OldSecretUntil: omitZero(w.OldSecretUntil),
		CreateTime:     w.CreateTime,
	}
	if w.Gone {
		v.Gone = &w.Gone
	}
	return v
}

// CreateWebhook makes a webhook and answers its secret, this once.
func (s *server) CreateWebhook(
	ctx context.Context,
	r wire.CreateWebhookRequestObject,
) (wire.CreateWebhookResponseObject, error) {
	w, err := webhookForm(r.Body).Webhook(s.WebhookCaller.Guard)
	if err != nil {
		return nil, err
	}
	t, id, secret := caller(ctx).Tenant, int64(0), ""
	err = audit.Record(ctx, t, "webhook.create", s.Webhooks.Snapshot(t, &id), func(ctx context.Context) (err error) {
		id, secret, err = s.Webhooks.Create(ctx, t, &w)
		return err
	})
	if err != nil {
		return nil, err
	}
	return wire.CreateWebhook200JSONResponse{Code: success, Data: &wire.WebhookSecret{Id: id, Secret: secret}}, nil
}

// UpdateWebhook changes a webhook.
func (s *server) UpdateWebhook(
	ctx context.Context,
	r wire.UpdateWebhookRequestObject,
) (wire.UpdateWebhookResponseObject, error) {
	t, b := caller(ctx).Tenant, r.Body
	// The webhook is looked up before the form is checked: another tenant's webhook must look
	// missing.
	old, err := s.Webhooks.Get(ctx, t, b.Id)
	if err != nil {
		return nil, err
	}
	f := webhookForm(
		&wire.WebhookCreate{Name: b.Name, Url: b.Url, Events: b.Events, AlarmLevel: b.AlarmLevel, Enabled: b.Enabled},
	)
	f.CurrentURL = old.URL
	w, err := f.Webhook(s.WebhookCaller.Guard)
	if err != nil {
		return nil, err
	}
	w.ID = b.Id
	err = audit.Record(
		ctx,
		t,
		"webhook.update",
		s.Webhooks.Snapshot(t, &w.ID),
		func(ctx context.Context) error { return s.Webhooks.Update(ctx, t, &w) },
	)
	if err != nil {
		return nil, err
	}
	return wire.UpdateWebhook200JSONResponse{Code: success, Data: new(true)}, nil
}

func webhookForm(b *wire.WebhookCreate) *notify.WebhookForm {
	f := &notify.WebhookForm{Name: b.Name, URL: b.Url, Level: b.AlarmLevel, Enabled: b.Enabled}
	if b.Events != nil {
		f.Events = *b.Events
	}
	return f
}

// ToggleWebhook switches a webhook on or off, or puts it into the state that the caller asks for.
func (s *server) ToggleWebhook(
	ctx context.Context,
	r wire.ToggleWebhookRequestObject,
) (wire.ToggleWebhookResponseObject, error) {
	t, id := caller(ctx).Tenant, r.Params.Id
	err := audit.Record(ctx, t, "webhook.update", s.Webhooks.Snapshot(t, &id), func(ctx context.Context) error {
		toggle := func() error { return s.Webhooks.Toggle(ctx, t, id) }
		if r.Params.Enabled == nil {
			return toggle()
		}
		return setEnabled(*r.Params.Enabled, toggle, func() (bool, error) {
			w, err := s.Webhooks.Get(ctx, t, id)
			return err == nil && w.Enabled, err
		})
	})
	if err != nil {
		return nil, err
	}
	return wire.ToggleWebhook200JSONResponse{Code: success, Data: new(true)}, nil
}

// DeleteWebhook removes a webhook.
func (s *server) DeleteWebhook(
	ctx context.Context,
	r wire.DeleteWebhookRequestObject,
) (wire.DeleteWebhookResponseObject, error) {
	t, id := caller(ctx).Tenant, r.Params.Id
	err := audit.Record(
		ctx,
		t,
		"webhook.delete",
		s.Webhooks.Snapshot(t, &id),
		func(ctx context.Context) error { return s.Webhooks.Delete(ctx, t, id) },
	)
	if err != nil {
		return nil, err
	}
	return wire.DeleteWebhook200JSONResponse{Code: success, Data: new(true)}, nil
}

// NewWebhookSecret makes another secret for a webhook and answers it, this once.
func (s *server) NewWebhookSecret(
	ctx context.Context,
	r wire.NewWebhookSecretRequestObject,
) (wire.NewWebhookSecretResponseObject, error) {
	t, secret := caller(ctx).Tenant, ""
	err := audit.Record(
		ctx,
		t,
		"webhook.update",
		s.Webhooks.Snapshot(t, &r.Params.Id),
		func(ctx context.Context) (err error) {
			secret, err = s.Webhooks.RotateSecret(ctx, t, r.Params.Id)
			return err
		},
	)
	if err != nil {
		return nil, err
	}
	return wire.NewWebhookSecret200JSONResponse{
		Code: success,
		Data: &wire.WebhookSecret{Id: r.Params.Id, Secret: secret},
	}, nil
}

// TestWebhook sends a test call to a webhook and answers its result.
func (s *server) TestWebhook(
	ctx context.Context,
	r wire.TestWebhookRequestObject,
) (wire.TestWebhookResponseObject, error) {
	o, err := s.WebhookCaller.SendTest(ctx, caller(ctx).Tenant, r.Params.Id)
	if err != nil {
		return nil, err
	}
	v := &wire.WebhookOutcome{Ok: o.Err == nil, Took: max(0, o.Took.Milliseconds()), Answer: omitEmpty(o.Answer)}
	if o.Err != nil {
		v.Msg = new(errorText(requestFrom(ctx).Language, o.Err))
	}
	return wire.TestWebhook200JSONResponse{Code: success, Data: v}, nil
}

// GetWebhookDeliveries answers the latest deliveries of a webhook.
func (s *server) GetWebhookDeliveries(
	ctx context.Context,
	r wire.GetWebhookDeliveriesRequestObject,
) (wire.GetWebhookDeliveriesResponseObject, error) {
	deliveries, err := s.Outbox.WebhookDeliveries(ctx, caller(ctx).Tenant, r.Params.Id)
	if err != nil {
		return nil, err
	}
	list := make([]wire.WebhookDelivery, len(deliveries))
	for i := range deliveries {
		d := &deliveries[i]
		list[i] = wire.WebhookDelivery{
			Id:         d.ID,
			NoticeId:   d.Notice,
			Title:      d.Title,
			Event:      notify.WebhookEvent(d.Event),
			State:      string(d.State),
			Reason:     omitEmpty(string(d.Reason)),
			Attempts:   d.Attempts,
			Answer:     omitEmpty(d.Answer),
			NextTime:   omitZero(d.NextTime),
			CreateTime: d.CreateTime,
			UpdateTime: d.UpdateTime,
		}
	}
	return wire.GetWebhookDeliveries200JSONResponse{Code: success, Data: &list}, nil
}
