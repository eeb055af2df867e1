package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// filledMessages is how many messages each device has sent, one a minute. The rules look back for as
	// long.
	filledMessages = 10
	// ruleAge is how long the rules have been running.
	ruleAge = time.Hour
)

// tenantDevices is how many devices a tenant of a filled cluster has at most: each has a rule, and a tenant
// may have so many rules.
const tenantDevices = 20_000

// clusterTenants makes the tenants with a number of devices.
func clusterTenants(devices, values int) (tenants []Tenant) {
	for from := 0; from < devices; from += tenantDevices {
		w := NewTenant(min(tenantDevices, devices-from), values)
		if n := from / tenantDevices; n > 0 {
			w.Name = fmt.Sprintf("%s-%d", w.Name, n+1)
			for i := range w.Devices {
				w.Devices[i].Name = fmt.Sprintf("%s-%d", w.Devices[i].Name, n+1)
			}
		}
		tenants = append(tenants, w)
	}
	return tenants
}

// fill makes what the first node of a cluster finds: its folder, and the database. One server alone
// registers the devices and takes their readings; then its database moves to PostgreSQL. It returns how many
// pairs of a rule and a device there are.
func (b *clusterBench) fill(
	ctx context.Context,
	dir, url string,
	tenants []Tenant,
) (token string, pairs int, err error) {
	data := filepath.Join(dir, "node1")
	s, err := Start(ctx, ServerOptions{
		Binary: b.Binary, Dir: data, Args: b.Args, Tenant: tenants[0], Others: tenants[1:], Apply: b.Apply,
		StartTimeout: fillStart,
	})
	if err != nil {
		return "", 0, err
	}
	copies, err := b.fillRunning(ctx, s, tenants)
	if err := errors.Join(err, s.Stop()); err != nil {
		return "", 0, err
	}
	for _, c := range copies {
		pairs += 1 + len(c.Devices) // the first device has the rule itself
	}
	if err := b.CopyRules(ctx, data, copies); err != nil {
		return "", 0, err
	}
	return s.token, pairs, b.MoveDatabase(ctx, data, url)
}

// fillRunning lets all devices report, and makes a rule of each tenant that runs. It returns for which other
// devices that is to be copied.
func (b *clusterBench) fillRunning(ctx context.Context, s *Server, tenants []Tenant) (copies []RuleCopies, err error) {
	for _, w := range tenants {
		target := s.Target
		target.Tenant = w
		if err := reportAll(ctx, target); err != nil {
			return nil, err
		}
		rule, err := b.runRule(ctx, target)
		if err != nil {
			return nil, err
		}
		others := w.DeviceNames()[1:max(1, len(w.Devices)/b.RuledShare)]
		copies = append(copies,
			RuleCopies{Tenant: w.Name, Rule: rule, Devices: others, Each: 1, Since: time.Now().Add(-ruleAge)})
	}
	return copies, nil
}

// runRule makes a rule that runs.
func (b *clusterBench) runRule(ctx context.Context, t Target) (rule int64, err error) {
	person, err := signIn(ctx, t.Console, t.Tenant)
	if err != nil {
		return 0, err
	}
	first := t.Tenant
	first.Devices = first.Devices[:1]
	rules, err := person.makeRules(ctx, first, 1, false)
	if err != nil {
		return 0, err
	}
	return rules[0], person.runRules(ctx, rules)
}

// reportAll lets each device send its newest messages.
func reportAll(ctx context.Context, t Target) error {
	first := time.Now().Add(-filledMessages * time.Minute).UnixMilli()
	var latency histogram // is not printed
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(parallelDials)
	for i, d := range t.Tenant.Devices {
		work.Go(func() error {
			c := &connection{
				protocol: 4,
				stream:   newMessageSource(i, first, t.Tenant.Properties),
				parts:    int(time.Minute / time.Millisecond), // so far apart are its messages
			}
			dialing, cancel := context.WithTimeout(ctx, dialTimeout)
			defer cancel()
			if err := c.dial(dialing, t.MQTT, d, filledMessages); err != nil {
				return fmt.Errorf("%s: %w", d.Name, err)
			}
			now := time.Now()
			c.run(now, now.Add(drainTime), &latency) // it sends what may be in flight, and no more
			if err := errors.Join(c.err, c.nc.Close()); err != nil {
				return fmt.Errorf("%s: %w", d.Name, err)
			}
			if c.ackCount != filledMessages {
				return fmt.Errorf("%s: %d of %d messages were acknowledged", d.Name, c.ackCount, filledMessages)
			}
			return nil
		})
	}
	return work.Wait()
}
