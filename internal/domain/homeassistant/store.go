package homeassistant

import (
	"context"
	"slices"
	"strconv"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/vault"
)

type settingsRow struct {
	bun.BaseModel   `bun:"table:home_assistant,alias:h"`
	TenantID        tenant.ID `bun:",pk"`
	Enabled         bool
	URL             string `bun:"url"`
	UserName        string
	Password        []byte
	DiscoveryPrefix string
	BaseTopic       string
}

func (r *settingsRow) settings() Settings {
	return Settings{
		Enabled: r.Enabled, URL: r.URL, UserName: r.UserName, HasPassword: len(r.Password) > 0,
		Prefix: r.DiscoveryPrefix, Base: r.BaseTopic,
	}
}

type topicRow struct {
	bun.BaseModel `bun:"table:home_assistant_topics,alias:x"`
	TenantID      tenant.ID
	Topic         string
}

// Store stores the settings of tenants, and of which topics their brokers retain a message.
type Store struct {
	db       *db.DB
	vault    vault.Vault
	onChange func(tenant.ID) // set once, before the store is used
}

// NewStore makes a store; key, of 32 bytes, encrypts the passwords.
func NewStore(d *db.DB, key []byte) (*Store, error) {
	v, err := vault.New(key)
	return &Store{db: d, vault: v, onChange: func(tenant.ID) {}}, err
}

// owned binds a sealed password to its tenant: in another tenant's row it cannot be opened.
func owned(t tenant.ID) string { return "Home Assistant of tenant " + strconv.FormatInt(int64(t), 10) }

// Get gives a tenant's settings; nil if it never set any.
func (s *Store) Get(ctx context.Context, t tenant.ID) (*Settings, error) {
	r, err := s.row(ctx, t)
	if r == nil || err != nil {
		return nil, wrap("read settings", err)
	}
	found := r.settings()
	return &found, nil
}

// row is nil if there is none.
func (s *Store) row(ctx context.Context, t tenant.ID) (*settingsRow, error) {
	var r settingsRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Where("h.tenant_id = ?", t).Scan(ctx)
	if db.IsMissing(err) {
		return nil, nil
	}
	return &r, err
}

// put stores a tenant's settings. Password is stored unless it is nil; without HasPassword the stored
// one is removed.
func (s *Store) put(ctx context.Context, t tenant.ID, set *Settings, password *string) error {
	r := settingsRow{
		TenantID: t, Enabled: set.Enabled, URL: set.URL, UserName: set.UserName,
		DiscoveryPrefix: set.Prefix, BaseTopic: set.Base,
	}
	return wrap("put settings", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		s.db.AfterCommit(ctx, func() { s.onChange(t) })
		q := tx.NewInsert().Model(&r).On("CONFLICT (tenant_id) DO UPDATE").Set("enabled = EXCLUDED.enabled").
			Set("url = EXCLUDED.url").Set("user_name = EXCLUDED.user_name").
			Set("discovery_prefix = EXCLUDED.discovery_prefix").Set("base_topic = EXCLUDED.base_topic")
		switch {
		case !set.HasPassword:
			q.Set("password = NULL")
		case password != nil:
			r.Password = s.vault.Seal(owned(t), []byte(*password))
			q.Set("password = EXCLUDED.password")
		}
		_, err := q.Exec(ctx)
		return err
	}))
}

// target is a tenant's settings with the password.
type target struct {
	Settings
	password string
}

// target gives what the server needs to connect; nil if the tenant has no settings. The error
// is a *failure if the password cannot be read.
func (s *Store) target(ctx context.Context, t tenant.ID) (*target, error) {
	r, err := s.row(ctx, t)
	if r == nil || err != nil {
		return nil, wrap("read settings", err)
	}
	to := &target{Settings: r.settings()}
	if to.HasPassword {
		plain, err := s.vault.Open(owned(t), r.Password)
		if err != nil {
			return to, &failure{PasswordUnreadable, err}
		}
		to.password = string(plain)
	}
	return to, nil
}

// tenants gives the tenants that are connected, or of which something is to be removed from a broker.
func (s *Store) tenants(ctx context.Context) (list []tenant.ID, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*settingsRow)(nil)).Column("h.tenant_id").Where("h.enabled").
		WhereOr("EXISTS (SELECT 1 FROM home_assistant_topics AS x WHERE x.tenant_id = h.tenant_id)").
		OrderExpr("h.tenant_id").Scan(ctx, &list)
	return list, wrap("list tenants", err)
}

// topics gives the topics of which a tenant's broker retains a message, or may.
func (s *Store) topics(ctx context.Context, t tenant.ID) (list []string, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*topicRow)(nil)).Column("x.topic").Where("x.tenant_id = ?", t).
		OrderExpr("x.topic").Scan(ctx, &list)
	return list, wrap("read topics", err)
}

// topicsAtOnce is how many topics one statement writes.
const topicsAtOnce = 500

// addTopics writes down topics that are about to be published.
func (s *Store) addTopics(ctx context.Context, t tenant.ID, topics []string) error {
	if len(topics) == 0 {
		return nil
	}
	return wrap("add topics", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		there, err := tx.NewSelect().Model((*settingsRow)(nil)).Where("h.tenant_id = ?", t).Exists(ctx)
		if err != nil || !there {
			return err // the tenant is being removed
		}
		for some := range slices.Chunk(topics, topicsAtOnce) {
			rows := make([]topicRow, len(some))
			for i, topic := range some {
				rows[i] = topicRow{TenantID: t, Topic: topic}
			}
			if _, err := tx.NewInsert().Model(&rows).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	}))
}

// removeTopics forgets topics that were emptied.
func (s *Store) removeTopics(ctx context.Context, t tenant.ID, topics []string) error {
	if len(topics) == 0 {
		return nil
	}
	return wrap("remove topics", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for some := range slices.Chunk(topics, topicsAtOnce) {
			_, err := tx.NewDelete().Model((*topicRow)(nil)).
				Where("x.tenant_id = ? AND x.topic IN (?)", t, bun.List(some)).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// Clear removes the settings of a tenant that is being removed. The server then removes what it
// announced, if it is connected.
func (s *Store) Clear(ctx context.Context, t tenant.ID) error {
	return wrap("clear settings", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		s.db.AfterCommit(ctx, func() { s.onChange(t) })
		if _, err := tx.NewDelete().Model((*topicRow)(nil)).Where("x.tenant_id = ?", t).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model((*settingsRow)(nil)).Where("h.tenant_id = ?", t).Exec(ctx)
		return err
	}))
}

// snapshot gives a tenant's settings for the audit log.
func (s *Store) snapshot(t tenant.ID) audit.Snapshot {
	return func(ctx context.Context) ([]audit.Thing, error) {
		r, err := s.row(ctx, t)
		if r == nil || err != nil {
			return nil, wrap("read settings", err)
		}
		return []audit.Thing{{Name: "Home Assistant", Fields: []audit.Field{
			{Name: "enabled", Value: r.Enabled}, {Name: "url", Value: r.URL}, {Name: "userName", Value: r.UserName},
			{Name: "password", Value: r.Password, Hidden: true},
			{Name: "discoveryPrefix", Value: r.DiscoveryPrefix}, {Name: "baseTopic", Value: r.BaseTopic},
		}}}, nil
	}
}
