package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tilth/internal/edge/console"
	"tilth/internal/tools/testkit"
)

// corsHeaders returns the headers of an answer that would let another site's page read it or send
// more; the server never sends any.
func corsHeaders(h http.Header) (found []string) {
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") || strings.HasPrefix(name, "Timing-Allow-") {
			found = append(found, name)
		}
	}
	return found
}

// A page of another site gets nothing from this server: no call is permitted across origins, with a
// preflight request or without, signed in or not.
func TestNoCrossOriginAccess(t *testing.T) {
	w := newServer(t, func(o *console.Options) { o.Web = webHandler(t) })
	picture := mustUpload(t, w, w.ada, "avatarFile", "a.png", testPNG(t))
	paths := []string{
		"/",
		"/signin",
		"/assets/app-1a2b.js",
		"/favicon.svg",
		picture,
		"/healthz",
		"/readyz",
		"/admin-api/none",
		"/avatar/none.jpg",
	}
	for _, op := range w.Operations(w.ConsoleTags()...) {
		if op.ID != "getLive" { // never ends; its refusal is tested below
			paths = append(paths, op.Path)
		}
	}
	asked := 0
	for _, path := range paths {
		for _, origin := range []string{"https://evil.example", "null", "http://tilth.test.evil.example", "http://tilth.test"} {
			for _, method := range []string{http.MethodOptions, http.MethodGet, http.MethodPost, http.MethodPut} {
				for _, token := range []string{"", w.bora} {
					if token != "" && strings.HasSuffix(path, "logout") {
						continue // would end the session
					}
					asked++
					a := w.Do(t, testkit.Call{Method: method, Path: path, Token: token, Header: map[string]string{
						"Origin":                                 origin,
						"Access-Control-Request-Method":          "PUT",
						"Access-Control-Request-Headers":         "authorization, content-type, tenant-id",
						"Access-Control-Request-Private-Network": "true",
						"Sec-Fetch-Site":                         "cross-site",
					}})
					if p := corsHeaders(a.Header); len(p) > 0 {
						t.Errorf("%s %s for %s: %v", method, path, origin, p)
					}
					if method == http.MethodOptions && a.Status < 400 {
						t.Errorf("OPTIONS %s for %s: %d", path, origin, a.Status)
					}
				}
			}
		}
	}
	if asked < 500 {
		t.Errorf("only %d calls were made", asked)
	}
	for _, method := range []string{http.MethodOptions, http.MethodGet} {
		a := w.Do(
			t,
			testkit.Call{Method: method, Path: livePath, Header: map[string]string{"Origin": "https://evil.example"}},
		)
		if p := corsHeaders(a.Header); len(p) > 0 || a.Code == 200 {
			t.Errorf("%s %s: %v %d", method, livePath, p, a.Code)
		}
	}
}

// No URL of this server redirects a browser to another site, in whatever form the URL names one: a
// redirect to the clean form of a path leads to a path of this server. Signing in redirects nowhere
// by itself; the page checks its return address against the same rule (returnAddress in
// web/src/app).
func TestNoOpenRedirects(t *testing.T) {
	w := newServer(t, func(o *console.Options) { o.Web = webHandler(t) })
	redirected := 0
	for _, path := range []string{
		"//evil.example", "//evil.example/", "///evil.example/..", "/.//evil.example", "/..//evil.example", "/data/..//evil.example", "/data/../..//evil.example/x", "/%2e//evil.example",
		"/%2E%2E//evil.example", "/%2fevil.example", "/%2f%2fevil.example", "/.%2f/evil.example", "/%5cevil.example", "/%5C%5Cevil.example", "/data/..%5c%5cevil.example", "/./%5cevil.example",
		"/%09/evil.example", "/%0a/evil.example", "/%0d%0aLocation:%20https:%2f%2fevil.example", "/%00/evil.example", "/a//../%2f%2fevil.example", "/;//evil.example", "/https:%2f%2fevil.example",
		"/avatar//evil.example", "/avatar/..//..//evil.example", "/embed/..//..//evil.example", "/signin/..//evil.example", "/signin?from=//evil.example", "/signin/?from=https:%2f%2fevil.example",
	} {
		a := w.Do(t, testkit.Call{Path: path})
		to := a.Header.Get("Location")
		if a.Status >= 300 && a.Status < 400 {
			redirected++
		} else if to != "" {
			t.Errorf("%s: %d with a Location: %s", path, a.Status, to)
		}
		u, err := url.Parse(to)
		if err != nil || to != "" && (to[0] != '/' || u.Host != "" || u.Scheme != "") || strings.HasPrefix(to, "//") ||
			strings.ContainsAny(to, "\\\t\r\n\x00") {
			t.Errorf("%s leads to %s", path, to)
		}
	}
	if redirected < 5 {
		t.Errorf("only %d were redirected", redirected)
	}
}
