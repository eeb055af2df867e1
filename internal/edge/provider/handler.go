package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/provider/wire"
	"tilth/internal/platform/db"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/memory"
)

// Prefix is the path below which the provider API is served.
const Prefix = "/provider-api/"

const (
	maxJSONBody = 64 << 10
	// applyTimeout is how long an apply may take, its upload included: a large file with many
	// passwords needs longer than other calls.
	applyTimeout = 15 * time.Minute

	// notReloadedWarning is answered together with the result. The provider's tools are in English.
	notReloadedWarning = "all of this is stored, but the running server does not use it yet because of a fault, " +
		"which its log names: apply the file again, or restart the server; " +
		"the secrets and passwords in this answer are not shown again"

	// incompleteWarning is answered together with the result of a large file that is stored in part.
	incompleteWarning = "this is stored, but %d devices of the file are not, or have no secret yet, because of a fault " +
		"which the server's log names: apply the file again; the secrets and passwords in this answer are not shown again"
)

// Options is everything that the HTTP edge needs.
type Options struct {
	Service *Service
	Audit   *audit.Store // nil: no audit log is written
	Tokens  *Tokens
	Address func(*http.Request) netip.Addr // returns the client's address; nil: that of the connection
	Now     func() time.Time               // nil: the machine's clock
	Logger  *slog.Logger
	Limits  *limit.Meter  // counts refusals by limits; nil: they are not counted
	Memory  *memory.Gauge // nil: nothing is refused for lack of memory
}

// New makes the handler of everything below Prefix.
func New(o Options) http.Handler {
	if o.Address == nil {
		o.Address = func(r *http.Request) netip.Addr { return httpbase.ClientAddr(r, nil) }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	h := &handler{Options: o, failures: newFailures(&o)}
	h.edge = h.newEdge()
	strict := wire.NewStrictHandlerWithOptions(h, nil, wire.StrictHTTPServerOptions{
		RequestErrorHandlerFunc:  h.malformed,
		ResponseErrorHandlerFunc: h.fail,
	})
	h.calls = wire.HandlerWithOptions(strict, wire.StdHTTPServerOptions{ErrorHandlerFunc: h.malformed})
	return h.edge.Wrap(http.HandlerFunc(h.serve))
}

type handler struct {
	Options
	edge     *httpbase.Edge
	failures *limit.Buckets[limit.Network] // wrong tokens, by address
	calls    http.Handler
}

// endpoint says how a path is called.
type endpoint struct {
	method   string
	body     httpbase.BodyLimits
	jsonBody bool // the body is one JSON text
	heavy    bool // it reads all stored data
}

var jsonLimits = httpbase.BodyLimits{Bytes: maxJSONBody}

// endpoints holds all paths.
var endpoints = map[string]endpoint{
	Prefix + "v1/apply": {
		method: http.MethodPost,
		body:   httpbase.BodyLimits{Bytes: MaxFile, ReadTimeout: applyTimeout},
	},
	Prefix + "v1/delete":         {method: http.MethodPost, body: jsonLimits, jsonBody: true},
	Prefix + "v1/user/reset":     {method: http.MethodPost, body: jsonLimits, jsonBody: true},
	Prefix + "v1/derive":         {method: http.MethodPost, body: jsonLimits, jsonBody: true, heavy: true},
	Prefix + "v1/backup":         {method: http.MethodGet, body: jsonLimits, heavy: true},
	Prefix + "v1/seed":           {method: http.MethodGet, body: jsonLimits, heavy: true},
	Prefix + "v1/outbox/release": {method: http.MethodPost, body: jsonLimits},
}

// newEdge makes the edge of everything below Prefix. The log has the path alone, never a query, a
// body or a token.
func (h *handler) newEdge() *httpbase.Edge {
	return &httpbase.Edge{
		LogMessage:   "provider call",
		OperationKey: "path",
		LogLevel:     slog.LevelInfo,
		Logger:       h.Logger,
		Now:          h.Now,
		Address:      h.Address,
		WriteError:   h.writeProblem,
		NewContext: func(ctx context.Context, q *httpbase.Request) context.Context {
			q.Operation = q.HTTPRequest.URL.Path
			return ctx
		},
	}
}

// serve runs a call that admit lets through.
func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if err := h.admit(w, r); err != nil {
		h.fail(w, r, err)
		return
	}
	q := httpbase.RequestFrom(r.Context())
	who := audit.Actor{Kind: audit.Provider, Request: q.ID, Address: q.AddressText()}
	ctx := db.WithGuard(r.Context(), func(context.Context) error { return h.checkToken(r) })
	h.calls.ServeHTTP(w, r.WithContext(h.Audit.NewContext(ctx, who)))
}

// checkToken refuses a call without the provider's token. It is asked again inside each transaction
// of the call: the token may have been replaced while the call's body arrived.
func (h *handler) checkToken(r *http.Request) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	allowed, fault := h.Tokens.Allows(strings.TrimSpace(token))
	if fault != nil {
		h.Logger.Error("provider token", "error", fault)
	}
	if !allowed || !strings.EqualFold(scheme, "Bearer") {
		return newProblem(http.StatusUnauthorized, "the provider's token is missing or wrong")
	}
	return nil
}

// admit lets a call through if it has the provider's token and its path and method exist.
func (h *handler) admit(w http.ResponseWriter, r *http.Request) error {
	ep, ok := endpoints[r.URL.Path]
	if !ok {
		return newProblem(http.StatusNotFound, "there is no such path")
	}
	if r.Method != ep.method {
		w.Header().Set("Allow", ep.method)
		return newProblem(http.StatusMethodNotAllowed, "this path takes "+ep.method)
	}
	if err := h.checkToken(r); err != nil {
		wait := h.failures.Allow(limit.Client.Of(httpbase.RequestFrom(r.Context()).Address), limit.One).Retry
		if wait > 0 {
			return &problem{
				status: http.StatusTooManyRequests,
				detail: "too many wrong tokens from this address",
				retry:  wait,
			}
		}
		return err
	}
	work := memory.Call
	if ep.heavy {
		work = memory.Heavy
	}
	if h.Memory.Refuse(work) {
		return memoryProblem(work)
	}
	if timeout := ep.body.ReadTimeout; timeout > 0 {
		// Some writers support no deadlines; for the others, this keeps the server from cutting off
		// the call.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout))
	}
	if err := ep.body.Apply(w, r); err != nil {
		return badBody(err)
	}
	if ep.jsonBody {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = httpbase.NormalizeJSON(r, body)
		}
		if err != nil {
			return badBody(err)
		}
	}
	return nil
}

// memoryProblem refuses work for which there is not enough memory.
func memoryProblem(work memory.Work) error {
	return &problem{
		status: http.StatusServiceUnavailable,
		detail: "the server has no memory to spare for this; ask again",
		retry:  work.RetryAfter(),
	}
}

// Apply makes the server match the file in the body.
func (h *handler) Apply(ctx context.Context, r wire.ApplyRequestObject) (wire.ApplyResponseObject, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, badBody(err)
	}
	out, err := h.Service.Apply(ctx, raw, r.Params.Overwrite != nil && *r.Params.Overwrite)
	var reloadErr *ReloadError
	var incomplete *IncompleteError
	if err != nil && !errors.As(err, &reloadErr) && !errors.As(err, &incomplete) {
		return nil, err
	}
	answer := out.wire()
	if incomplete != nil {
		// This is not an error answer: it alone can tell the secrets that are stored already.
		h.Logger.Error("file applied only in part", "left", incomplete.left, "error", incomplete.cause)
		answer.Warning = new(fmt.Sprintf(incompleteWarning, incomplete.left))
	}
	if reloadErr != nil {
		// This is not an error answer: the server stores only hashes of generated secrets and
		// passwords, so this answer alone can tell them.
		h.Logger.Error("file applied, but registry not reloaded", "error", reloadErr.cause)
		answer.Warning = new(notReloadedWarning)
	}
	return wire.Apply200JSONResponse(answer), nil
}

// Delete removes one thing.
func (h *handler) Delete(ctx context.Context, r wire.DeleteRequestObject) (wire.DeleteResponseObject, error) {
	owner, kind := "", r.Body.Kind
	if r.Body.Tenant != nil {
		owner = strings.TrimSpace(*r.Body.Tenant)
	}
	switch {
	case !kind.Valid():
		return nil, newProblem(http.StatusUnprocessableEntity, "kind must be device, user, scene, tenant or shelf")
	case strings.TrimSpace(r.Body.Name) == "":
		return nil, newProblem(http.StatusUnprocessableEntity, "name is missing")
	case !isPlatforms(kind) && owner == "":
		return nil, newProblem(http.StatusUnprocessableEntity, "tenant is missing: whose is it?")
	case isPlatforms(kind) && owner != "":
		return nil, newProblem(
			http.StatusUnprocessableEntity,
			fmt.Sprintf("a thing of kind %s belongs to no tenant: leave tenant out", kind),
		)
	}
	out, err := h.Service.Delete(ctx, Kind(kind), owner, strings.TrimSpace(r.Body.Name))
	if err != nil {
		return nil, err
	}
	return wire.Delete200JSONResponse(out.wire()), nil
}

// isPlatforms tells whether things of a kind belong to the platform.
func isPlatforms(kind wire.DeleteRequestKind) bool {
	return kind == wire.DeleteRequestKindTenant || kind == wire.DeleteRequestKindShelf
}

// ResetUser gives a user a new password.
func (h *handler) ResetUser(ctx context.Context, r wire.ResetUserRequestObject) (wire.ResetUserResponseObject, error) {
	if strings.TrimSpace(r.Body.Tenant) == "" || strings.TrimSpace(r.Body.UserName) == "" {
		return nil, newProblem(http.StatusUnprocessableEntity, "tenant and userName are needed")
	}
	password, err := h.Service.ResetUser(ctx, r.Body.Tenant, r.Body.UserName)
	if err != nil {
		return nil, err
	}
	return wire.ResetUser200JSONResponse{Password: password}, nil
}

// Derive computes the derived values of one device's past anew.
func (h *handler) Derive(ctx context.Context, r wire.DeriveRequestObject) (wire.DeriveResponseObject, error) {
	req := DeriveRequest{Tenant: strings.TrimSpace(r.Body.Tenant)}
	if req.Tenant == "" {
		return nil, newProblem(http.StatusUnprocessableEntity, "tenant is missing: whose devices?")
	}
	optional := []struct{ from, to *string }{
		{r.Body.Product, &req.Product}, {r.Body.Device, &req.Device}, {r.Body.After, &req.After},
	}
	for _, given := range optional {
		if given.from != nil {
			*given.to = strings.TrimSpace(*given.from)
		}
	}
	if r.Body.From != nil {
		req.From = r.Body.From.Time
	}
	out, err := h.Service.Derive(ctx, req)
	if err != nil {
		return nil, err
	}
	answer := wire.Derive200JSONResponse{Days: out.Days, Values: out.Values, Left: out.Remaining}
	if out.Device != "" {
		answer.Device = &out.Device
	}
	return answer, nil
}

// Backup answers an archive of all stored data.
func (h *handler) Backup(ctx context.Context, _ wire.BackupRequestObject) (wire.BackupResponseObject, error) {
	archive, bytes, err := h.Service.Backup(ctx)
	if err != nil {
		return nil, err
	}
	if err := audit.Log(ctx, 0, audit.Action{Name: "installation.backup"}); err != nil {
		return nil, errors.Join(err, archive.Close())
	}
	return backupAnswer{wire.Backup200ApplicationxTarResponse{Body: archive, ContentLength: bytes}}, nil
}

// Seed answers an archive of what a node needs to join the cluster.
func (h *handler) Seed(ctx context.Context, _ wire.SeedRequestObject) (wire.SeedResponseObject, error) {
	archive, bytes, err := h.Service.Seed(ctx)
	if err != nil {
		return nil, err
	}
	if err := audit.Log(ctx, 0, audit.Action{Name: "installation.seed"}); err != nil {
		return nil, errors.Join(err, archive.Close())
	}
	return seedAnswer{wire.Seed200ApplicationxTarResponse{Body: archive, ContentLength: bytes}}, nil
}

// ReleaseOutbox releases the mail and SMS that are held since a restore.
func (h *handler) ReleaseOutbox(
	ctx context.Context,
	_ wire.ReleaseOutboxRequestObject,
) (wire.ReleaseOutboxResponseObject, error) {
	var held bool
	var waiting int
	err := h.Service.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) (err error) {
		if held, waiting, err = h.Service.Outbox.Release(ctx); err != nil || !held {
			return err
		}
		return audit.Log(ctx, 0, audit.Action{Name: "installation.release"})
	})
	if err != nil {
		return nil, err
	}
	return wire.ReleaseOutbox200JSONResponse{Held: held, Waiting: waiting}, nil
}

func (r *Result) wire() wire.ApplyResult {
	w := wire.ApplyResult{
		Created: wireItems(r.Created),
		Changed: wireItems(r.Changed),
		Removed: wireItems(r.Removed),
		Left:    r.Unchanged,
	}
	if kept := wireItems(r.Kept); len(kept) > 0 {
		w.Kept = &kept
	}
	return w
}

func wireItems(list []Item) []wire.ApplyItem {
	out := make([]wire.ApplyItem, len(list))
	for i, it := range list {
		out[i] = wire.ApplyItem{Kind: wire.ApplyItemKind(it.Kind), Name: it.Name}
		if it.Tenant != "" {
			out[i].Tenant = &list[i].Tenant
		}
		if it.Secret != "" {
			out[i].Secret = &list[i].Secret
		}
		if len(it.Changes) > 0 {
			out[i].Changes = &list[i].Changes
		}
	}
	return out
}

// badBody distinguishes a body that is too large from one that did not arrive.
func badBody(err error) error {
	if p := toProblem(err); p.status == http.StatusRequestEntityTooLarge {
		return p
	}
	if errors.Is(err, httpbase.ErrNotUTF8) {
		return &problem{status: http.StatusBadRequest, detail: "the body is not UTF-8 text", cause: err}
	}
	return &problem{status: http.StatusBadRequest, detail: "the body or a parameter cannot be read", cause: err}
}

// malformed answers a request that the server could not read.
func (h *handler) malformed(w http.ResponseWriter, r *http.Request, err error) {
	h.fail(w, r, badBody(err))
}

// fail answers err.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) { h.edge.Fail(w, r, err) }

// writeProblem turns an error into its answer. It is the only place that does.
func (h *handler) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	p := toProblem(err)
	// If the server is stopping, the client is to ask again soon; that is no fault.
	httpbase.RequestFrom(r.Context()).SetError(
		p,
		p.status >= http.StatusInternalServerError && !errors.Is(p, errStopping),
	)
	p.write(w)
}
