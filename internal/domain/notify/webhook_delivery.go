package notify

import (
	"context"
	"encoding/json"
	"fmt"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// webhookDeliveriesShown is how many deliveries WebhookDeliveries gives.
const webhookDeliveriesShown = 20

// WebhookDelivery is one delivery to a webhook, done or queued.
type WebhookDelivery struct {
	Delivery
	Notice int64
	Title  string // of the notice
	Answer string // the latest of the remote server; empty: there is none yet
}

// WebhookDeliveries gives the newest deliveries of a tenant's webhook, newest first. It gives
// NotFound if there is no such webhook.
func (o *Outbox) WebhookDeliveries(ctx context.Context, t tenant.ID, webhook int64) ([]WebhookDelivery, error) {
	if _, err := o.Webhooks.row(ctx, t, webhook); err != nil {
		return nil, wrap("list webhook deliveries", err)
	}
	var rows []struct {
		deliveryRow
		Answer string
	}
	newest := o.DB.Read(ctx).NewSelect().Model((*stepRow)(nil)).Column("answer").Where("s.delivery_id = d.id").
		OrderExpr("s.id DESC").Limit(1)
	err := o.DB.Read(ctx).NewSelect().Model((*deliveryRow)(nil)).ColumnExpr("d.*").
		ColumnExpr("COALESCE((?), '') AS answer", newest).
		Where("d.channel_id = ? AND d.mode = 'webhook' AND d.tenant_id = ?", webhook, t).OrderExpr("d.id DESC").
		Limit(webhookDeliveriesShown).Scan(ctx, &rows)
	if err != nil {
		return nil, wrap("list webhook deliveries", err)
	}
	list := make([]WebhookDelivery, len(rows))
	for i := range rows {
		var a alertmsg.Alarm
		if err := json.Unmarshal([]byte(rows[i].Facts), &a); err != nil {
			return nil, wrap(fmt.Sprintf("read facts of delivery %d", rows[i].ID), err)
		}
		list[i] = WebhookDelivery{Delivery: o.delivery(&rows[i].deliveryRow), Notice: rows[i].NoticeID, Title: a.Title,
			Answer: rows[i].Answer}
	}
	return list, nil
}
