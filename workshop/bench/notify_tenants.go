package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/goccy/go-yaml"
	"golang.org/x/sync/errgroup"
)

// parallelSignIns is how many people sign in at the same time: checking passwords takes all
// processors of the machine.
const parallelSignIns = 2

// NotifiedTenant is a tenant whose people are notified: users with a screen each, and addresses
// that receive mails.
type NotifiedTenant struct {
	Tenant // its devices have one rule each
	users  []string
	mails  []string
	// Set by prepare.
	people []*console
}

// notifiedTenants returns the tenants of a run whose people are notified, and the tenant of the
// load, whose devices send as much as the server takes. The latter has no open screens: their cost
// would hide that of the notices.
func (o *NotifyOptions) notifiedTenants() (told []NotifiedTenant, beside Tenant) {
	for i := range o.Tenants {
		a := NotifiedTenant{Tenant: NewTenant(o.perTenant(), o.Values)}
		a.Name = fmt.Sprintf("telling-%03d", i+1)
		for d := range a.Devices {
			a.Devices[d].Name = fmt.Sprintf("TELL-%03d-%03d", i+1, d+1)
		}
		for u := range o.Users {
			a.users = append(a.users, fmt.Sprintf("person%03d", u+1))
		}
		for _, who := range []string{"first", "second"} {
			a.mails = append(a.mails, fmt.Sprintf("%s@%s.example.org", who, a.Name))
		}
		told = append(told, a)
	}
	return told, NewTenant(o.Load, o.Values)
}

// notifiedTenantsFile returns one provider's file with all tenants, which share a product.
func notifiedTenantsFile(told []NotifiedTenant, beside Tenant) ([]byte, error) {
	tenants := []Tenant{beside}
	for i := range told {
		tenants = append(tenants, told[i].Tenant)
	}
	raw, err := fileOf(tenants)
	if err != nil {
		return nil, err
	}
	var all providerFile
	if err := yaml.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	for i := range told {
		owner := &all.Tenants[i+1]
		owner.Users = nil
		for _, name := range told[i].users {
			owner.Users = append(owner.Users, userFile{UserName: name, Password: told[i].Password})
		}
	}
	var b bytes.Buffer
	err = yaml.NewEncoder(&b).Encode(all)
	return b.Bytes(), err
}

// prepare signs the users in, makes a channel with all addresses, and publishes a rule on each
// device that notifies it.
func (a *NotifiedTenant) prepare(ctx context.Context, base string) error {
	a.people = make([]*console, len(a.users))
	signing, within := errgroup.WithContext(ctx)
	signing.SetLimit(parallelSignIns)
	for i, name := range a.users {
		signing.Go(func() (err error) {
			w := a.Tenant
			w.User = name
			a.people[i], err = signIn(within, base, w)
			return err
		})
	}
	if err := signing.Wait(); err != nil {
		return err
	}
	c := a.people[0]
	body, err := json.Marshal(map[string]any{
		"noticeName": "bench", "noticeMode": []string{"email"}, "email": map[string]any{"emails": a.mails},
	})
	if err != nil {
		return err
	}
	var channel, rule int64
	if err := c.call(ctx, http.MethodPost, "/admin-api/client/pc/notice-channel/create", body, &channel); err != nil {
		return fmt.Errorf("make a channel: %w", err)
	}
	if body, err = json.Marshal(map[string]any{
		"alarmName":   ruleName(0),
		"dataSource":  1,
		"executionId": a.Devices[0].Name,
		"triggerType": 0,
		"conditions": []map[string]any{
			{"andor": "and", "tslAttribute": a.Properties[0], "subconditions": ">", "value": threshold / 100},
		},
		"hitCounts":     1,
		"durations":     600_000,
		"alarmLevel":    1,
		"passageway":    []int64{channel},
		"manualRelease": 0,
	}); err != nil {
		return err
	}
	if err := c.call(ctx, http.MethodPost, "/admin-api/client/pc/alarm-rules/create", body, &rule); err != nil {
		return fmt.Errorf("make a rule: %w", err)
	}
	rules := []int64{rule}
	if others := a.Devices[1:]; len(others) > 0 {
		copies, err := c.copyRule(ctx, rule, others)
		if err != nil {
			return err
		}
		rules = append(rules, copies...)
	}
	return c.runRules(ctx, rules)
}
