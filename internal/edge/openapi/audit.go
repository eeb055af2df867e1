package openapi

import (
	"context"

	"tilth/internal/domain/audit"
)

// actor acts in a request: the program's credential, by its name then. A change
// is written down by audit.Record around it.
func (s *server) actor(info *request) audit.Actor {
	p := info.program
	actor := audit.Actor{Kind: audit.Credential, ID: p.Credential, Request: info.ID, Address: info.AddressText()}
	actor.Name = func(ctx context.Context) (string, error) {
		c, err := s.Credentials.Get(ctx, p.Tenant, p.User, p.Credential)
		if err != nil {
			return "", err
		}
		return c.Name, nil
	}
	return actor
}
