package notify

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

// address is what fails and pauses alone: a destination or, of webhooks, one URL at the destination.
type address struct {
	destination string
	tenant      tenant.ID // whose webhook it is; 0: it is no webhook's
	webhook     int64
	url         string
}

// readAddresses reads the addresses of a tenant's webhooks that are switched on, once in a batch. Other
// addresses of the tenant's webhooks are forgotten: whoever corrects a URL need not wait for the pause of the
// wrong one.
func (t *batch) readAddresses(ctx context.Context, of tenant.ID) error {
	if _, known := t.addresses[of]; known || !t.spec.Programs {
		return nil
	}
	hooks, err := t.Webhooks.enabled(ctx, of)
	if err != nil {
		return err
	}
	list := make([]address, len(hooks))
	for i, h := range hooks {
		list[i] = address{destination: webhookDestination(of, h.URL), tenant: of, webhook: h.ID, url: h.URL}
	}
	t.addresses[of] = list
	t.forget(func(a address) bool { return a.tenant == of && !slices.Contains(list, a) })
	return nil
}

// addressOf gives the address of a delivery.
func (t *batch) addressOf(r *deliveryRow) address {
	for _, a := range t.addresses[r.TenantID] {
		if a.webhook == r.ChannelID {
			return a
		}
	}
	return address{destination: r.Destination}
}

// neighbours gives the addresses that a webhook's tenant has at its host, itself included.
func (t *batch) neighbours(of address) (list []address) {
	for _, a := range t.addresses[of.tenant] {
		if a.destination == of.destination {
			list = append(list, a)
		}
	}
	return list
}

// busy gives the addresses of a tenant for which nothing may start now.
func (t *batch) busy(of tenant.ID) []address {
	busy, _ := t.waiting(t.now)
	for _, a := range slices.AppendSeq(slices.Clone(t.addresses[of]), maps.Keys(t.inFlightByAddress)) {
		if t.full(a) {
			busy = append(busy, a)
		}
	}
	return busy
}

// except leaves the deliveries to some addresses out of a query.
func (l *worker) except(q *bun.SelectQuery, addresses []address) {
	if len(addresses) == 0 {
		return
	}
	if l.spec.Programs {
		ids := make([]int64, len(addresses))
		for i, a := range addresses {
			ids[i] = a.webhook
		}
		q.Where("d.channel_id NOT IN (?)", bun.List(ids))
		return
	}
	destinations := make([]string, len(addresses))
	for i, a := range addresses {
		destinations[i] = a.destination
	}
	q.Where("d.destination NOT IN (?)", bun.List(destinations))
}
