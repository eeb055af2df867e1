package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"tilth/internal/domain/identity/oidc"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/text"
)

// Connection is the issuer of OpenID Connect at which a tenant's people sign in, and what follows
// from what it says of them.
type Connection struct {
	oidc.Connection
	DisplayName string // empty: the issuer's host
	// Creates says that a person whom nobody has named becomes a user, if Domains allow it.
	Creates   bool
	Domains   []string        // of their addresses, lower-case; none: any
	RoleClaim string          // the claim that gives the role; empty: Tilth's own roles count
	Roles     map[string]Role // of the values of RoleClaim
	// DefaultRole is the role of people for whom no value of RoleClaim has one; empty: they do not
	// sign in. Without RoleClaim, it is the role of new users; empty: Viewer.
	DefaultRole Role
}

// Name is what people see of the issuer.
func (c *Connection) Name() string {
	if c.DisplayName != "" {
		return c.DisplayName
	}
	return c.Connection.Name()
}

// Equal tells whether two connections are the same.
func (c *Connection) Equal(other *Connection) bool {
	return c.Connection == other.Connection && c.Creates == other.Creates &&
		slices.Equal(c.Domains, other.Domains) && c.RoleClaim == other.RoleClaim &&
		maps.Equal(c.Roles, other.Roles) && c.DefaultRole == other.DefaultRole
}

// role gives the role that an issuer's claims give; false: they give none, and the person does not
// sign in. Without RoleClaim it gives no role, and true.
func (c *Connection) role(claims oidc.Claims) (Role, bool) {
	if c.RoleClaim == "" {
		return "", true
	}
	highest := Role("")
	values, _ := claims.Values(c.RoleClaim)
	for _, value := range values {
		if mapped, ok := c.Roles[value]; ok && (highest == "" || mapped.Allows(highest)) {
			highest = mapped
		}
	}
	if highest == "" {
		highest = c.DefaultRole
	}
	return highest, highest != ""
}

// admits tells whether a new person with an address becomes a user.
func (c *Connection) admits(email string) bool {
	if !c.Creates || len(c.Domains) == 0 {
		return c.Creates
	}
	at := strings.LastIndexByte(email, '@')
	return at >= 0 && slices.Contains(c.Domains, text.FoldASCII(email[at+1:]))
}

type connectionRow struct {
	bun.BaseModel `bun:"table:oidc_connections,alias:o"`
	TenantID      tenant.ID `bun:",pk"`
	Issuer        string
	ClientID      string
	ClientSecret  []byte
	Creates       bool
	Domains       string
	RoleClaim     string
	Roles         string
	DefaultRole   Role
}

// ConnectionStore keeps the issuers of tenants.
type ConnectionStore struct {
	db    *db.DB
	vault signOnVault
	// installation is the issuer of tenants without one of their own; nil: there is none.
	installation *Connection
}

// NewConnectionStore makes a store. key, of 32 bytes, encrypts the secrets; installation is the
// issuer of tenants without one of their own, nil if there is none.
func NewConnectionStore(d *db.DB, key []byte, installation *Connection) (*ConnectionStore, error) {
	v, err := newSignOnVault(key)
	return &ConnectionStore{db: d, vault: v, installation: installation}, err
}

// Own gives the issuer of a tenant's own; nil: it has none.
func (s *ConnectionStore) Own(ctx context.Context, t tenant.ID) (*Connection, error) {
	var r connectionRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Where("o.tenant_id = ?", t).Scan(ctx)
	if db.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap("get connection", err)
	}
	secret, err := s.vault.open(t, r.ClientSecret)
	if err != nil {
		return nil, wrap("get connection", err)
	}
	c := &Connection{
		Connection: oidc.Connection{Issuer: r.Issuer, ClientID: r.ClientID, ClientSecret: string(secret)},
		Creates:    r.Creates, Domains: strings.Fields(r.Domains), RoleClaim: r.RoleClaim, DefaultRole: r.DefaultRole,
	}
	if err := json.Unmarshal([]byte(r.Roles), &c.Roles); err != nil {
		return nil, wrap("get connection", fmt.Errorf("roles: %w", err))
	}
	return c, nil
}

// Of gives the issuer at which a tenant's people sign in: the tenant's own, else the installation's;
// nil: there is none.
func (s *ConnectionStore) Of(ctx context.Context, t tenant.ID) (*Connection, error) {
	own, err := s.Own(ctx, t)
	if own != nil || err != nil {
		return own, err
	}
	return s.installation, nil
}

// Put sets the issuer of a tenant's own; nil removes it. Without a claim that gives roles, they are
// the owners' again.
func (s *ConnectionStore) Put(ctx context.Context, t tenant.ID, c *Connection) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*connectionRow)(nil)).Where("o.tenant_id = ?", t).Exec(ctx)
		if err != nil {
			return err
		}
		if c == nil || c.RoleClaim == "" {
			_, err = tx.NewUpdate().Model((*userRow)(nil)).Set("role_from = ?", RoleFromOwner).
				Where("u.tenant_id = ? AND u.role_from = ?", t, RoleFromSignIn).Exec(ctx)
		}
		if c == nil || err != nil {
			return err
		}
		roles, err := json.Marshal(c.Roles)
		if err != nil {
			return err
		}
		r := connectionRow{
			TenantID: t, Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: s.vault.seal(t, []byte(c.ClientSecret)),
			Creates: c.Creates, Domains: strings.Join(c.Domains, " "), RoleClaim: c.RoleClaim, Roles: string(roles),
			DefaultRole: c.DefaultRole,
		}
		_, err = tx.NewInsert().Model(&r).Exec(ctx)
		return err
	})
	return wrap("put connection", err)
}

// atIssuer gives the ids of the issuer's clients that sign people in, the installation's included.
func (s *ConnectionStore) atIssuer(ctx context.Context, issuer string) (clients []string, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*connectionRow)(nil)).ColumnExpr("DISTINCT o.client_id").
		Where("o.issuer = ?", issuer).Scan(ctx, &clients)
	if s.installation != nil && s.installation.Issuer == issuer {
		clients = append(clients, s.installation.ClientID)
	}
	return clients, wrap("find connections", err)
}
