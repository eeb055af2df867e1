package architecture

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// ownerless are the stores' methods that take no tenant, each with its reason.
// Everything else takes tenant.ID right after the context.
var ownerless = map[string]string{
	"tenant.Store.ByName": "establishes the tenant from its name",
	"tenant.Store.ByHost": "establishes the tenant from a host",
	"tenant.Store.List":   "for whoever runs the platform",
	"tenant.Store.Put":    "for whoever runs the platform: the tenant itself",

	"identity.SessionStore.Caller":  "establishes the tenant from an access token",
	"identity.SessionStore.Refresh": "establishes the tenant from a refresh token",
	"identity.SessionStore.Sweep":   "the platform's upkeep: tokens that expired",
	"identity.CodeStore.Sweep":      "the platform's upkeep: codes that no limit counts",
	"notify.MessageStore.Sweep":     "the platform's upkeep: messages that are kept no more",
	"notify.WebhookStore.Sweep":     "the platform's upkeep: secrets that do not count any more",

	"audit.Store.With":  "says who acts, before anybody knows on what",
	"audit.Store.Sweep": "the platform's upkeep: entries that are kept no more",
	"audit.Store.Run":   "writes every tenant's behind",
	"audit.Store.Flush": "writes every tenant's behind",

	"identity.CredentialStore.Check": "establishes the tenant from a key and its secret",
	"identity.CredentialStore.Run":   "writes every tenant's behind",
	"identity.CredentialStore.Flush": "writes every tenant's behind",
	"identity.AvatarStore.Picture":   "the address cannot be guessed; an image on a page carries no token",

	"device.Store.OwnerOf":      "for whoever runs the platform: names are unique on it",
	"device.Store.OwnersOf":     "for whoever runs the platform: names are unique on it",
	"device.Store.SecretOwners": "for whoever runs the platform: secrets are unique on it",
	"device.Store.Refs":         "for examining a data folder, which is everybody's",
	"device.Store.LoadRegistry": "the devices' edge holds every tenant's devices",
	"device.StatusStore.Load":   "a start reads every tenant's",
	"device.StatusStore.Run":    "writes every tenant's behind",
	"device.StatusStore.Flush":  "writes every tenant's behind",

	"reading.Store.Append":   "one batch of many tenants; each frame names its own",
	"reading.Store.Consume":  "the journal is one for all tenants; each frame names its own",
	"reading.Store.Backlog":  "the journal is one for all tenants; each frame names its own",
	"reading.Store.Expire":   "the platform's upkeep: retention",
	"reading.Store.Seal":     "packs the days of every tenant",
	"reading.Store.Run":      "the platform's upkeep",
	"reading.Store.Snapshot": "a backup holds every tenant's",

	"alarm.PositionStore.Load": "the journal is one for all tenants",
	"alarm.PositionStore.Save": "the journal is one for all tenants",
	"alarm.RuleStore.Running":  "the engine judges every tenant's",
}

// strangers are exported methods of stores that take a context but not, right
// after it, the tenant that owns what they touch.
func strangers(x *tree, excused map[string]string) (breaches []string) {
	seen := map[string]bool{}
	for _, sources := range x.production() {
		for _, s := range sources {
			for _, d := range s.file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv == nil || !f.Name.IsExported() {
					continue
				}
				store := receiver(f)
				if !strings.HasSuffix(store, "Store") || !ast.IsExported(store) {
					continue
				}
				params := parameters(f)
				at := slices.Index(params, "context.Context")
				if at < 0 {
					continue
				}
				name := fmt.Sprintf("%s.%s.%s", s.file.Name.Name, store, f.Name.Name)
				owned := at == 0 && len(params) > 1 && (params[1] == "tenant.ID" || s.file.Name.Name == "tenant" && params[1] == "ID")
				if _, ok := excused[name]; ok {
					seen[name] = true
					if owned {
						breaches = append(breaches, name+" takes the tenant: take it from the list")
					}
				} else if !owned {
					breaches = append(breaches, fmt.Sprintf("%s: %s does not take the tenant right after the context", s.path, name))
				}
			}
		}
	}
	for name := range excused {
		if !seen[name] {
			breaches = append(breaches, name+" is excused, but does not exist")
		}
	}
	return breaches
}

func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// parameters are the types of f's parameters as they are written.
func parameters(f *ast.FuncDecl) (all []string) {
	for _, field := range f.Type.Params.List {
		name := ""
		switch t := field.Type.(type) {
		case *ast.Ident:
			name = t.Name
		case *ast.SelectorExpr:
			if pkg, ok := t.X.(*ast.Ident); ok {
				name = pkg.Name + "." + t.Sel.Name
			}
		}
		for range max(1, len(field.Names)) {
			all = append(all, name)
		}
	}
	return all
}

func TestTenantFirst(t *testing.T) {
	none(t, strangers(repository(t), ownerless))
	found(t, strangers(example(t, map[string]string{
		"internal/device/store.go": `package device
func (s *Store) Good(ctx context.Context, t tenant.ID, name string) error
func (s *Store) NoOwner(ctx context.Context, id int64) error
func (s *Store) OwnerLater(ctx context.Context, name string, t tenant.ID) error
func (s *SceneStore) Alone(ctx context.Context) error
func (s Store) ByValue(ctx context.Context, t int64)
func (s *Store) ContextLater(t tenant.ID, ctx context.Context)
func (s *Store) Pair(ctx, other context.Context, t tenant.ID)
func (s *Store) NoContext(name string) int
func (s *Store) hidden(ctx context.Context, id int64) error
func (s *inStore) Hidden(ctx context.Context, id int64) error
func (c *Catalog) Load(ctx context.Context) error
func (s *Store) Excused(ctx context.Context) error
func (s *Store) Reformed(ctx context.Context, t tenant.ID) error
`,
		"internal/tenant/store.go": "package tenant\nfunc (s *Store) Get(ctx context.Context, id ID) error\nfunc (s *Store) Find(ctx context.Context, id int64) error\n",
		"internal/other/store.go":  "package other\nfunc (s *Store) Get(ctx context.Context, id ID) error\n", // another ID
	}), map[string]string{"device.Store.Excused": "x", "device.Store.Reformed": "x", "device.Store.Gone": "x"}),
		"Store.NoOwner", "Store.OwnerLater", "SceneStore.Alone", "Store.ByValue", "Store.ContextLater", "Store.Pair",
		"tenant.Store.Find", "other.Store.Get", "Reformed takes the tenant", "Gone is excused",
	)
}
