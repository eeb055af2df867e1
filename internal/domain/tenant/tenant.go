package tenant

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/platform/change"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// MaxSendsPerDay is the largest daily limit of mails, and of SMS, that a tenant can have.
const MaxSendsPerDay = 1_000_000

// Branding is how a tenant's console looks; Tilth's defaults replace empty fields.
type Branding struct {
	Title, Content, Logo, Background, Favicon string
}

// Tenant is one organisation.
type Tenant struct {
	ID       ID
	Name     string
	Hosts    []string // lower-case, without port; links in mails lead to the first
	TimeZone *time.Location
	Language text.Language
	Branding Branding
	// PeopleByProvider says that only the provider's file changes the people of the tenant.
	PeopleByProvider bool
	SelfService      SelfService
	// SecondFactorRequired says that nobody signs in by password alone. RequireSecondFactor sets it.
	SecondFactorRequired bool
	// MailsPerDay and SMSPerDay limit how many mails and SMS the tenant may send in a day of its
	// zone; 0: no limit; nil: the limit of the server's settings.
	MailsPerDay, SMSPerDay *int
}

type tenantRow struct {
	bun.BaseModel `bun:"table:tenants"`
	ID            ID `bun:",pk,autoincrement"`
	Name          string
	TimeZone      string
	Language      string
	Title         string
	Content       string
	Logo          string
	Background    string
	Favicon       string
	MailsADay     *int `bun:"mails_a_day"`
	SMSADay       *int `bun:"sms_a_day"`
	CreateTime    int64
	// PeopleByProvider is false where the owners change the people.
	PeopleByProvider     bool
	SelfService          string // JSON; empty: nothing
	SecondFactorRequired bool
}

type hostRow struct {
	bun.BaseModel `bun:"table:tenant_hosts"`
	Host          string `bun:",pk"`
	TenantID      ID
}

// Store keeps tenants.
type Store struct {
	db  *db.DB
	now func() time.Time

	acts atomic.Bool // see Acts

	// Changed tells of a tenant that was created or changed, Deleted of one that was deleted, Released that
	// a hold has ended.
	Changed, Deleted change.Kind[ID]
	Released         change.Kind[struct{}]
}

// NewStore makes a store; now is the server's clock.
func NewStore(d *db.DB, now func() time.Time) *Store { return &Store{db: d, now: now} }

// Get finds a tenant by id; a NotFound error if there is none.
func (s *Store) Get(ctx context.Context, id ID) (*Tenant, error) {
	return s.getWhere(ctx, "id = ?", id)
}

// ByName finds a tenant by its name; a NotFound error if there is none.
func (s *Store) ByName(ctx context.Context, name string) (*Tenant, error) {
	return s.getWhere(ctx, "name = ?", strings.TrimSpace(name))
}

// ByHost finds the tenant of a host, given with or without a port; a NotFound error if there is
// none.
func (s *Store) ByHost(ctx context.Context, website string) (*Tenant, error) {
	return s.getWhere(ctx, "id = (SELECT tenant_id FROM tenant_hosts WHERE host = ?)", NormalizeHost(website))
}

// NormalizeHost gives the form in which hosts are stored and compared: lower-case, without port,
// brackets and a final dot.
func NormalizeHost(website string) string {
	h := strings.ToLower(strings.TrimSpace(website))
	if name, _, err := net.SplitHostPort(h); err == nil {
		h = name
	}
	return strings.TrimSuffix(strings.Trim(h, "[]"), ".")
}

func (s *Store) getWhere(ctx context.Context, where string, args ...any) (*Tenant, error) {
	var r tenantRow
	if err := s.db.Read(ctx).NewSelect().Model(&r).Where(where, args...).Scan(ctx); err != nil {
		if db.IsMissing(err) {
			return nil, errs.Missing()
		}
		return nil, wrap("get", err)
	}
	t, err := s.load(ctx, r)
	return t, wrap("get", err)
}

func (s *Store) load(ctx context.Context, r tenantRow) (*Tenant, error) {
	zone, err := r.zone()
	if err != nil {
		return nil, err
	}
	self, err := parseSelfService(r.SelfService)
	if err != nil {
		return nil, err
	}
	t := &Tenant{
		ID:       r.ID,
		Name:     r.Name,
		TimeZone: zone,
		Language: text.Language(r.Language),
		Branding: Branding{
			Title:      r.Title,
			Content:    r.Content,
			Logo:       r.Logo,
			Background: r.Background,
			Favicon:    r.Favicon,
		},
		PeopleByProvider:     r.PeopleByProvider,
		SelfService:          self,
		MailsPerDay:          r.MailsADay,
		SMSPerDay:            r.SMSADay,
		SecondFactorRequired: r.SecondFactorRequired,
	}
	err = s.db.Read(ctx).NewSelect().Model((*hostRow)(nil)).Column("host").
		Where("tenant_id = ?", r.ID).OrderExpr("rowid").Scan(ctx, &t.Hosts)
	return t, err
}

// List gives every tenant, for the provider.
func (s *Store) List(ctx context.Context) ([]*Tenant, error) {
	var rows []tenantRow
	if err := s.db.Read(ctx).NewSelect().Model(&rows).OrderExpr("id").Scan(ctx); err != nil {
		return nil, wrap("list", err)
	}
	all := make([]*Tenant, 0, len(rows))
	for _, r := range rows {
		t, err := s.load(ctx, r)
		if err != nil {
			return nil, wrap("list", err)
		}
		all = append(all, t)
	}
	return all, nil
}

func (r *tenantRow) zone() (*time.Location, error) {
	if zone := Zone(r.TimeZone); zone != nil {
		return zone, nil
	}
	return time.LoadLocation(r.TimeZone) // a database of another version may have more zones
}

// Zones reads the time zones of some tenants, or of every one, from q.
func Zones(ctx context.Context, q bun.IDB, only ...ID) (map[ID]*time.Location, error) {
	var rows []tenantRow
	sel := q.NewSelect().Model(&rows).Column("id", "time_zone")
	if len(only) > 0 {
		sel.Where("id IN (?)", bun.List(only))
	}
	if err := sel.Scan(ctx); err != nil {
		return nil, wrap("read zones", err)
	}
	zones := make(map[ID]*time.Location, len(rows))
	for _, r := range rows {
		var err error
		if zones[r.ID], err = r.zone(); err != nil {
			return nil, wrap("read zones", err)
		}
	}
	return zones, nil
}

// Put creates t if its ID is 0, and sets the new id; otherwise it changes the tenant of that id. It
// replaces the hosts too.
func (s *Store) Put(ctx context.Context, t *Tenant) error {
	self, err := t.SelfService.stored()
	if err != nil {
		return wrap("put", err)
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		r := tenantRow{
			ID: t.ID, Name: t.Name, TimeZone: t.TimeZone.String(), Language: string(t.Language),
			Title: t.Branding.Title, Content: t.Branding.Content, Logo: t.Branding.Logo,
			Background: t.Branding.Background, Favicon: t.Branding.Favicon,
			MailsADay: t.MailsPerDay, SMSADay: t.SMSPerDay, CreateTime: s.now().UnixMilli(),
			PeopleByProvider: t.PeopleByProvider, SelfService: self,
		}
		if t.ID == 0 {
			if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
				return err
			}
			t.ID = r.ID
		} else {
			own := []string{"create_time", "second_factor_required"} // nothing that t sets
			res, err := tx.NewUpdate().Model(&r).WherePK().ExcludeColumn(own...).Exec(ctx)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			if n == 0 {
				return errs.Missing()
			}
		}
		if _, err := tx.NewDelete().Model((*hostRow)(nil)).Where("tenant_id = ?", t.ID).Exec(ctx); err != nil {
			return err
		}
		for _, h := range t.Hosts {
			if _, err := tx.NewInsert().Model(&hostRow{Host: h, TenantID: t.ID}).Exec(ctx); err != nil {
				return err
			}
		}
		s.db.AfterCommit(ctx, func() { s.Changed.Tell(t.ID) })
		return nil
	})
	return wrap("put", err)
}

// RequireSecondFactor sets whether the people of a tenant need a second factor to sign in by password.
func (s *Store) RequireSecondFactor(ctx context.Context, id ID, required bool) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*tenantRow)(nil)).Set("second_factor_required = ?", required).
			Where("id = ?", id).Exec(ctx)
		return err
	})
	return wrap("require second factor", err)
}

// Delete removes an empty tenant. The database refuses to while the tenant has users, scenes or
// devices.
func (s *Store) Delete(ctx context.Context, id ID) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*tenantRow)(nil)).Where("id = ?", id).Exec(ctx)
		if err == nil {
			s.db.AfterCommit(ctx, func() { s.Deleted.Tell(id) })
		}
		return err
	})
	return wrap("delete", err)
}
