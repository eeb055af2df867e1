package provider

import (
	"context"
	"slices"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

type tenantStep struct {
	step
	file     *fileTenant
	tenant   tenant.Tenant
	oldHosts []string // the tenant's hosts before the change
	users    []userStep
	scenes   []string // to be created
	devices  []*deviceStep

	connection connectionStep

	scenesByName map[string]*device.Scene // by folded name, including those to be created
}

func (t *tenantStep) empty() bool {
	return t.unchanged() && len(t.users) == 0 && len(t.scenes) == 0 && len(t.devices) == 0
}

type userStep struct {
	step
	old              identity.User
	user             identity.User
	password         string // to be stored; empty: unchanged
	generatePassword bool   // the server makes the password
	endSessions      bool   // the user's sessions end
}

// Who changes the users of a tenant, as the file says it.
const (
	peopleByTenant   = "tenant"   // its owners, in the console
	peopleByProvider = "provider" // only the file
)

func (pl *planner) planTenant(ctx context.Context, f *fileTenant) error {
	if !f.name.valid {
		return nil
	}
	t := &tenantStep{file: f}
	known, err := pl.Tenants.ByName(ctx, f.name.value)
	switch {
	case errs.Is(err, errs.NotFound):
		t.created = true
		t.tenant = tenant.Tenant{Name: f.name.value, Language: text.English, TimeZone: time.UTC}
		if !f.timeZone.present() {
			pl.out.add(f.at.child("timeZone"), "timeZone is missing: a new tenant needs one")
		}
	case err != nil:
		return err
	default:
		t.tenant, t.oldHosts = *known, known.Hosts
	}
	if f.hosts.valid {
		hosts := make([]string, 0, len(f.hosts.value))
		for _, h := range f.hosts.value {
			hosts = append(hosts, h.value)
		}
		if !slices.Equal(hosts, t.oldHosts) {
			t.changes = append(t.changes, "hosts")
			t.auditChanges = append(t.auditChanges, audit.Change{Field: "hosts", Before: t.oldHosts, After: hosts})
		}
		t.tenant.Hosts = hosts
	}
	if z := tenant.Zone(f.timeZone.value); z != nil && z.String() != t.tenant.TimeZone.String() {
		t.auditChanges = append(
			t.auditChanges,
			audit.Change{Field: "timeZone", Before: t.tenant.TimeZone.String(), After: z.String()},
		)
		t.tenant.TimeZone = z
		t.changes = append(t.changes, "timeZone")
	}
	language := field[text.Language]{value: text.Language(f.language.value), valid: f.language.valid}
	setField(&t.step, "language", &t.tenant.Language, &language)
	setField(&t.step, "diy.title", &t.tenant.Branding.Title, &f.diy.title)
	setField(&t.step, "diy.content", &t.tenant.Branding.Content, &f.diy.content)
	setField(&t.step, "diy.logo", &t.tenant.Branding.Logo, &f.diy.logo)
	setField(&t.step, "diy.background", &t.tenant.Branding.Background, &f.diy.background)
	setField(&t.step, "diy.favicon", &t.tenant.Branding.Favicon, &f.diy.favicon)
	people := peopleByTenant
	if t.tenant.PeopleByProvider {
		people = peopleByProvider
	}
	setField(&t.step, "people", &people, &f.people)
	t.tenant.PeopleByProvider = people == peopleByProvider
	pl.planSelfService(t, f)
	setOptional(&t.step, "mailsADay", &t.tenant.MailsPerDay, &f.mails)
	setOptional(&t.step, "smsADay", &t.tenant.SMSPerDay, &f.sms)
	if err := pl.planOIDC(ctx, t); err != nil {
		return err
	}
	if t.unchanged() {
		pl.out.unchanged++
	}
	pl.out.tenants = append(pl.out.tenants, t)
	pl.tenants[f.name.value] = t
	if err := pl.planUsers(ctx, t); err != nil {
		return err
	}
	if err := pl.planScenes(ctx, t); err != nil {
		return err
	}
	return pl.planDevices(ctx, t)
}

// checkHosts refuses hosts of other tenants unless those give them up in the same file.
func (pl *planner) checkHosts(ctx context.Context) error {
	for _, t := range pl.out.tenants {
		for _, h := range t.file.hosts.value {
			if !h.valid || slices.Contains(t.oldHosts, h.value) {
				continue
			}
			owner, err := pl.Tenants.ByHost(ctx, h.value)
			if errs.Is(err, errs.NotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if other := pl.tenants[owner.Name]; other == nil || slices.Contains(other.tenant.Hosts, h.value) {
				pl.out.add(h.at, "host %q belongs to tenant %q", h.value, owner.Name)
			}
		}
	}
	return nil
}

func (pl *planner) planScenes(ctx context.Context, t *tenantStep) error {
	t.scenesByName = map[string]*device.Scene{}
	if !t.created {
		list, err := pl.Scenes.List(ctx, t.tenant.ID)
		if err != nil {
			return err
		}
		for i := range list {
			t.scenesByName[text.Fold(list[i].Name)] = &list[i]
		}
	}
	for _, s := range t.file.scenes {
		name := text.Fold(s.value)
		switch {
		case !s.valid:
		case t.scenesByName[name] != nil:
			pl.out.unchanged++
		default:
			t.scenesByName[name] = &device.Scene{Name: s.value, Status: device.SceneUsable}
			t.scenes = append(t.scenes, s.value)
		}
	}
	return nil
}

func (pl *planner) planUsers(ctx context.Context, t *tenantStep) error {
	known := map[string]*identity.User{}
	kept := map[string]string{} // unchanged mobile numbers, by folded user name
	if !t.created {
		list, err := pl.Users.List(ctx, t.tenant.ID)
		if err != nil {
			return err
		}
		for _, u := range list {
			name := text.FoldASCII(u.UserName)
			known[name], kept[name] = u, u.Mobile
		}
	}
	var claims []field[string] // mobile numbers that the file sets
	for i := range t.file.users {
		f := &t.file.users[i]
		if !f.userName.valid {
			continue
		}
		name := text.FoldASCII(f.userName.value)
		s, err := pl.planUser(ctx, t, known[name], f)
		if err != nil {
			return err
		}
		if s.unchanged() {
			pl.out.unchanged++
			continue
		}
		t.users = append(t.users, s)
		if s.user.Mobile != kept[name] {
			delete(kept, name)
			claims = append(claims, field[string]{value: s.user.Mobile, at: f.mobile.at})
		}
	}
	held := map[string]bool{}
	for _, m := range kept {
		held[m] = m != ""
	}
	for _, c := range claims {
		if held[c.value] {
			pl.out.add(c.at, "mobile %s belongs to another user of tenant %q", c.value, t.tenant.Name)
		}
	}
	return nil
}

// planUser plans one user; known is nil if there is no user of that name.
func (pl *planner) planUser(ctx context.Context, t *tenantStep, known *identity.User, f *fileUser) (userStep, error) {
	number := field[string]{value: identity.E164(f.mobile.value), valid: f.mobile.valid, at: f.mobile.at}
	role := field[identity.Role]{value: identity.Role(f.role.value), valid: f.role.valid, at: f.role.at}
	if known == nil {
		s := userStep{
			step:             step{created: true},
			password:         f.password.value,
			generatePassword: !f.password.valid,
			user: identity.User{
				UserName: f.userName.value,
				Nickname: f.nickname.orDefault(f.userName.value),
				Email:    f.email.value,
				Mobile:   number.value,
				Role:     role.value,
				Disabled: f.disabled.value,

				EmailConfirmed: f.email.value != "",
			},
		}
		return s, nil
	}
	s := userStep{user: *known, old: *known}
	setField(&s.step, "disabled", &s.user.Disabled, &f.disabled)
	s.endSessions = len(s.changes) > 0
	fromSignIn := known.RoleFrom == identity.RoleFromSignIn // each sign-in would set it again
	if pl.overwrite || t.tenant.PeopleByProvider && !fromSignIn {
		setField(&s.step, "role", &s.user.Role, &role)
		if s.user.Role != s.old.Role {
			s.user.RoleFrom = identity.RoleFromProvider
		}
	}
	if !pl.overwrite {
		return s, nil
	}
	setField(&s.step, "nickname", &s.user.Nickname, &f.nickname)
	setField(&s.step, "email", &s.user.Email, &f.email)
	if confirmed := s.user.Email != ""; f.email.valid && s.user.EmailConfirmed != confirmed {
		if s.user.EmailConfirmed = confirmed; s.user.Email == s.old.Email {
			s.changes = append(s.changes, "email") // the file vouches for it now
		}
	}
	setField(&s.step, "mobile", &s.user.Mobile, &number)
	if !f.password.valid || pl.passwords == nil {
		return s, nil
	}
	stored, err := pl.Users.PasswordHash(ctx, t.tenant.ID, known.ID)
	if err != nil {
		return s, err
	}
	ok := false
	if stored != "" { // else the user came from an issuer and has no password
		ok, err = pl.passwords.verify(ctx, stored, f.password.value)
	}
	if err == nil && !ok {
		s.password, s.endSessions = f.password.value, true
		s.changes = append(s.changes, "password")
	}
	return s, err
}
