package notify

import (
	"context"
	"net/url"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
)

// Snapshot gives a tenant's webhook for the audit log, which owners of the tenant can read. Of
// the URL it shows the origin only: the part behind the host is often the only secret that
// protects the receiver.
func (s *WebhookStore) Snapshot(t tenant.ID, id *int64) audit.Snapshot {
	return func(ctx context.Context) ([]audit.Thing, error) {
		r, err := s.row(ctx, t, *id)
		if err != nil {
			return nil, wrap("read webhook", err)
		}
		w := r.webhook(s.now().UnixMilli())
		return []audit.Thing{{ID: w.ID, Name: w.Name, Fields: []audit.Field{
			{Name: "name", Value: w.Name}, {Name: "url", Value: origin(w.URL)}, {Name: "", Value: w.URL, Hidden: true},
			{Name: "events", Value: w.Events()}, {Name: "alarmLevel", Value: w.Level}, {Name: "enabled",
				Value: w.Enabled},
			{Name: "secret", Value: r.Secret, Hidden: true},
		}}}, nil
	}
}

// origin is a URL up to its host.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
