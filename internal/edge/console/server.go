// Package console is the console's edge: it converts between the wire and the domains and decides
// nothing.
package console

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"

	"tilth/internal/app"
	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/memory"
)

// Readings is the part of the readings store that the console uses.
type Readings interface {
	Newest(ctx context.Context, t tenant.ID, d device.ID) []reading.Newest
	NewestOf(ctx context.Context, t tenant.ID, d device.ID, p device.PropertyID) (reading.Newest, bool)
	CurvesFor(ctx context.Context, ref device.Ref) reading.Curves
	Downsample(
		ctx context.Context,
		t tenant.ID,
		d device.ID,
		from, to int64,
		props []device.PropertyID,
		points int,
	) (map[device.PropertyID]reading.Downsampled, error)
	DownsampleRows(
		ctx context.Context,
		t tenant.ID,
		d device.ID,
		from, to int64,
		props []device.PropertyID,
		points int,
		begin func(bucket int64),
		fn func(at int64, fields []reading.Field) error,
	) error
	Columns(
		ctx context.Context,
		t tenant.ID,
		d device.ID,
		from, to int64,
		props []device.PropertyID,
		fn func(c *reading.Columns) error,
	) error
	reading.AggregateReader
	Coverage(
		ctx context.Context,
		t tenant.ID,
		d device.ID,
		from, to int64,
		zone *time.Location,
	) ([]reading.CoveredDay, error)
	Phases(
		ctx context.Context,
		t tenant.ID,
		d device.ID,
		p device.PropertyID,
		from, to int64,
		silentAfter time.Duration,
		fn func(reading.Phase) error,
	) error
}

// MapTiles is the tile server under the console's map.
type MapTiles struct {
	URL, Attribution, Datum string
	Links                   []MapTilesLink
	MaxZoom                 int // the closest zoom at which it has tiles; 0: not known
}

// MapTilesLink is a page that words of an attribution link to.
type MapTilesLink struct{ Words, URL string }

// Options is everything that the console's edge needs.
type Options struct {
	*app.Stores
	DefaultTenant string
	MapTiles      *MapTiles
	PublicURL     string // where people and devices reach the server; empty: at the address of the request
	Listen        Listeners
	EmbedKey      []byte         // the key that signs the addresses of cameras' snippets
	DemoPages     bool           // the console shows the template pages with sample data
	Proxies       []netip.Prefix // proxies whose forwarded addresses are trusted
	SMSLogged     bool           // SMS are only written to the log
	// StorageStopped returns since when readings cannot be stored (zero: they are stored), and a channel
	// that is closed when that changes.
	StorageStopped func() (time.Time, <-chan struct{})
	Memory         *memory.Gauge // nil: nothing is refused for lack of memory
	// open streams of history, shared with the open API; nil: this edge has its own
	HistoryStreams *reading.HistoryStreams
	Bodies         *httpbase.Bodies // bounds what bodies of calls take, shared likewise
	UploadTimeout  time.Duration    // how long an upload may wait for its tenant's slot; 0: 20 seconds
	// nil error: the server takes requests; else the public reason why not
	Ready func(ctx context.Context) error
	// Readings are what the console shows; nil: those of Stores.
	Readings Readings

	Telemetry http.Handler // devices over HTTP, below /api/v1/, /weatherstation/ and /data/report/
	LoRaWAN   http.Handler // network servers that send for devices, below /api/v1/integrations/
	MQTT      http.Handler // devices over WebSockets, at /mqtt
	OpenAPI   http.Handler // programs, below /open-api/
	Web       http.Handler // the web console: everything else
}

type server struct {
	Options
	edge *httpbase.Edge
	limits
	router             routers.Router
	paths              *openapi3.Paths
	changesByOperation map[string]string // the kind of thing that a call changes, by operation
}

var _ wire.StrictServerInterface = (*server)(nil)

// New makes the handler of the HTTP address.
func New(o Options) (http.Handler, error) {
	index, err := loadContract()
	if err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	if o.HistoryStreams == nil {
		o.HistoryStreams = reading.NewHistoryStreams(o.Limits)
	}
	if o.Readings == nil {
		o.Readings = o.Stores.Readings
	}
	if o.Bodies == nil {
		o.Bodies = httpbase.NewBodies("console", o.Memory.Limit(), o.Limits)
	}
	s := &server{
		Options: o, limits: newLimits(&o), router: index.router, paths: index.paths,
		changesByOperation: index.changesByOperation,
	}
	s.edge = s.newEdge()
	o.ConnectConsole(s.publishHint)
	calls := wire.HandlerWithOptions(
		wire.NewStrictHandlerWithOptions(s, []wire.StrictMiddlewareFunc{s.queueQuery}, wire.StrictHTTPServerOptions{
			RequestErrorHandlerFunc: s.malformed, ResponseErrorHandlerFunc: s.fail,
		}),
		wire.StdHTTPServerOptions{ErrorHandlerFunc: s.malformed, BaseRouter: s.callMux()},
	)
	checked := normalizeLists(s.withChecks(calls))
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", o.Telemetry)
	mux.Handle("/weatherstation/", o.Telemetry)
	mux.Handle("POST /data/report/", o.Telemetry)
	mux.Handle("/api/v1/integrations/", o.LoRaWAN)
	mux.Handle("/mqtt", o.MQTT)
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc(avatarPath, s.serveAvatar)
	mux.HandleFunc("GET "+embedPath+"{signed}", s.serveEmbed)
	s.signOnMux(mux)
	mux.Handle("/", o.Web)
	return s.edge.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The mux does not see these requests: it would redirect a path that is not clean, and a
		// call that does not exist is answered with the envelope.
		switch {
		case isConsoleCall(r):
			checked.ServeHTTP(w, r)
		case isOpenAPI(r): // bypasses the mux for the same reason
			o.OpenAPI.ServeHTTP(w, r)
		default:
			mux.ServeHTTP(w, r)
		}
	})), nil
}

// isConsoleCall tells whether a request is for the console's API.
func isConsoleCall(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/admin-api/") || strings.HasPrefix(r.URL.Path, "/app-api/")
}

// isOpenAPI tells whether a request is for the open API or its documents.
func isOpenAPI(r *http.Request) bool {
	return r.URL.Path == "/open-api" || strings.HasPrefix(r.URL.Path, "/open-api/")
}

// callMux routes the calls. It answers with the envelope even if it does not know a call that the
// contract has.
func (s *server) callMux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, noSuchPath()) })
	return mux
}

func noSuchPath() *errs.Error { return errs.New(errs.NoSuchPath, "error.404") }

func (s *server) healthz(w http.ResponseWriter, _ *http.Request) { writePlain(w, http.StatusOK, "ok") }

func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	if err := s.Ready(r.Context()); err != nil {
		writePlain(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	writePlain(w, http.StatusOK, "ready"+alarmLagText(s.Alarms.Behind()))
}

// alarmLagText says to the operator how far alarms are behind.
func alarmLagText(b alarm.Behind) string {
	if b.Tenants == 0 {
		return ""
	}
	organisations := "organisations"
	if b.Tenants == 1 {
		organisations = "organisation"
	}
	return fmt.Sprintf("; alarms of %d %s are %d s behind", b.Tenants, organisations, int(b.Lag.Seconds()))
}

func writePlain(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintln(w, body)
}

// writeFileError tells a page that asked without a token why a file is not served. logMessage is
// the log line of a fault of the server.
func (s *server) writeFileError(w http.ResponseWriter, r *http.Request, logMessage string, err error) {
	if errs.Is(err, errs.NotFound) {
		writePlain(w, http.StatusNotFound, "not found")
		return
	}
	if r.Context().Err() == nil {
		s.Logger.Error(logMessage, "request", requestFrom(r.Context()).ID, "error", err)
	}
	writePlain(w, http.StatusInternalServerError, "internal server error")
}
