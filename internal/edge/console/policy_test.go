package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

// newWeb makes the console's pages of the stores.
func newWeb(s *testkit.Stores, with ...func(*console.WebOptions)) http.Handler {
	o := console.WebOptions{
		Dist:    testDist(),
		Tenants: s.Tenants,
		Catalog: s.Catalog,
		Devices: s.Devices,
		Logger:  s.Log.Logger,
	}
	for _, change := range with {
		change(&o)
	}
	return console.NewWeb(o)
}

// pagePolicy requests the page of a host and returns its policy by directive.
func pagePolicy(t *testing.T, h http.Handler, host string, with ...func(*http.Request)) map[string]string {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/signin", nil)
	r.Host = host
	for _, f := range with {
		f(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	policies := w.Result().Header.Values("Content-Security-Policy")
	if w.Code != 200 || len(policies) != 1 || w.Header().Get("X-Frame-Options") != "DENY" {
		t.Fatalf("%s: %d %v", host, w.Code, w.Header())
	}
	found := map[string]string{}
	for part := range strings.SplitSeq(policies[0], ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), " ")
		if _, twice := found[name]; twice {
			t.Errorf("%s: two directives %s in %q", host, name, policies[0])
		}
		found[name] = value
	}
	return found
}

// basePolicy is the policy of a page without branding. Data in the database only adds origins to
// img-src.
var basePolicy = map[string]string{
	"default-src":     "'none'",
	"script-src":      "'self'",
	"style-src":       "'self' 'unsafe-inline'",
	"font-src":        "'self'",
	"connect-src":     "'self'",
	"img-src":         "'self' data: blob:",
	"media-src":       "'self' blob:",
	"frame-src":       "'self'",
	"manifest-src":    "'self'",
	"worker-src":      "'self' blob:",
	"base-uri":        "'none'",
	"form-action":     "'self'",
	"frame-ancestors": "'none'",
}

// checkImageOrigins checks that a policy is basePolicy with the given origins of images.
func checkImageOrigins(t *testing.T, name string, policy map[string]string, origins string) {
	t.Helper()
	if len(policy) != len(basePolicy) {
		t.Errorf("%s: directives %v", name, policy)
	}
	for directive, value := range basePolicy {
		if directive == "img-src" && origins != "" {
			value += " " + origins
		}
		if policy[directive] != value {
			t.Errorf("%s: %s is %q, want %q", name, directive, policy[directive], value)
		}
	}
}

func setBranding(t *testing.T, s *testkit.Stores, x *testkit.Tenant, b tenant.Branding) {
	t.Helper()
	x.Branding = b
	if err := s.Tenants.Put(t.Context(), x.Tenant); err != nil {
		t.Fatal(err)
	}
}

// Images come from the branding of the tenant whose host is asked for; no host allows another
// tenant's origins.
func TestPolicyOfTwoHosts(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	setBranding(
		t,
		s,
		field,
		tenant.Branding{
			Logo:       "https://cdn.field.example/l.png?x=1;y",
			Background: "http://pictures.field.example:8080/b",
			Favicon:    "/f.ico",
		},
	)
	setBranding(
		t,
		s,
		rival,
		tenant.Branding{Logo: "https://cdn.rival.example/a", Background: "https://cdn.rival.example/b"},
	)
	h := newWeb(s, func(o *console.WebOptions) { o.Proxies = parsePrefixes(t, "10.0.0.0/8") })
	const fields, rivals = "http://pictures.field.example:8080 https://cdn.field.example", "https://cdn.rival.example"
	for host, want := range map[string]string{
		"field.example": fields, "FIELD.example:8443": fields, "field.example.": fields, "rival.example": rivals,
		"other.example": "", "localhost:8080": "", "": "", "example": "", "field.example,rival.example": "", "%": "", "[::1]:80": "",
	} {
		checkImageOrigins(t, host, pagePolicy(t, h, host), want)
	}
	// A forwarded host is trusted only from a trusted proxy.
	for _, c := range []struct{ from, forwarded, want string }{
		{"203.0.113.1:5000", "rival.example", fields}, {"10.0.0.1:5000", "rival.example", rivals}, {"10.0.0.1:5000", "", fields},
		{"10.0.0.1:5000", "rival.example:443", rivals}, {"10.0.0.1:5000", "field.example, rival.example", rivals}, {"10.0.0.1:5000", "none.example", ""},
		{"10.0.0.1:5000", "rival.example, ", fields},
	} {
		checkImageOrigins(t, c.from+" for "+c.forwarded, pagePolicy(t, h, "field.example", func(r *http.Request) {
			r.RemoteAddr = c.from
			if c.forwarded != "" {
				r.Header.Set("X-Forwarded-Host", c.forwarded)
			}
		}), c.want)
	}
	// The next page has a change of the branding.
	setBranding(t, s, field, tenant.Branding{Title: "Field"})
	checkImageOrigins(t, "changed", pagePolicy(t, h, "field.example"), "")
}

// hostileBranding must not change a policy and must not reach a page, even if it got into the
// database past the check of the provider's file.
var hostileBranding = []string{
	"javascript:alert(1)",
	"data:text/html,<script>alert(1)</script>",
	"//evil.example/x",
	"https://evil.example;script-src *",
	"https://evil.example/\r\nSet-Cookie: a=b",
	"https://evil.example\nX: y",
	"https://evil.example, https://b.example",
	"https://* 'unsafe-inline'",
	"https://*",
	"'unsafe-inline'",
	"*",
	"https:",
	"https://evil.example/ https://more.example",
	"https://evil.example/\x7F",
	`https://evil.example/"'<>`,
	"https://[::1]/x",
	"https://evil.example@b.example/",
	"blob:https://evil.example",
	"https://evil%3bscript-src.example/",
	"https://" + strings.Repeat("evil.", 20_000) + "example/",
	"https://evil.example/" + strings.Repeat("x", 100_000),
	"; script-src *",
	"\xFF\xFE",
	"https://evil\u200B.example/",
	"https://evil.example\u2028/",
	"filesystem:https://evil.example",
	"https://evil.example:99999999/",
}

func TestPolicyOfHostileBranding(t *testing.T) {
	w := newServer(t)
	h := newWeb(w.Stores)
	for _, x := range hostileBranding {
		setBranding(
			t,
			w.Stores,
			w.field,
			tenant.Branding{Title: x, Content: x, Logo: x, Background: x, Favicon: "https://cdn.example/f.ico"},
		)
		checkImageOrigins(t, x, pagePolicy(t, h, "field.example"), "https://cdn.example")
	}
	// The page does not get such addresses either, whatever it would do with them.
	for _, x := range []string{"javascript:alert(1)", "data:text/html,x", "//evil.example/x", `https://evil.example/"'<>`, "https://evil.example/\r\nx"} {
		setBranding(t, w.Stores, w.field, tenant.Branding{Title: "T", Logo: x, Background: x, Favicon: x})
		a := w.Do(t, testkit.Call{Path: byHostPath + "?website=field.example"})
		if a.Code != 200 || !strings.Contains(string(a.Data), `"diy":{"title":"T"}`) {
			t.Errorf("%q: %s", x, a.Body)
		}
	}
}

// The tile server and the catalogue's icons belong to the platform: every host's policy has them.
func TestPolicyOfTilesAndIcons(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	setBranding(t, s, field, tenant.Branding{Logo: "https://icons.example/logo.png"})
	for name, c := range map[string]struct{ tiles, want string }{
		"https":          {"https://tiles.example/{z}/{x}/{y}.png?key=a;b", "https://tiles.example"},
		"http":           {"http://tiles.example:8081/{z}/{x}/{y}.png", "http://tiles.example:8081"},
		"three hosts":    {"https://{s}.tiles.example/{z}/{x}/{y}.png", "https://a.tiles.example https://b.tiles.example https://c.tiles.example"},
		"parts of hosts": {"https://t-{s}.example/{z}/{x}/{y}.png", "https://t-a.example https://t-b.example https://t-c.example"},
		"no address":     {"http://a b/;script-src *", ""},
		"none":           {"", ""},
	} {
		h := webHandler(t, func(p *console.WebOptions) {
			if c.tiles != "" {
				p.Tiles = &console.MapTiles{URL: c.tiles}
			}
		})
		checkImageOrigins(t, name, pagePolicy(t, h, "field.example"), c.want)
	}
	s.Station(t)
	for sign, icon := range map[string]string{"airTemperature": "https://icons.example/air.svg", "rain": "https://icons.example;script-src *", "heating": "http://127.0.0.1:9000/h.svg"} {
		err := s.Catalog.PutElement(
			t.Context(),
			&device.Element{YeuSign: sign, YeuURL: icon, Names: map[text.Language]string{}},
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	s.Reload(t)
	h := newWeb(s)
	for _, host := range []string{"field.example", "other.example"} {
		checkImageOrigins(t, host, pagePolicy(t, h, host), "http://127.0.0.1:9000 https://icons.example")
	}
}

// The page is served even if its tenant cannot be looked up.
func TestPolicyWithoutDatabase(t *testing.T) {
	s := testkit.NewStores(t)
	setBranding(t, s, s.Tenant(t, "field"), tenant.Branding{Logo: "https://cdn.example/l.png"})
	h := newWeb(s)
	if err := s.DB.Close(); err != nil {
		t.Fatal(err)
	}
	checkImageOrigins(t, "closed", pagePolicy(t, h, "field.example"), "")
	if !strings.Contains(s.Log.Text(), "branding not loaded") {
		t.Errorf("the log has no warning: %s", s.Log.Text())
	}
}

// checkStreamOrigins checks that a policy is basePolicy with the given origins of streams.
func checkStreamOrigins(t *testing.T, name string, policy map[string]string, origins string) {
	t.Helper()
	for directive, value := range basePolicy {
		if (directive == "connect-src" || directive == "media-src") && origins != "" {
			value += " " + origins
		}
		if policy[directive] != value {
			t.Errorf("%s: %s is %q, want %q", name, directive, policy[directive], value)
		}
	}
}

// Video comes from the streams of the tenant whose host is asked for. If the host names no tenant,
// it comes from those of the default tenant, to which people then sign in.
func TestPolicyOfStreams(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	p := &device.Product{Name: "camera", OfflineAfter: testkit.OfflineAfter, Properties: []device.Property{
		{
			Identifier:  "live",
			DataType:    device.Text,
			AccessMode:  "r",
			ElementData: "https://all.example:8443/a.m3u8?x=1;y",
		},
	}}
	if err := s.Catalog.PutProduct(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	s.Reload(t)
	camera := func(x *testkit.Tenant, name, serial, own string) {
		s.Device(t, x.ID, p, name, func(d *device.Device) {
			if d.Serial = serial; own != "" {
				d.ElementData = map[string]string{"live": own}
			}
		})
	}
	pages := func(defaultTenant string) http.Handler {
		return newWeb(s, func(o *console.WebOptions) { o.DefaultTenant = defaultTenant })
	}
	// A product without cameras of the tenant adds nothing.
	checkStreamOrigins(t, "no cameras", pagePolicy(t, pages("field"), "field.example"), "")
	camera(field, "c1", "SXT-1", "")
	camera(field, "c2", "SXT-2", "http://cams.field.example/g.MP4")
	camera(field, "c3", "SXT-3", "http://cams.field.example/h.webm")
	camera(field, "c4", "SXT-4", `<iframe src="https://snippet.example"></iframe>`)
	camera(field, "s1", "A-1", "https://sensor.example/a.m3u8")
	camera(rival, "r1", "SXT-5", "https://rival-cams.example/r.m3u8")
	const fields, rivals = "http://cams.field.example https://all.example:8443", "https://rival-cams.example"
	for _, c := range []struct{ host, defaultTenant, want string }{
		{"field.example", "rival", fields}, {"rival.example", "field", rivals}, {"rival.example:8443", "", rivals},
		{"other.example", "field", fields}, {"other.example", "rival", rivals}, {"other.example", "", ""}, {"other.example", "none", ""},
	} {
		checkStreamOrigins(
			t,
			c.host+" by default "+c.defaultTenant,
			pagePolicy(t, pages(c.defaultTenant), c.host),
			c.want,
		)
	}
	for i, x := range hostileBranding {
		camera(rival, fmt.Sprint("h", i), fmt.Sprint("SXT-h", i), x+".m3u8")
		camera(rival, fmt.Sprint("i", i), fmt.Sprint("SXT-i", i), x)
	}
	for _, part := range strings.Fields(pagePolicy(t, pages(""), "rival.example")["media-src"])[2:] {
		if part != rivals && tenant.Origin(part) != part {
			t.Errorf("a source %q", part)
		}
	}
	// The header stays small, and the log has the cameras that will not play.
	for i := range 100 {
		camera(field, fmt.Sprint("m", i), fmt.Sprint("SXT-m", i), fmt.Sprintf("https://cam-%d.example/a.m3u8", i))
	}
	if n := len(strings.Fields(pagePolicy(t, pages(""), "field.example")["connect-src"])); n != 61 {
		t.Errorf("%d sources", n)
	}
	if !strings.Contains(s.Log.Text(), "servers=102") {
		t.Errorf("the log has no warning: %s", s.Log.Text())
	}
}
