package architecture

import (
	"testing"
)

// tenantlessMethods are the methods of what keeps tenants' data that take no tenant, and
// types all of whose methods do not, each with its reason.
var tenantlessMethods = map[string]string{
	"device.Catalog":  "the platform's: products and elements are everybody's",
	"captcha.Service": "before anybody is known",
	"mail.Queue":      "carries letters, which say whose they are; keeps none",
	"mail.SMTP":       "carries letters, which say whose they are; keeps none",

	"tenant.Store.ByName": "establishes the tenant from its name",
	"tenant.Store.ByHost": "establishes the tenant from a host",
	"tenant.Store.List":   "for whoever runs the platform",

	"identity.SessionStore.Caller":  "establishes the tenant from an access token",
	"identity.SessionStore.Refresh": "establishes the tenant from a refresh token",
	"identity.SessionStore.Sweep":   "the platform's upkeep: tokens that expired",
	"identity.CodeStore.Sweep":      "the platform's upkeep: codes that no limit counts",
	"identity.UserStore.Sweep":      "the platform's upkeep: networks that nobody signed in from for long",
	"identity.SignIn.Run":           "tells every tenant's people",
	"notify.MessageStore.Sweep":     "the platform's upkeep: messages that are kept no more",
	"notify.WebhookStore.Sweep":     "the platform's upkeep: secrets that do not count any more",

	"audit.Store.NewContext": "says who acts, before anybody knows on what",
	"audit.Store.Sweep":      "the platform's upkeep: entries that are kept no more",
	"audit.Store.Run":        "writes every tenant's behind",
	"audit.Store.Flush":      "writes every tenant's behind",

	"identity.CredentialStore.Authenticate": "establishes the tenant from a key and its secret",
	"identity.CredentialStore.Run":          "writes every tenant's behind",
	"identity.CredentialStore.Flush":        "writes every tenant's behind",
	"identity.AvatarStore.Picture":          "the address cannot be guessed; an image on a page carries no token",

	"device.Store.OwnerOf":         "for whoever runs the platform: names are unique on it",
	"device.Store.OwnersOf":        "for whoever runs the platform: names are unique on it",
	"device.Store.SecretOwners":    "for whoever runs the platform: secrets are unique on it",
	"device.Store.Refs":            "for examining a data folder, which is everybody's",
	"device.Store.LoadRegistry":    "the devices' edge holds every tenant's devices",
	"device.Registry.Authenticate": "establishes the tenant from a device's secret",
	"device.Registry.StillValid":   "by the secret that established the tenant",
	"device.Registry.Get":          "by the number of an entry, which says whose it is",
	"device.StatusStore.Load":      "a start reads every tenant's",
	"device.StatusStore.Run":       "writes every tenant's behind",
	"device.StatusStore.Flush":     "writes every tenant's behind",
	"device.Presence.Run":          "takes every tenant's devices offline",

	"reading.Store.Consume":  "the journal is one for all tenants; each frame names its own",
	"reading.Store.Backlog":  "the journal is one for all tenants; each frame names its own",
	"reading.Store.Trim":     "the journal is one for all tenants",
	"reading.Store.Expire":   "the platform's upkeep: retention",
	"reading.Store.Seal":     "packs the days of every tenant",
	"reading.Store.Run":      "the platform's upkeep",
	"reading.Store.Snapshot": "a backup holds every tenant's",

	"alarm.PositionStore.Load":                "the journal is one for all tenants",
	"alarm.PositionStore.Save":                "the journal is one for all tenants",
	"alarm.PositionStore.LoadTenants":         "a start takes up all tenants",
	"alarm.PositionStore.SaveTenants":         "one transaction writes what happened to several",
	"alarm.Engine.Take":                       "a batch holds readings of several tenants",
	"alarm.Engine.LateTenants":                "one outbox tells for all tenants",
	"alarm.Engine.Work":                       "judges all tenants in turn",
	"alarm.RuleStore.Running":                 "the engine judges every tenant's",
	"alarm.RuleStore.TenantsWithDynamicRules": "which tenants have rules whose devices change by themselves",
	"alarm.Engine.Evaluate":                   "the journal is one for all tenants; each frame names its own",
	"alarm.Engine.Start":                      "the engine judges every tenant's",
	"alarm.Engine.Reload":                     "the engine judges every tenant's",
	"alarm.Engine.Run":                        "the engine judges every tenant's",
	"alarm.Engine.Tick":                       "the engine judges every tenant's",

	"notify.Outbox.Run":     "brings every tenant's",
	"notify.Outbox.Step":    "brings every tenant's",
	"notify.Outbox.Held":    "a restored server holds every tenant's",
	"notify.Outbox.Release": "a restored server holds every tenant's",
	"notify.Outbox.Waiting": "figures for whoever runs the platform",
	"notify.Outbox.Sweep":   "the platform's upkeep: deliveries that are kept no more",

	"live.Hub.EndKey": "the key is a session's, which is one tenant's",
}

func TestTenantFirst(t *testing.T) {
	expectNone(t, methodsWithoutTenant(parseRepository(t), tenantlessMethods))
	expectViolations(t, methodsWithoutTenant(parseExample(t, map[string]string{
		"internal/domain/device/store.go": `package device
type Ref struct { Tenant tenant.ID; ID int64 }
type Entry struct { Ref; Name string }
func (s *Store) Good(ctx context.Context, t tenant.ID, name string) error
func (s *Store) ByRef(ctx context.Context, r Ref) error
func (s *Store) NoOwner(ctx context.Context, id int64) error
func (s *Store) OwnerLater(ctx context.Context, name string, t tenant.ID) error
func (s *SceneStore) Alone(ctx context.Context) error
func (s Store) ByValue(ctx context.Context, t int64)
func (s *Store) ContextLater(t tenant.ID, ctx context.Context)
func (s *Store) Pair(ctx, other context.Context, t tenant.ID)
func (s *Store) Total() int
func (s *Store) hidden(ctx context.Context, id int64) error
func (s *inStore) Hidden(ctx context.Context, id int64) error
func (s *Store) Excused(ctx context.Context) error
func (s *Store) Reformed(ctx context.Context, t tenant.ID) error
`,
		"internal/domain/device/roster.go": `package device
type Roster struct { store *Store; scenes map[int64]string }
type Registry struct { mu sync.RWMutex; byID map[int64]*Entry }
type Query struct { Name string; Of []string }
type Catalog struct { db *db.DB }
func (r *Roster) Page(ctx context.Context, q Query) error
func (r *Roster) Groups(ctx context.Context, t tenant.ID) error
func (r *Registry) Get(id int64) *Entry
func (r *Registry) All() []*Entry
func (r *Registry) Find(t tenant.ID, name string) *Entry
func (r *Registry) Move(e *Entry, to int64)
func (r *Registry) Put(all ...Entry)
func (r *Registry) Watch(f func(id int64))
func (r *Registry) Total() int
func (q *Query) With(name string)
func (c *Catalog) Load(ctx context.Context) error
`,
		"internal/domain/alarm/engine.go": `package alarm
type EngineOptions struct { DB *db.DB }
type Engine struct { o EngineOptions; devices *device.Registry }
type notice struct { at []device.Entry }
func (e *Engine) Judge(ctx context.Context, batch []notice)
func (e *Engine) Until(id int64) int64
`,
		"internal/platform/live/hub.go":   "package live\ntype Hub struct { mu sync.Mutex }\nfunc (h *Hub) End(key string)\nfunc (h *Hub) Publish(t tenant.ID, data []byte)\n",
		"internal/edge/console/room.go":   "package console\ntype Room struct { mu sync.Mutex }\nfunc (r *Room) Get(id int64)\n", // an edge
		"internal/domain/tenant/store.go": "package tenant\nfunc (s *Store) Get(ctx context.Context, id ID) error\nfunc (s *Store) Find(ctx context.Context, id int64) error\n",
		"internal/domain/notify/store.go": "package notify\nfunc (s *Store) Get(ctx context.Context, id ID) error\n", // another ID
	}), map[string]string{"device.Store.Excused": "x", "device.Store.Reformed": "x", "device.Store.Gone": "x", "device.Catalog": "x", "device.Query": "x"}),
		"Store.NoOwner", "Store.OwnerLater", "SceneStore.Alone", "Store.ByValue", "Store.ContextLater", "Store.Pair",
		"device.Roster.Page", "device.Registry.Get", "device.Registry.All", "alarm.Engine.Until", "live.Hub.End",
		"tenant.Store.Find", "notify.Store.Get", "Reformed is excused", "Gone is excused", "device.Query is excused",
	)
}
