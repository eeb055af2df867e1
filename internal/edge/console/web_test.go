package console_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"tilth/internal/edge/console"
	"tilth/internal/tools/testkit"
)

func testDist() fstest.MapFS {
	files := fstest.MapFS{}
	for name, body := range map[string]string{
		"index.html": "<html>page</html>", "index.html.br": "page as br", "index.html.gz": "page as gzip",
		"assets/app-1a2b.js": "script", "assets/app-1a2b.js.br": "script as br", "assets/app-1a2b.js.gz": "script as gzip",
		"assets/inter.woff2": "font", "assets/style.css": "style", "assets/style.css.gz": "style as gzip",
		"favicon.svg": "<svg/>", "app.tr-tr.webmanifest": "{}", "sw.js": "worker", "icons/icon-192.png": "icon", ".gitkeep": "",
	} {
		files[name] = &fstest.MapFile{Data: []byte(body)}
	}
	return files
}

// webHandler returns the web console on stores of its own; with changes its options.
func webHandler(t *testing.T, with ...func(*console.WebOptions)) http.Handler {
	t.Helper()
	s := testkit.NewStores(t)
	p := console.WebOptions{
		Dist:    testDist(),
		Tenants: s.Tenants,
		Catalog: s.Catalog,
		Devices: s.Devices,
		Logger:  s.Log.Logger,
	}
	for _, f := range with {
		f(&p)
	}
	return console.NewWeb(p)
}

func doRequest(h http.Handler, method, path, encoding string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	if encoding != "" {
		r.Header.Set("Accept-Encoding", encoding)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Every path that is no file gets the page, whose router knows the path.
func TestWebIndexForUnknownPaths(t *testing.T) {
	h := webHandler(t)
	for _, path := range []string{"/", "/signin", "/dashboard-default", "/inform?id=7", "/index.html", "/device/", "/a/b/c", "/assets", "/favicon.svg/.."} {
		w := doRequest(h, http.MethodGet, path, "")
		if w.Code != 200 || w.Body.String() != "<html>page</html>" ||
			w.Header().Get("Cache-Control") != "no-cache" ||
			w.Header().Get("Content-Type") != "text/html; charset=utf-8" ||
			w.Header().Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: %d %q %v", path, w.Code, w.Body, w.Header())
		}
	}
	// A missing file does not get the page: a script must not be HTML.
	for _, path := range []string{"/assets/old-9f.js", "/assets/x", "/robots.txt", "/.gitkeep", "/.env", "/favicon.ico", "/assets/../../secret.js"} {
		if w := doRequest(h, http.MethodGet, path, ""); w.Code != 404 {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		if w := doRequest(h, method, "/", ""); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d, Allow %q", method, w.Code, w.Header().Get("Allow"))
		}
	}
}

func TestWebFiles(t *testing.T) {
	h := webHandler(t)
	for path, want := range map[string]struct{ body, kind, cache string }{
		"/assets/app-1a2b.js":    {"script", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		"/assets/style.css":      {"style", "text/css; charset=utf-8", "public, max-age=31536000, immutable"},
		"/assets/inter.woff2":    {"font", "font/woff2", "public, max-age=31536000, immutable"},
		"/favicon.svg":           {"<svg/>", "image/svg+xml", "no-cache"},
		"/app.tr-tr.webmanifest": {"{}", "application/manifest+json", "no-cache"},
		"/sw.js":                 {"worker", "text/javascript; charset=utf-8", "no-cache"},
		"/icons/icon-192.png":    {"icon", "image/png", "no-cache"},
	} {
		w := doRequest(h, http.MethodGet, path, "")
		if w.Code != 200 || w.Body.String() != want.body || w.Header().Get("Content-Type") != want.kind ||
			w.Header().Get("Cache-Control") != want.cache {
			t.Errorf("%s: %d %q %v", path, w.Code, w.Body, w.Header())
		}
		head := doRequest(h, http.MethodHead, path, "")
		if head.Code != 200 || head.Body.Len() != 0 ||
			head.Header().Get("Content-Length") != w.Header().Get("Content-Length") {
			t.Errorf("HEAD %s: %d %q %v", path, head.Code, head.Body, head.Header())
		}
	}
}

// The worker may call this server and do nothing else. The page may load the worker and the
// manifest, from this server alone.
func TestServiceWorkerPolicy(t *testing.T) {
	h := webHandler(t)
	worker := doRequest(h, http.MethodGet, "/sw.js", "").Header().Get("Content-Security-Policy")
	if worker != "default-src 'none'; connect-src 'self'" {
		t.Errorf("worker: %q", worker)
	}
	page := doRequest(h, http.MethodGet, "/", "").Header().Get("Content-Security-Policy")
	for _, part := range []string{"manifest-src 'self'", "worker-src 'self' blob:"} {
		if !strings.Contains(page, part) {
			t.Errorf("page: no %q in %q", part, page)
		}
	}
	// A script has no policy of its own, except a worker.
	got := doRequest(h, http.MethodGet, "/assets/app-1a2b.js", "").Header().Get("Content-Security-Policy")
	if got != "" {
		t.Errorf("script: %q", got)
	}
}

// Files are compressed in advance; the client gets the best coding that it accepts.
func TestWebCompression(t *testing.T) {
	h := webHandler(t)
	for _, c := range []struct{ path, accept, coding, body string }{
		{"/assets/app-1a2b.js", "", "", "script"},
		{"/assets/app-1a2b.js", "gzip, deflate, br, zstd", "br", "script as br"},
		{"/assets/app-1a2b.js", "gzip, deflate", "gzip", "script as gzip"},
		{"/assets/app-1a2b.js", "GZIP;q=0.5", "gzip", "script as gzip"},
		{"/assets/app-1a2b.js", "br;q=0, gzip", "gzip", "script as gzip"},
		{"/assets/app-1a2b.js", "br; q=0.000, gzip; q=0.001", "gzip", "script as gzip"},
		{"/assets/app-1a2b.js", "br;q=0,gzip;q=0.0", "", "script"},
		{"/assets/app-1a2b.js", "br;q=x", "", "script"},
		{"/assets/app-1a2b.js", "brotli, gzippy", "", "script"},
		{"/assets/style.css", "br, gzip", "gzip", "style as gzip"},
		{"/assets/inter.woff2", "br, gzip", "", "font"},
		{"/signin", "br, gzip", "br", "page as br"},
	} {
		w := doRequest(h, http.MethodGet, c.path, c.accept)
		if w.Header().Get("Content-Encoding") != c.coding || w.Body.String() != c.body {
			t.Errorf("%s for %q: %q %v", c.path, c.accept, w.Body, w.Header())
		}
		// Caches must know that there are several codings, whichever one they got.
		if vary := w.Header().Get("Vary"); (vary == "Accept-Encoding") != (c.path != "/assets/inter.woff2") {
			t.Errorf("%s: Vary %q", c.path, vary)
		}
		if kind := w.Header().Get("Content-Type"); strings.Contains(kind, "gzip") ||
			kind == "application/octet-stream" {
			t.Errorf("%s: Content-Type %q is the compression's", c.path, kind)
		}
	}
}

// A binary that was built without the console says how to build it.
func TestWebWithoutDist(t *testing.T) {
	h := webHandler(t, func(p *console.WebOptions) { p.Dist = fstest.MapFS{".gitkeep": &fstest.MapFile{}} })
	for _, path := range []string{"/", "/signin"} {
		if w := doRequest(h, http.MethodGet, path, "br"); w.Code != 404 ||
			!strings.Contains(w.Body.String(), "make build") {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
}

// Behind the server, the page has the headers of every answer, and calls still work.
func TestWebBehindServer(t *testing.T) {
	w := newServer(t, func(o *console.Options) { o.Web = webHandler(t) })
	if a := w.Do(t, testkit.Call{Path: "/signin"}); a.Status != 200 || string(a.Body) != "<html>page</html>" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := w.Do(t, testkit.Call{Path: "/admin-api/signin"}); a.Status != 404 || a.Code != 404 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
