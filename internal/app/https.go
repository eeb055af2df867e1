package app

import (
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tilth/internal/edge/httpbase"
)

// strictTransport has a browser that was here over TLS come back no other way
// for a year. It speaks for the host that was asked for, and for no other below.
const strictTransport = "max-age=31536000"

// headerLimit is how large a request's head may be, in bytes.
const headerLimit = 64 << 10

// http2Limits are those of a connection of HTTP/2. One may have as many requests
// wait as four times those that are served, each with a head of headerLimit, for
// which a client pays a few bytes: the library's 250 would be up to 80 MB.
var http2Limits = http.HTTP2Config{
	MaxConcurrentStreams: 100, // browsers ask for fewer at once
	SendPingTimeout:      time.Minute,
	PingTimeout:          15 * time.Second,
	WriteByteTimeout:     writeTimeout, // its places would be taken for ever by who takes nothing
}

// webServer is a server for people, programs and devices, with the limits that hold
// for whoever it is.
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

// httpsPolicy tells browsers on the HTTPS address to stay there and, with
// --https-redirect, sends to it who comes to the HTTP address.
func (s *Server) httpsPolicy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.TLS != nil:
			w.Header().Set("Strict-Transport-Security", strictTransport)
		// Behind a trusted proxy it is the proxy that meets people over TLS, or redirects them.
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

// allowedWithoutTLS tells of paths that are served without TLS in spite of the redirect:
// those of devices, of which few follow one, and those by which machines ask
// how the server is.
func allowedWithoutTLS(path string) bool {
	return path == "/healthz" || path == "/readyz" || path == "/mqtt" || strings.HasPrefix(path, "/api/v1/")
}

// httpsPort is the port by which people reach the HTTPS address: that of
// --public-url where it is one of https, else the one that is listened on.
func (s *Server) httpsPort() string {
	if public, err := url.Parse(s.set.PublicURL); err == nil && public.Scheme == "https" {
		if port := public.Port(); port != "" {
			return port
		}
		return "443"
	}
	return strconv.Itoa(s.listeners.https.Addr().(*net.TCPAddr).Port)
}

// redirectToHTTPS answers where the same is over TLS. The host stays, since it may
// name a tenant. The answer is a temporary one: what browsers remember for long
// is strictTransport, which only a right certificate brings them.
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
