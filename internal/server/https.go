package server

import (
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/ingest"
)

// strictTransport tells a browser to use only HTTPS for this host for a year. It does not cover
// subdomains.
const strictTransport = "max-age=31536000"

// headerLimit is how large a request's header may be, in bytes.
const headerLimit = 64 << 10

// http2Limits limit a connection of HTTP/2. For a few bytes a client may let four times as many
// requests wait as are served, each with a header of headerLimit; with the library's default of 250
// streams that would be up to 80 MB.
var http2Limits = http.HTTP2Config{
	MaxConcurrentStreams: 100, // browsers open fewer streams at once
	SendPingTimeout:      time.Minute,
	PingTimeout:          15 * time.Second,
	WriteByteTimeout:     writeTimeout, // else a client that reads nothing would keep its streams for ever
}

// webServer is the HTTP server for people, programs and devices, with the limits that hold for all
// of them.
func webServer(handler http.Handler, log *log.Logger) *http.Server {
	limits := http2Limits
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    headerLimit,
		HTTP2:             &limits,
		ErrorLog:          log,
	}
}

// httpsPolicy tells browsers on the HTTPS address to stay there. With --https-redirect it redirects
// requests to the HTTP address.
func (s *Server) httpsPolicy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.TLS != nil:
			w.Header().Set("Strict-Transport-Security", strictTransport)
		// Behind a trusted proxy, the proxy speaks TLS with people, or redirects them.
		case s.set.HTTPSRedirect && !allowedWithoutTLS(r.URL.Path) && !httpbase.FromProxy(r, s.set.Proxies):
			redirectToHTTPS(w, r, s.httpsPort())
			return
		}
		if r.ProtoMajor >= 2 {
			stream := &perWriteDeadline{ResponseWriter: w, stream: http.NewResponseController(w)}
			defer stream.setFinalDeadline()
			w = stream
		}
		next.ServeHTTP(w, r)
	})
}

// allowedWithoutTLS reports whether a path is served without TLS in spite of the redirect: the
// paths of devices, of which few follow a redirect, and those of health checks.
func allowedWithoutTLS(path string) bool {
	return path == "/healthz" || path == "/readyz" || path == "/mqtt" || ingest.IsDevicePath(path)
}

// httpsPort is the port at which people reach the HTTPS address: that of --public-url if it is an
// https address, else the port of the listener.
func (s *Server) httpsPort() string {
	if public, err := url.Parse(s.set.PublicURL); err == nil && public.Scheme == "https" {
		if port := public.Port(); port != "" {
			return port
		}
		return "443"
	}
	return strconv.Itoa(s.listeners.https.Addr().(*net.TCPAddr).Port)
}

// redirectToHTTPS redirects a request to the same address over TLS. It keeps the host, which may
// name a tenant. The redirect is temporary: what browsers remember is strictTransport, which they
// accept only over a valid certificate.
func redirectToHTTPS(w http.ResponseWriter, r *http.Request, port string) {
	asked, err := url.Parse("//" + r.Host)
	if err != nil || asked.Host != r.Host || asked.Hostname() == "" {
		http.Error(w, "no such host", http.StatusBadRequest)
		return
	}
	to := url.URL{
		Scheme:   "https",
		Host:     net.JoinHostPort(asked.Hostname(), port),
		Path:     r.URL.Path,
		RawPath:  r.URL.RawPath,
		RawQuery: r.URL.RawQuery,
	}
	if port == "443" {
		to.Host = strings.TrimSuffix(to.Host, ":443")
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to.String(), http.StatusTemporaryRedirect)
}
