package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"tilth/internal/httpapi"
	"tilth/internal/testkit"
)

// permissions are headers of an answer that let another site's page read it or
// send more; none is ever given.
func permissions(h http.Header) (found []string) {
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") || strings.HasPrefix(name, "Timing-Allow-") {
			found = append(found, name)
		}
	}
	return found
}

// No page of another site gets anything of this one: no call, asked for in
// advance or not, signed in or not, is permitted across origins.
func TestNoOtherOriginIsLetIn(t *testing.T) {
	w := newServer(t, func(o *httpapi.Options) { o.Console = console(t) })
	picture := upload(t, w, w.ada, "avatarFile", "a.png", pictureFile(t))
	paths := []string{"/", "/signin", "/assets/app-1a2b.js", "/favicon.svg", picture, "/healthz", "/readyz", "/admin-api/none", "/avatar/none.jpg"}
	for _, op := range w.Operations(testkit.ConsoleTags...) {
		if op.ID != "getLive" { // never ends; its refusal is below
			paths = append(paths, op.Path)
		}
	}
	asked := 0
	for _, path := range paths {
		for _, origin := range []string{"https://evil.example", "null", "http://tilth.test.evil.example", "http://tilth.test"} {
			for _, method := range []string{http.MethodOptions, http.MethodGet, http.MethodPost, http.MethodPut} {
				for _, token := range []string{"", w.bora} {
					if token != "" && strings.HasSuffix(path, "/logout") {
						continue // it would end the session
					}
					asked++
					a := w.Do(t, testkit.Call{Method: method, Path: path, Token: token, Header: map[string]string{
						"Origin": origin, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization, content-type, tenant-id",
						"Access-Control-Request-Private-Network": "true", "Sec-Fetch-Site": "cross-site",
					}})
					if p := permissions(a.Header); len(p) > 0 {
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
		t.Errorf("only %d asked", asked)
	}
	for _, method := range []string{http.MethodOptions, http.MethodGet} {
		a := w.Do(t, testkit.Call{Method: method, Path: livePath, Header: map[string]string{"Origin": "https://evil.example"}})
		if p := permissions(a.Header); len(p) > 0 || a.Code == 200 {
			t.Errorf("%s %s: %v %d", method, livePath, p, a.Code)
		}
	}
}
