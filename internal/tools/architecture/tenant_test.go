package architecture

import (
	"testing"
)

// tenantlessMethods are methods of types with tenants' data that take no tenant, and types whose
// methods all take none, each with its reason.
var tenantlessMethods = map[string]string{
	"device.Catalog":  "all tenants share products and elements",
	"captcha.Service": "runs before a tenant is known",
	"mail.Queue":      "sends emails; stores none",
	"mail.SMTP":       "sends emails; stores none",

	"tenant.Store.LoadHold": "a restored server acts for no tenant",
	"tenant.Store.Release":  "a restored server acts for no tenant",
	"tenant.Store.ByName":   "establishes the tenant from its name",
	"tenant.Store.ByHost":   "establishes the tenant from a host",
	"tenant.Store.List":     "for the provider",

	"identity.SessionStore.Caller":      "establishes the tenant from an access token",
	"identity.SessionStore.Refresh":     "establishes the tenant from a refresh token",
	"oidc.Client":                       "speaks with issuers; stores nothing",
	"identity.SignOn.Way":               "establishes the tenant from its name",
	"identity.SignOn.Start":             "establishes the tenant from its name",
	"identity.SignOn.Callback":          "establishes the tenant from the state of a sign-in",
	"identity.SignOn.OpenSession":       "establishes the tenant from the ticket of a sign-in",
	"identity.SignOn.Refresh":           "establishes the tenant from a refresh token",
	"identity.SignOn.BackChannelLogout": "establishes the tenants from a logout token of their issuer",
	"identity.SignOn.RefuseCall":        "logs a call that is refused before a tenant is known",
	"identity.SignOn.Sweep":             "clean-up of all tenants: sign-ins at issuers that nobody finished",
	"identity.InvitationStore.ByToken":  "establishes the tenant from the token of an invitation's link",
	"identity.InvitationStore.Sweep":    "clean-up of all tenants: invitations that expired long ago",
	"identity.People.Offer":             "establishes the tenant from the token of an invitation's link",
	"identity.People.Accept":            "establishes the tenant from the token of an invitation's link",
	"identity.SessionStore.Sweep":       "clean-up of all tenants: tokens that expired",
	"identity.CodeStore.Sweep":          "clean-up of all tenants: codes that no limit counts any longer",
	"identity.UserStore.Sweep":          "clean-up of all tenants: subnets without a recent sign-in",
	"identity.SignIn.Run":               "emails users of all tenants about guesses of their passwords",
	"notify.MessageStore.Sweep":         "clean-up of all tenants: messages past their retention",
	"notify.WebhookStore.Sweep":         "clean-up of all tenants: webhook secrets that are no longer valid",
	"identity.TicketStore.Sweep":        "clean-up of all tenants: tickets that expired",
	"identity.SignIn.WithCode":          "establishes the tenant from the ticket of a sign-in",
	"identity.SignIn.BeginEnrolment":    "establishes the tenant from the ticket of a sign-in",
	"identity.SignIn.ConfirmEnrolment":  "establishes the tenant from the ticket of a sign-in",

	"audit.Store.NewContext": "names the actor, before it is known what the actor acts on",
	"audit.Store.Sweep":      "clean-up of all tenants: entries past their retention",
	"audit.Store.Run":        "writes the entries of all tenants later",
	"audit.Store.Flush":      "writes the entries of all tenants later",

	"identity.CredentialStore.Authenticate": "establishes the tenant from a key and its secret",
	"identity.CredentialStore.Find":         "establishes the tenant from a key and its secret",
	"identity.CredentialStore.Run":          "writes every tenant's behind",
	"identity.CredentialStore.Flush":        "writes every tenant's behind",
	"identity.AvatarStore.Picture":          "an image request carries no token; its address cannot be guessed",

	"device.Store.OwnerOf":           "for the provider: device names are unique in the installation",
	"device.Store.OwnersOf":          "for the provider: device names are unique in the installation",
	"device.Store.SecretOwners":      "for the provider: secrets are unique in the installation",
	"calibration.Service.Load":       "at the start: the calibrations of all tenants",
	"calibration.Service.Run":        "background work of all tenants",
	"selfservice.Shelf.ByNames":      "for the provider: its shelf is for all tenants",
	"selfservice.Shelf.ByCodes":      "for the provider: its shelf is for all tenants",
	"selfservice.Shelf.BySecrets":    "for the provider: its shelf is for all tenants",
	"selfservice.Shelf.ByDevEUIs":    "for the provider: its shelf is for all tenants",
	"selfservice.Shelf.Delete":       "for the provider: its shelf is for all tenants",
	"device.Store.Refs":              "examines a data folder, which holds all tenants",
	"device.Store.LoadRegistry":      "the registry holds every tenant's devices",
	"device.Registry.Authenticate":   "establishes the tenant from a device's secret",
	"device.Registry.StillValid":     "checks the secret that established the tenant",
	"device.Registry.Get":            "finds an entry by its id; the entry names its tenant",
	"device.StatusStore.Load":        "a start loads every tenant's status",
	"device.StatusStore.LoadChanges": "a standby loads every tenant's status",
	"device.StatusStore.Run":         "writes every tenant's status later",
	"device.StatusStore.Flush":       "writes every tenant's status later",
	"device.Presence.Run":            "marks silent devices of all tenants as offline",
	"device.StatusStore.HandOver":    "leaves every tenant's presence to the next leader",
	"device.StatusStore.TakeOver":    "a leader goes on with every tenant's presence",
	"device.Registry.RefusedSignIn":  "establishes the tenant from a device's former secret or its name",
	"device.Registry.Claimed":        "establishes the tenant from a device's name or secret",
	"device.Registry.Named":          "establishes the tenant from a device's name",
	"device.TraceStore.Load":         "a start loads every tenant's traces",
	"device.TraceStore.Run":          "writes every tenant's traces later",
	"device.TraceStore.Flush":        "writes every tenant's traces later",

	"identity.Hasher": "holds how long hashes took, of no tenant; the requester names the account",

	"reading.Store.Consume":       "all tenants share one journal; each frame names its tenant",
	"reading.Store.Backlog":       "all tenants share one journal; each frame names its tenant",
	"reading.Store.Trim":          "all tenants share one journal",
	"reading.Store.Expire":        "clean-up of all tenants: readings past their retention",
	"reading.Store.Seal":          "packs the days of every tenant",
	"reading.Store.Run":           "clean-up of all tenants",
	"reading.Store.Snapshot":      "a backup holds every tenant's readings",
	"reading.Store.Follow":        "all tenants share one log; each frame names its tenant",
	"reading.Store.Lead":          "all tenants share one log",
	"reading.Store.BeginLife":     "all tenants share one log",
	"reading.Store.CopyToArchive": "copies the days of every tenant; each device-day names its tenant",
	"reading.Store.ClearArchive":  "all tenants share one archive",
	"reading.Store.NoteArchived":  "all tenants share one archive",
	"reading.Store.FetchMissing":  "fetches the days of every tenant; each device-day names its tenant",
	"reading.Store.SetArchive":    "all tenants share one archive",
	"reading.Store.LargestIDs":    "the numbers of tenants are unique in the installation",

	"alarm.PositionStore.Load":                "all tenants share one journal",
	"alarm.PositionStore.Save":                "all tenants share one journal",
	"alarm.PositionStore.LoadTenants":         "a start loads every tenant's evaluated position",
	"alarm.PositionStore.SaveTenants":         "one transaction writes the positions of several tenants",
	"alarm.Engine.Take":                       "a batch holds readings of several tenants",
	"alarm.Engine.LateTenants":                "the outbox asks for the tenants whose rules are evaluated late",
	"alarm.Engine.Work":                       "evaluates the rules of all tenants, round robin",
	"alarm.RuleStore.Running":                 "the engine evaluates every tenant's rules",
	"alarm.RuleStore.TenantsWithDynamicRules": "lists the tenants that have dynamic rules",
	"alarm.Engine.Evaluate":                   "all tenants share one journal; each frame names its tenant",
	"alarm.Engine.Start":                      "the engine evaluates every tenant's rules",
	"alarm.Engine.Reload":                     "the engine evaluates every tenant's rules",
	"alarm.Engine.Run":                        "the engine evaluates every tenant's rules",
	"alarm.Engine.Tick":                       "the engine evaluates every tenant's rules",

	"notify.Outbox.Run":     "sends every tenant's deliveries",
	"notify.Outbox.Step":    "sends every tenant's deliveries",
	"notify.Outbox.Release": "a restored server holds back every tenant's deliveries",
	"notify.Outbox.Waiting": "metrics of the whole installation",
	"notify.Outbox.Sweep":   "clean-up of all tenants: deliveries past their retention",

	"homeassistant.Service.Run": "serves the brokers of all tenants",

	"live.Hub.EndKey": "the key is that of a session, which belongs to one tenant",
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
