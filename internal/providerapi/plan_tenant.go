package providerapi

import (
	"context"
	"slices"
	"time"

	"tilth/internal/audit"
	"tilth/internal/device"
	"tilth/internal/errs"
	"tilth/internal/identity"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

type tenantStep struct {
	step
	file    *fileTenant
	tenant  tenant.Tenant
	was     []string // its hosts so far
	users   []userStep
	scenes  []string // to be created
	devices []*deviceStep

	known map[string]*device.Scene // by folded name, those to be created included
}

func (t *tenantStep) nothing() bool {
	return t.idle() && len(t.users) == 0 && len(t.scenes) == 0 && len(t.devices) == 0
}

type userStep struct {
	step
	before   identity.User
	user     identity.User
	password string // to be stored; empty: as it is
	made     bool   // the server makes the password
	end      bool   // sessions end
}

func (pl *planner) tenant(ctx context.Context, f *fileTenant) error {
	if !f.name.set {
		return nil
	}
	t := &tenantStep{file: f}
	known, err := pl.Tenants.ByName(ctx, f.name.v)
	switch {
	case errs.Is(err, errs.NotFound):
		t.created = true
		t.tenant = tenant.Tenant{Name: f.name.v, Language: text.English, TimeZone: time.UTC}
		if !f.timeZone.given() {
			pl.p.add(f.at.key("timeZone"), "timeZone is missing: a new tenant needs one")
		}
	case err != nil:
		return err
	default:
		t.tenant, t.was = *known, known.Hosts
	}
	if f.hosts.set {
		hosts := make([]string, 0, len(f.hosts.v))
		for _, h := range f.hosts.v {
			hosts = append(hosts, h.v)
		}
		if !slices.Equal(hosts, t.was) {
			t.changes = append(t.changes, "hosts")
			t.seen = append(t.seen, audit.Change{Field: "hosts", Before: t.was, After: hosts})
		}
		t.tenant.Hosts = hosts
	}
	if z := tenant.Zone(f.timeZone.v); z != nil && z.String() != t.tenant.TimeZone.String() {
		t.seen = append(t.seen, audit.Change{Field: "timeZone", Before: t.tenant.TimeZone.String(), After: z.String()})
		t.tenant.TimeZone = z
		t.changes = append(t.changes, "timeZone")
	}
	language := field[text.Language]{v: text.Language(f.language.v), set: f.language.set}
	change(&t.step, "language", &t.tenant.Language, &language)
	change(&t.step, "diy.title", &t.tenant.Branding.Title, &f.diy.title)
	change(&t.step, "diy.content", &t.tenant.Branding.Content, &f.diy.content)
	change(&t.step, "diy.logo", &t.tenant.Branding.Logo, &f.diy.logo)
	change(&t.step, "diy.background", &t.tenant.Branding.Background, &f.diy.background)
	change(&t.step, "diy.favicon", &t.tenant.Branding.Favicon, &f.diy.favicon)
	changeOrSet(&t.step, "mailsADay", &t.tenant.MailsADay, &f.mails)
	changeOrSet(&t.step, "smsADay", &t.tenant.SMSADay, &f.sms)
	if t.idle() {
		pl.p.left++
	}
	pl.p.tenants = append(pl.p.tenants, t)
	pl.tenants[f.name.v] = t
	if err := pl.users(ctx, t); err != nil {
		return err
	}
	if err := pl.scenes(ctx, t); err != nil {
		return err
	}
	return pl.devices(ctx, t)
}

// hosts refuses hosts of tenants that do not give them up in the same file.
func (pl *planner) hosts(ctx context.Context) error {
	for _, t := range pl.p.tenants {
		for _, h := range t.file.hosts.v {
			if !h.set || slices.Contains(t.was, h.v) {
				continue
			}
			owner, err := pl.Tenants.ByHost(ctx, h.v)
			if errs.Is(err, errs.NotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if other := pl.tenants[owner.Name]; other == nil || slices.Contains(other.tenant.Hosts, h.v) {
				pl.p.add(h.at, "host %q belongs to tenant %q", h.v, owner.Name)
			}
		}
	}
	return nil
}

func (pl *planner) scenes(ctx context.Context, t *tenantStep) error {
	t.known = map[string]*device.Scene{}
	if !t.created {
		list, err := pl.Scenes.List(ctx, t.tenant.ID)
		if err != nil {
			return err
		}
		for i := range list {
			t.known[text.Fold(list[i].Name)] = &list[i]
		}
	}
	for _, s := range t.file.scenes {
		name := text.Fold(s.v)
		switch {
		case !s.set:
		case t.known[name] != nil:
			pl.p.left++
		default:
			t.known[name] = &device.Scene{Name: s.v, Status: device.SceneUsable}
			t.scenes = append(t.scenes, s.v)
		}
	}
	return nil
}

func (pl *planner) users(ctx context.Context, t *tenantStep) error {
	known := map[string]*identity.User{}
	kept := map[string]string{} // mobiles that stay, by folded name
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
	var claims []field[string] // mobiles that the file sets
	for i := range t.file.users {
		f := &t.file.users[i]
		if !f.userName.set {
			continue
		}
		name := text.FoldASCII(f.userName.v)
		s, err := pl.user(ctx, t, known[name], f)
		if err != nil {
			return err
		}
		if s.idle() {
			pl.p.left++
			continue
		}
		t.users = append(t.users, s)
		if s.user.Mobile != kept[name] {
			delete(kept, name)
			claims = append(claims, field[string]{v: s.user.Mobile, at: f.mobile.at})
		}
	}
	held := map[string]bool{}
	for _, m := range kept {
		held[m] = m != ""
	}
	for _, c := range claims {
		if held[c.v] {
			pl.p.add(c.at, "mobile %s belongs to another user of tenant %q", c.v, t.tenant.Name)
		}
	}
	return nil
}

// user plans one user; known is nil where there is none of that name.
func (pl *planner) user(ctx context.Context, t *tenantStep, known *identity.User, f *fileUser) (userStep, error) {
	number := field[string]{v: identity.E164(f.mobile.v), set: f.mobile.set, at: f.mobile.at}
	if known == nil {
		s := userStep{step: step{created: true}, password: f.password.v, made: !f.password.set, user: identity.User{
			UserName: f.userName.v, Nickname: f.nickname.or(f.userName.v), Email: f.email.v, Mobile: number.v,
			Disabled: f.disabled.v,
		}}
		return s, nil
	}
	s := userStep{user: *known, before: *known}
	change(&s.step, "disabled", &s.user.Disabled, &f.disabled)
	s.end = len(s.changes) > 0
	if !pl.overwrite {
		return s, nil
	}
	change(&s.step, "nickname", &s.user.Nickname, &f.nickname)
	change(&s.step, "email", &s.user.Email, &f.email)
	change(&s.step, "mobile", &s.user.Mobile, &number)
	if !f.password.set || pl.vault == nil {
		return s, nil
	}
	stored, err := pl.Users.PasswordHash(ctx, t.tenant.ID, known.ID)
	if err != nil {
		return s, err
	}
	ok, err := pl.vault.matches(ctx, stored, f.password.v)
	if err == nil && !ok {
		s.password, s.end = f.password.v, true
		s.changes = append(s.changes, "password")
	}
	return s, err
}
