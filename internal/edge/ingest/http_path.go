package ingest

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"tilth/internal/domain/device"
)

// Beginnings of devices' paths. reportPath is where Ecowitt stations report as long as nobody has
// entered a path; it names no device.
const (
	apiPath     = "/api/v1/"
	stationPath = "/weatherstation/"
	reportPath  = "/data/report/"
)

// DevicePaths are the beginnings of the paths that devices use.
var DevicePaths = []string{apiPath, stationPath, reportPath}

// Slashless are the beginnings of requests whose path lacks its first slash, as stations send them
// whose path was entered without it. With two slashes in its place, the request is served as one of
// an untidy path.
var Slashless = []string{"POST api/v1/", "POST weatherstation/", "GET weatherstation/"}

// IsDevicePath tells whether a path is one that devices use.
func IsDevicePath(path string) bool {
	for _, p := range DevicePaths {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

type untidyKey struct{}

// TidyPaths serves a device's request with slashes too many, as if its path were right: stations do
// not follow a redirect. The device gets a hint when the request is served.
func TidyPaths(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tidy, ok := tidied(r.URL); ok {
			if r.ProtoMajor == 1 {
				// Only the first request of a connection can get the slash that it lacks.
				w.Header().Set("Connection", "close")
			}
			r = r.WithContext(context.WithValue(r.Context(), untidyKey{}, true))
			r.URL = tidy
		}
		next.ServeHTTP(w, r)
	})
}

// tidied gives the address with a device's path without repeated slashes and without one at its
// end; false if the path is no device's or is tidy.
func tidied(u *url.URL) (*url.URL, bool) {
	if !strings.HasSuffix(u.Path, "/") && !strings.Contains(u.Path, "//") {
		return nil, false
	}
	// Slashes within a secret are encoded.
	path := u.EscapedPath()
	var b strings.Builder
	for segment := range strings.SplitSeq(path, "/") {
		if segment != "" {
			b.WriteString("/" + segment)
		}
	}
	clean := b.String()
	decoded, err := url.PathUnescape(clean)
	if err != nil || clean == path || !IsDevicePath(clean) {
		return nil, false
	}
	tidy := *u
	tidy.Path, tidy.RawPath = decoded, clean
	return &tidy, true
}

// noteUntidy gives a device a hint whose request came at an untidy path.
func (h *httpEdge) noteUntidy(r *http.Request, e *device.Entry) {
	if r.Context().Value(untidyKey{}) == nil {
		return
	}
	_, right, _ := strings.Cut(r.Pattern, " ")
	h.pipeline.gate.noteUntidyPath(h.opts.ClientAddr(r), e.Ref, strings.Replace(right, "{secret}", "SECRET", 1))
}

// noSuchPath answers a request at a path where nothing is taken.
func (h *httpEdge) noSuchPath(w http.ResponseWriter, r *http.Request) {
	h.noteWrongPath(r)
	writeJSON(w, http.StatusNotFound, problem{Code: "noSuchPath", Msg: "Nothing is taken at this path. Readings as " +
		"JSON go to /api/v1/SECRET/telemetry, an Ecowitt station's to /api/v1/SECRET/ecowitt, those in Weather " +
		"Underground's protocol to " + weatherStationPath + "."})
}

// wrongMethod answers a request whose path is right but for its method.
func (h *httpEdge) wrongMethod(allowed string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h.noteWrongPath(r)
		w.Header().Set("Allow", allowed)
		writeJSON(w, http.StatusMethodNotAllowed, problem{Code: "wrongMethod", Msg: "This path takes " + allowed + "."})
	}
}

// noteWrongPath notes a request where nothing is taken, for the device whose secret is in the path,
// or whose name and secret are in the query as of a weather station.
func (h *httpEdge) noteWrongPath(r *http.Request) {
	var claim device.Claim
	if rest, ok := strings.CutPrefix(r.URL.EscapedPath(), apiPath); ok {
		secret, _, _ := strings.Cut(rest, "/")
		if decoded, err := url.PathUnescape(secret); err == nil {
			claim.Password = decoded
		}
	}
	if name, secret := stationSignIn([]byte(r.URL.RawQuery)); claim.Password == "" && secret != "" {
		claim = device.Claim{UserName: name, Password: secret}
	}
	h.pipeline.gate.notePath(h.opts.ClientAddr(r), claim)
}
