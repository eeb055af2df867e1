// Package openapi is the edge for programs under /open-api/v1, as described in api/open.yaml.
// Through it programs read a tenant's devices, history and alarms, and manage the webhooks that
// notify them. It also serves the page that explains the API. It converts between wire and domain
// and decides nothing.
package openapi

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"

	"tilth/api"
	"tilth/internal/app"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/memory"
)

const (
	// Prefix is the path below which this package serves everything.
	Prefix = "/open-api/"

	basePath = Prefix + "v1"
)

// Readings is the part of the readings store that programs use.
type Readings interface {
	Latest(ctx context.Context, t tenant.ID, d device.ID) []reading.Last
	reading.AggregateReader
}

// Options is everything that the edge needs.
type Options struct {
	*app.Stores
	// requests a minute of one credential; a whole minute's requests may come at once
	Rate    int
	Address func(r *http.Request) netip.Addr // returns the address that a request comes from
	Memory  *memory.Gauge                    // nil: nothing is refused for lack of memory
	// open streams of history, shared with the console; nil: this edge has its own
	HistoryStreams *reading.HistoryStreams
	Bodies         *httpbase.Bodies // bounds what bodies of requests take, shared likewise
	// Readings are what programs read; nil: those of Stores.
	Readings Readings
}

type server struct {
	Options
	edge *httpbase.Edge
	doc  *openapi3.T
	mux  *http.ServeMux // routes calls, document and page
	quotas
	origin *http.CrossOriginProtection
}

var _ wire.StrictServerInterface = (*server)(nil)

// contract reads the contract once for each process: a test makes many handlers.
var contract = sync.OnceValues(func() (*openapi3.T, error) { return openapi3.NewLoader().LoadFromData(api.Open) })

// New makes the handler of everything below Prefix.
func New(o Options) (http.Handler, error) {
	doc, err := contract()
	if err != nil {
		return nil, fmt.Errorf("read the open API's contract: %w", err)
	}
	if o.HistoryStreams == nil {
		o.HistoryStreams = reading.NewHistoryStreams(o.Limits)
	}
	if o.Readings == nil {
		o.Readings = o.Stores.Readings
	}
	if o.Bodies == nil {
		o.Bodies = httpbase.NewBodies("programs", o.Memory.Limit(), o.Limits)
	}
	s := &server{
		Options: o, doc: doc, mux: http.NewServeMux(),
		quotas: newQuotas(&o), origin: http.NewCrossOriginProtection(),
	}
	s.edge = s.newEdge()
	if err := s.serveDocuments(); err != nil {
		return nil, err
	}
	calls := wire.HandlerWithOptions(
		wire.NewStrictHandlerWithOptions(
			s,
			nil,
			wire.StrictHTTPServerOptions{RequestErrorHandlerFunc: s.malformed, ResponseErrorHandlerFunc: s.fail},
		),
		wire.StdHTTPServerOptions{ErrorHandlerFunc: s.malformed, BaseURL: basePath, BaseRouter: http.NewServeMux()},
	)
	for template, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			route := &routers.Route{Spec: doc, Path: template, PathItem: item, Method: method, Operation: op}
			s.mux.Handle(method+" "+basePath+template, s.withChecks(route, calls))
		}
		s.allowOnly(basePath+template, httpbase.AllowedMethods(item))
	}
	return s.edge.Wrap(http.HandlerFunc(s.route)), nil
}

// route passes a request to its handler. The mux alone would redirect a path that is not clean, and
// answer an unknown path in its own words.
func (s *server) route(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if p := r.URL.Path; p == strings.TrimSuffix(Prefix, "/") {
		http.Redirect(w, r, Prefix, http.StatusPermanentRedirect)
		return
	} else if p != Prefix && p != path.Clean(p) {
		s.fail(w, r, noSuchPath())
		return
	}
	if _, pattern := s.mux.Handler(r); pattern == "" {
		s.fail(w, r, noSuchPath())
		return
	}
	s.mux.ServeHTTP(w, r)
}

// allowOnly refuses all other methods of a path.
func (s *server) allowOnly(path, methods string) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", methods)
		s.fail(w, r, errs.New(errs.NoSuchMethod, "error.405"))
	})
}

func noSuchPath() *errs.Error { return errs.New(errs.NoSuchPath, "open.noSuchPath") }

func keys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
