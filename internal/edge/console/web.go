package console

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"path"
	"strconv"
	"strings"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/httpbase"
)

// WebOptions is everything that serving the web console needs.
type WebOptions struct {
	Dist    fs.FS
	Tiles   *MapTiles      // the tile server of the map; nil if there is none
	Proxies []netip.Prefix // proxies whose forwarded hosts are trusted
	Tenants *tenant.Store
	Catalog *device.Catalog
	Devices *device.Store
	Logger  *slog.Logger

	DefaultTenant string // the tenant whose streams are played if the host names no tenant; empty: none
}

// NewWeb serves the web console. Assets have hashed names, are cached for ever and compressed in
// advance; every other path is the page, whose router knows the path.
func NewWeb(p WebOptions) http.Handler {
	c := &webHandler{p}
	return http.HandlerFunc(c.serve)
}

type webHandler struct{ WebOptions }

// serviceWorkerFile is the service worker, which caches the console's files for times without a
// network. It stands at the root, so that its scope is the whole console.
const serviceWorkerFile = "sw.js"

func (c *webHandler) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		writePlain(w, http.StatusMethodNotAllowed, "method not allowed")
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	h := w.Header()
	if name != "" && name != "index.html" && name[0] != '.' && c.exists(name) {
		if strings.HasPrefix(name, "assets/") {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		} else {
			// Also the worker and the manifest: the browser finds a newer release at the next
			// request.
			h.Set("Cache-Control", "no-cache")
		}
		if name == serviceWorkerFile {
			h.Set("Content-Security-Policy", workerPolicy)
		}
		c.serveFile(w, r, name)
		return
	}
	if strings.HasPrefix(name, "assets/") || path.Ext(name) != "" && name != "index.html" {
		http.NotFound(w, r)
		return
	}
	if !c.exists("index.html") {
		writePlain(w, http.StatusNotFound, "This binary was built without the console. Build it with: make build")
		return
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", c.policy(r))
	h.Set("X-Frame-Options", "DENY")
	c.serveFile(w, r, "index.html")
}

// contentTypes holds the types of the console's own files, so that the types which the machine has
// registered for an extension change nothing.
var contentTypes = map[string]string{
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".json":        "application/json",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".ico":         "image/x-icon",
	".woff2":       "font/woff2",
	".webmanifest": "application/manifest+json",
	".txt":         "text/plain; charset=utf-8",
}

func contentType(name string) string {
	ext := path.Ext(name)
	if k, ok := contentTypes[ext]; ok {
		return k
	}
	if k := mime.TypeByExtension(ext); k != "" {
		return k
	}
	return "application/octet-stream"
}

func (c *webHandler) exists(name string) bool {
	info, err := fs.Stat(c.Dist, name)
	return err == nil && !info.IsDir()
}

// serveFile answers a file in the best encoding that the client accepts.
func (c *webHandler) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	stored := name
	for _, form := range []struct{ coding, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if !c.exists(name + form.suffix) {
			continue
		}
		h.Set("Vary", "Accept-Encoding")
		if httpbase.Accepts(r, form.coding) {
			stored = name + form.suffix
			h.Set("Content-Encoding", form.coding)
			break
		}
	}
	body, size, err := c.open(stored)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer func() { _ = body.Close() }() // it was only read
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = io.Copy(w, body) // in chunks, so that a slow client holds no more memory; the client may have gone
	}
}

// open opens a file and returns its size in bytes.
func (c *webHandler) open(name string) (fs.File, int64, error) {
	f, err := c.Dist.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}
