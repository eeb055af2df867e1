package openapi

import (
	"context"

	"tilth/internal/domain/audit"
)

// actor returns the actor of a request: the program's credential, under the name of that time. A
// change is recorded by audit.Record around it.
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
