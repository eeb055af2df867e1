package console_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

func TestTenantIdByName(t *testing.T) {
	w := newServer(t)
	id := testkit.Ask[int64](t, w.Contract, testkit.Call{Path: byNamePath + "?name=field"})
	if id != int64(w.field.ID) {
		t.Errorf("id %d", id)
	}
	w.Run(t, []testkit.Scenario{
		{Name: "unknown", Call: testkit.Call{Path: byNamePath + "?name=none"}, Contains: []string{`"data":null`}},
		{Name: "part", Call: testkit.Call{Path: byNamePath + "?name=fiel%25"}, Contains: []string{`"data":null`}},
		{Name: "no name", Call: testkit.Call{Path: byNamePath}, Code: 601, Contains: []string{"Name: required"}},
	})
}

func TestTenantByWebsite(t *testing.T) {
	w := newServer(t)
	plain := testkit.Ask[map[string]any](t, w.Contract, testkit.Call{Path: byHostPath + "?website=FIELD.example:8443"})
	if plain["id"] != float64(w.field.ID) || plain["name"] != "field" || plain["diy"] != nil {
		t.Errorf("%v", plain)
	}
	w.field.Branding = tenant.Branding{Title: "Green", Logo: "https://cdn.example/l.png"}
	if err := w.Tenants.Put(t.Context(), w.field.Tenant); err != nil {
		t.Fatal(err)
	}
	branded := testkit.Ask[wire.Tenant](t, w.Contract, testkit.Call{Path: byHostPath + "?website=field.example"})
	d := branded.Diy
	if d == nil || d.Title == nil || *d.Title != "Green" || d.Logo == nil || *d.Logo != "https://cdn.example/l.png" ||
		d.Content != nil || d.Background != nil || d.Favicon != nil {
		t.Errorf("%s", asJSON(t, branded))
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "unknown",
			Call:     testkit.Call{Path: byHostPath + "?website=other.example"},
			Contains: []string{`"data":null`},
		},
		{
			Name: "the Host header does not count",
			Call: testkit.Call{
				Path:   byHostPath + "?website=other.example",
				Header: map[string]string{"Host": "field.example", "X-Forwarded-Host": "field.example"},
			},
			Contains: []string{`"data":null`},
		},
		{Name: "none", Call: testkit.Call{Path: byHostPath}, Code: 601, Contains: []string{"Website: required"}},
	})
}

// Each host gets its own tenant with its complete branding and nothing of the other tenant; an
// unknown host gets none, however similar its name is.
func TestTenantByWebsiteOfTwoHosts(t *testing.T) {
	w := newServer(t)
	newBranding := func(x *testkit.Tenant, title, content string) tenant.Branding {
		origin := "https://pictures." + x.Name + ".test/"
		b := tenant.Branding{
			Title:      title,
			Content:    content,
			Logo:       origin + "logo.svg",
			Background: origin + "background.svg",
			Favicon:    origin + "favicon.svg",
		}
		setBranding(t, w.Stores, x, b)
		return b
	}
	brandings := map[*testkit.Tenant]tenant.Branding{
		w.field: newBranding(w.field, "Harvest Hills", "Wheat from the high plain."),
		w.rival: newBranding(w.rival, "Côte Verte", "Vines above the lake."),
	}
	for own, want := range brandings {
		other := w.rival
		if own == w.rival {
			other = w.field
		}
		for _, host := range []string{own.Name + ".example", own.Name + ".example:20004", strings.ToUpper(own.Name) + ".example"} {
			call := testkit.Call{Path: byHostPath + "?website=" + host}
			got := testkit.Ask[wire.Tenant](t, w.Contract, call)
			wanted := wire.Branding{
				Title:      &want.Title,
				Content:    &want.Content,
				Logo:       &want.Logo,
				Background: &want.Background,
				Favicon:    &want.Favicon,
			}
			if diff := cmp.Diff(&wanted, got.Diy); got.Name != own.Name || diff != "" {
				t.Errorf("%s: %s with branding (-want +got):\n%s", host, got.Name, diff)
			}
			if body := string(w.Do(t, call).Body); strings.Contains(body, other.Name) ||
				strings.Contains(body, brandings[other].Title) {
				t.Errorf("%s shows the other tenant: %s", host, body)
			}
		}
	}
	for _, host := range []string{"example", "localhost", "x.field.example", "field.example.test", "nobody.example"} {
		w.Run(
			t,
			[]testkit.Scenario{
				{
					Name:     host,
					Call:     testkit.Call{Path: byHostPath + "?website=" + host},
					Contains: []string{`"data":null`},
				},
			},
		)
	}
}

// The console's settings say that codes reach no phone where SMS are only logged.
func TestConsoleSettingsSMSLogged(t *testing.T) {
	w := newServer(t, func(o *console.Options) { o.SMSLogged = true })
	set := testkit.Ask[wire.ConsoleSettings](t, w.Contract, testkit.Call{Path: settingsPath})
	if set.SmsLogged == nil || !*set.SmsLogged {
		t.Errorf("%+v", set)
	}
}

func TestConsoleSettings(t *testing.T) {
	plain := testkit.Ask[wire.ConsoleSettings](t, newServer(t).Contract, testkit.Call{Path: settingsPath})
	if plain.Version != "1.2.3" || plain.DefaultTenant != "field" || plain.MapTiles != nil || plain.DemoPages ||
		plain.Captcha != "adaptive" {
		t.Errorf("%s", asJSON(t, plain))
	}
	tiles := &console.MapTiles{URL: "https://tiles.example/{z}/{x}/{y}.png", Attribution: "© Somebody", Datum: "GCJ-02"}
	w := newServer(t, func(o *console.Options) { o.MapTiles, o.DefaultTenant, o.DemoPages = tiles, "", true })
	mapped := testkit.Ask[wire.ConsoleSettings](t, w.Contract, testkit.Call{Path: settingsPath})
	if m := mapped.MapTiles; mapped.DefaultTenant != "" || !mapped.DemoPages || m == nil || m.Url != tiles.URL ||
		m.Attribution != tiles.Attribution ||
		string(m.Datum) != tiles.Datum || m.Links != nil || m.MaxZoom != nil {
		t.Errorf("%s", asJSON(t, mapped))
	}
	tiles.MaxZoom, tiles.Links = 17, []console.MapTilesLink{{Words: "Somebody", URL: "https://somebody.example/"}}
	linked := testkit.Ask[wire.ConsoleSettings](t, w.Contract, testkit.Call{Path: settingsPath}).MapTiles
	if want := []wire.MapTilesLink{{Words: "Somebody", Url: "https://somebody.example/"}}; linked == nil ||
		linked.MaxZoom == nil || *linked.MaxZoom != 17 || linked.Links == nil || !slices.Equal(*linked.Links, want) {
		t.Errorf("%s", asJSON(t, linked))
	}
}
