package openapi_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/api"
)

// Programs can read the contract without a sign-in.
func TestDocument(t *testing.T) {
	w := newFixture(t)
	nobody := &key{}
	a := w.do(t, call{path: "/openapi.yaml", as: nobody})
	if string(a.body) != string(api.Open) || a.header.Get("Content-Type") != "application/yaml" {
		t.Errorf("%v", a.header)
	}
	asJSON := w.do(t, call{path: "/openapi.json", as: nobody})
	doc, err := openapi3.NewLoader().LoadFromData(asJSON.body)
	if err != nil || !json.Valid(asJSON.body) || asJSON.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%v %v", err, asJSON.header)
	}
	if err := doc.Validate(t.Context()); err != nil || doc.Paths.Len() != w.contract.doc.Paths.Len() {
		t.Errorf("%d paths: %v", doc.Paths.Len(), err)
	}
	tag := a.header.Get("ETag")
	again := w.do(t, call{path: "/openapi.yaml", as: nobody, header: map[string]string{"If-None-Match": tag}})
	if tag == "" || again.status != http.StatusNotModified || len(again.body) != 0 {
		t.Errorf("%s: %d", tag, again.status)
	}
	if a := w.do(t, call{path: "/open-api", as: nobody}); a.status != http.StatusPermanentRedirect ||
		a.header.Get("Location") != "/open-api/" {
		t.Errorf("%d %v", a.status, a.header)
	}
}

// The page has each call and object with its parameters; it loads and runs nothing, and its policy
// says so.
func TestReferencePage(t *testing.T) {
	w := newFixture(t)
	a := w.do(t, call{path: "/open-api/", as: &key{}})
	page := string(a.body)
	for path, item := range w.contract.doc.Paths.Map() {
		for _, op := range item.Operations() {
			at := strings.Index(page, `<h3 id="`+op.OperationID+`"`)
			if at < 0 || !strings.Contains(page, `href="#`+op.OperationID+`"`) {
				t.Errorf("%s is not on the page, or no link leads to it", op.OperationID)
				continue
			}
			part, _, _ := strings.Cut(page[at:], "</article>")
			for _, p := range op.Parameters {
				if !strings.Contains(part, "<dt><code>"+p.Value.Name+"</code>") {
					t.Errorf("%s lacks %s", op.OperationID, p.Value.Name)
				}
			}
			if !strings.Contains(part, "<code>"+path+"</code>") || !strings.Contains(part, "curl --fail --user") {
				t.Errorf("%s: %s", op.OperationID, part)
			}
		}
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("the anchor %s occurs twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !ids[m[1]] {
			t.Errorf("the link to #%s leads nowhere", m[1])
		}
	}
	for _, part := range []string{"WS-0001", "airTemperature", "<strong>Signing in.</strong>", "<code>nextCursor</code>", "time,airTemperature,heating", "about:blank", "1 to 400; default 100", "1 to 10,000,000"} {
		if !strings.Contains(page, part) {
			t.Errorf("lacks %s", part)
		}
	}
	page = strings.ReplaceAll(page, "https://planner.example/tilth", "") // a webhook's address, shown as text
	for _, part := range []string{"<script", "http://", "https://", "src=", "url(", "style=", "ZgotmplZ", "@import"} {
		if strings.Contains(page, part) {
			t.Errorf("contains %s", part)
		}
	}
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if got := a.header.Get("Content-Security-Policy"); got != policy {
		t.Errorf("%s\nwant %s", got, policy)
	}
}

// The page has the colours of the console.
func TestReferencePageUsesConsoleColours(t *testing.T) {
	tokens, err := os.ReadFile("../../../web/src/app/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile("reference.css")
	if err != nil {
		t.Fatal(err)
	}
	value := regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6})`)
	of := func(css, from string) map[string]string {
		_, part, ok := strings.Cut(css, from)
		if !ok {
			t.Fatalf("no %s", from)
		}
		part, _, _ = strings.Cut(part, "}")
		found := map[string]string{}
		for _, m := range value.FindAllStringSubmatch(part, -1) {
			found[m[1]] = m[2]
		}
		return found
	}
	for from, theirs := range map[string]string{":root {": `[data-theme="light"] {`, "dark) {": `[data-theme="dark"] {`} {
		mine, console := of(string(ours), from), of(string(tokens), theirs)
		if len(mine) < 10 {
			t.Fatalf("%s: %v", from, mine)
		}
		for name, colour := range mine {
			if console[name] != colour {
				t.Errorf("%s: --%s is %s, the console's %s", from, name, colour, console[name])
			}
		}
	}
}
