package notify

import (
	"context"
	"net/url"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
)

// Snapshot looks at a tenant's webhook for the audit log, which all people of the
// tenant read. Of its address they see whose it is: what follows the host often
// is all that opens it.
func (s *WebhookStore) Snapshot(t tenant.ID, id *int64) audit.Snapshot {
	return func(ctx context.Context) ([]audit.Thing, error) {
		r, err := s.row(ctx, t, *id)
		if err != nil {
			return nil, err
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

// origin is an address up to its host.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
