package provider

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"tilth/internal/tools/testkit"
)

// Hosts are distributed at random among three tenants, and mobile numbers among the users of each.
// Every exchange that leaves each with one owner is accepted, in whatever order the file lists
// them; every other one is refused.
func TestExchangeHostsAndMobiles(t *testing.T) {
	p := newFixture(t)
	rnd := rand.New(rand.NewPCG(7, 7))
	hosts := []string{"a.example", "b.example", "c.example", "d.example"}
	mobiles := []string{"+11", "+12", "+13", ""}
	tenants := []string{"north", "south", "west"}
	for _, name := range tenants {
		owner := p.Tenant(t, name)
		for i := range 4 {
			p.User(t, owner.ID, fmt.Sprintf("u%d", i))
		}
	}
	var free strings.Builder
	free.WriteString("tenants:\n")
	for _, name := range tenants {
		fmt.Fprintf(
			&free,
			"  - {name: %s, hosts: [], users: [{userName: ada, mobile: \"\"}, {userName: bora, mobile: \"\"}",
			name,
		)
		for i := range 4 {
			fmt.Fprintf(&free, ", {userName: u%d, mobile: \"\"}", i)
		}
		free.WriteString("]}\n")
	}
	p.apply(t, free.String(), true)
	for round := range 40 {
		owner := map[string]string{}
		held := map[string][]string{}
		for _, h := range hosts {
			name := tenants[rnd.IntN(len(tenants))]
			owner[h] = name
			held[name] = append(held[name], h)
		}
		rnd.Shuffle(len(tenants), func(i, j int) { tenants[i], tenants[j] = tenants[j], tenants[i] })
		var b strings.Builder
		b.WriteString("tenants:\n")
		want := map[string]string{}
		for _, name := range tenants {
			fmt.Fprintf(&b, "  - name: %s\n    hosts: [%s]\n    users:\n", name, strings.Join(held[name], ", "))
			for i, m := range rnd.Perm(4) {
				fmt.Fprintf(&b, "      - {userName: u%d, mobile: %q}\n", i, mobiles[m])
				want[fmt.Sprintf("%s/u%d", name, i)] = mobiles[m]
			}
		}
		p.apply(t, b.String(), true)
		for h, name := range owner {
			if found, err := p.Tenants.ByHost(t.Context(), h); err != nil || found.Name != name {
				t.Fatalf("round %d: %s belongs to %+v, want %s (%v)", round, h, found, name, err)
			}
		}
		for who, mobile := range want {
			name, user, _ := strings.Cut(who, "/")
			if u := p.user(t, name, user); u.Mobile != mobile {
				t.Fatalf("round %d: %s has %q, want %q", round, who, u.Mobile, mobile)
			}
		}
		// If the old owner is not in the file, it keeps its host: the file is refused.
		from := owner[hosts[0]]
		to := tenants[(slices.Index(tenants, from)+1)%3]
		before := p.dump(t)
		_, err := p.service.Apply(
			t.Context(),
			fmt.Appendf(nil, "tenants: [{name: %s, hosts: [%s]}]", to, hosts[0]),
			true,
		)
		var wrong *FileError
		if !errors.As(err, &wrong) ||
			wrong.Errors[0].Message != fmt.Sprintf("host %q belongs to tenant %q", hosts[0], from) ||
			p.dump(t) != before {
			t.Fatalf("round %d: a host was taken from %s: %v", round, from, err)
		}
	}
}

// A file for one tenant never changes another tenant, whatever names it uses.
func TestApplyLeavesOtherTenantsUnchanged(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	p.apply(
		t,
		`tenants: [{name: south, users: [{userName: ada, password: correct horse, nickname: S}], scenes: [Field], devices: [{deviceName: S-1, product: station, secret: secret-of-the-device-s-1, scene: Field}]}]`,
		false,
	)
	north := p.tenant(t, "north")
	session := p.Session(t, p.user(t, "north", "ada"))
	ada := p.user(t, "north", "ada")
	n1 := p.device(t, "north", "N-1")
	p.apply(
		t,
		`tenants: [{name: south, hosts: [], timeZone: UTC, users: [{userName: ada, nickname: X, mobile: "+905551112233", disabled: true}], devices: [{deviceName: S-1, serial: X, disabled: true, scene: "", secret: another-secret-of-device-s-1}]}]`,
		true,
	)
	p.mustDelete(t, KindScene, "south", "Field")
	p.mustDelete(t, KindUser, "south", "ada")
	p.mustDelete(t, KindDevice, "south", "S-1")
	p.mustDelete(t, KindTenant, "", "south")
	if after := p.tenant(t, "north"); fmt.Sprint(after) != fmt.Sprint(north) {
		t.Errorf("the tenant became %+v", after)
	}
	if after := p.user(t, "north", "ada"); *after != *ada {
		t.Errorf("the user became %+v", after)
	}
	if _, err := p.Sessions.Caller(t.Context(), session.Access); err != nil {
		t.Errorf("the session has ended: %v", err)
	}
	if after := p.device(t, "north", "N-1"); after.SceneID != n1.SceneID || after.Serial != n1.Serial ||
		after.Disabled {
		t.Errorf("the device became %+v", after)
	}
	if _, _, ok := p.Registry.Authenticate("N-1", "secret-of-the-device-n-1"); !ok {
		t.Error("the device is disabled")
	}
}

// Devices can sign in and send while files are applied and things are deleted.
func TestApplyDuringTraffic(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	n2 := p.device(t, "north", "N-2")
	stop := make(chan struct{})
	var traffic sync.WaitGroup
	for range 2 {
		traffic.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				e, hash, ok := p.Registry.Authenticate("N-2", "secret-of-the-device-n-2")
				if !ok || !p.Registry.StillValid(e.ID, hash) || e.Product.OfflineAfter < 1 {
					t.Error("a device that is not in the file was refused")
					return
				}
				p.Presence.Seen(testkit.Ref(n2))
				p.Presence.Expire()
			}
		})
	}
	for i := range 20 {
		p.apply(
			t,
			fmt.Sprintf(
				`{products: [{name: station, offlineAfter: %ds}], tenants: [{name: north, devices: [{deviceName: X-%d, product: station}]}]}`,
				i+1,
				i,
			),
			false,
		)
		if i%4 == 3 {
			p.mustDelete(t, KindDevice, "north", fmt.Sprintf("X-%d", i))
		}
	}
	close(stop)
	traffic.Wait()
	if st := p.Presence.Status(n2.Tenant, n2.ID); !st.Online {
		t.Errorf("the device is %+v", st)
	}
	if n := p.Registry.Count(n2.Tenant); n != 2+15 {
		t.Errorf("the running server knows %d devices", n)
	}
}
