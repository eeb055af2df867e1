package console

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
	"tilth/internal/edge/httpbase"
)

// backChannelPath is where issuers say that their sessions have ended; maxLogoutBody limits the
// body, in bytes.
const (
	backChannelPath = "/auth/oidc/backchannel-logout"
	maxLogoutBody   = 32 << 10
)

// signOnMux adds what browsers and issuers call without the envelope.
func (s *server) signOnMux(mux *http.ServeMux) {
	mux.HandleFunc("GET "+identity.SignOnStartPath, s.startSignOn)
	mux.HandleFunc("GET "+identity.SignOnCallbackPath, s.answerSignOn)
	backChannel := http.NewServeMux() // refuses other methods, which would get the console's page
	backChannel.HandleFunc("POST "+backChannelPath, s.endSignOnSessions)
	mux.Handle(backChannelPath, backChannel)
}

// startSignOn leads a browser to the tenant's issuer.
func (s *server) startSignOn(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	address, why := s.SignOn.Start(s.auditContext(r), identity.SignOnStart{
		TenantName: q.Get("tenant"), Binding: q.Get("binding"), ReturnPath: q.Get("return"),
		Origin: s.clientOrigin(r), Address: requestFrom(r.Context()).Address,
	})
	if why != "" {
		address = failedSignOn(why)
	}
	redirect(w, address)
}

// answerSignOn takes what an issuer sends back with the browser. What follows the # is not sent to
// any server.
func (s *server) answerSignOn(w http.ResponseWriter, r *http.Request) {
	if s.allowPublic("answerOidc", requestFrom(r.Context()).Address) > 0 {
		redirect(w, failedSignOn(s.SignOn.RefuseCall("callback")))
		return
	}
	q := r.URL.Query()
	ticket, path, why := s.SignOn.Callback(s.auditContext(r), identity.SignOnResponse{
		State: q.Get("state"), Code: q.Get("code"), Error: q.Get("error"), Issuer: q.Get("iss"),
	})
	if why != "" {
		redirect(w, failedSignOn(why))
		return
	}
	address := identity.SignInPath + "#ticket=" + ticket
	if path != "" {
		address += "&return=" + url.QueryEscape(path)
	}
	redirect(w, address)
}

func failedSignOn(why identity.SignOnFailure) string {
	return identity.SignInPath + "#oidc=" + string(why)
}

// redirect leads a browser to an address that may hold a secret.
func redirect(w http.ResponseWriter, address string) {
	h := w.Header()
	h.Set("Location", address)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusFound)
}

// endSignOnSessions takes an issuer's logout token.
func (s *server) endSignOnSessions(w http.ResponseWriter, r *http.Request) {
	if s.allowPublic("endOidcSessions", requestFrom(r.Context()).Address) > 0 {
		s.SignOn.RefuseCall("back-channel logout")
		writePlain(w, http.StatusTooManyRequests, "too many requests")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxLogoutBody)
	if err := s.SignOn.BackChannelLogout(s.auditContext(r), r.PostFormValue("logout_token")); err != nil {
		writePlain(w, http.StatusBadRequest, "the logout token is not valid")
		return
	}
	writePlain(w, http.StatusOK, "ok")
}

func (s *server) auditContext(r *http.Request) context.Context {
	return s.Audit.NewContext(r.Context(), s.actor(requestFrom(r.Context())))
}

// GetSignInWays answers how the people of a tenant sign in.
func (s *server) GetSignInWays(
	ctx context.Context,
	r wire.GetSignInWaysRequestObject,
) (wire.GetSignInWaysResponseObject, error) {
	way, err := s.SignOn.Way(ctx, strings.TrimSpace(r.Params.TenantName), s.callOrigin(ctx))
	if err != nil {
		return nil, err
	}
	ways := &wire.SignInWays{Password: true}
	if way != nil {
		ways.Oidc = &wire.OidcWay{Name: way.Name, StartUrl: way.StartURL}
	}
	return wire.GetSignInWays200JSONResponse{Code: success, Data: ways}, nil
}

// OpenOidcSession exchanges a ticket for a session.
func (s *server) OpenOidcSession(
	ctx context.Context,
	r wire.OpenOidcSessionRequestObject,
) (wire.OpenOidcSessionResponseObject, error) {
	pair, err := s.SignOn.OpenSession(ctx, r.Body.Ticket, r.Body.Binding, requestFrom(ctx).Address)
	if err != nil {
		return nil, err
	}
	return wire.OpenOidcSession200JSONResponse{Code: success, Data: wireSession(pair)}, nil
}

// OidcLogout ends the session of the presented token.
func (s *server) OidcLogout(
	ctx context.Context,
	_ wire.OidcLogoutRequestObject,
) (wire.OidcLogoutResponseObject, error) {
	address, err := s.SignOn.Logout(ctx, caller(ctx), s.callOrigin(ctx))
	if err != nil {
		return nil, err
	}
	return wire.OidcLogout200JSONResponse{
		Code: success, Data: &wire.OidcLogout{Url: omitEmpty(address)},
	}, nil
}

// LinkOidc begins to link the signed-in user's account at the tenant's issuer.
func (s *server) LinkOidc(ctx context.Context, r wire.LinkOidcRequestObject) (wire.LinkOidcResponseObject, error) {
	address, err := s.SignOn.Link(ctx, caller(ctx), identity.SignOnStart{
		Binding: r.Body.Binding, ReturnPath: deref(r.Body.Return), Origin: s.callOrigin(ctx),
		Address: requestFrom(ctx).Address,
	})
	if err != nil {
		return nil, err
	}
	return wire.LinkOidc200JSONResponse{Code: success, Data: &wire.OidcRedirect{Url: address}}, nil
}

// callOrigin returns the origin that a call asks for.
func (s *server) callOrigin(ctx context.Context) string {
	r := requestFrom(ctx).HTTPRequest
	if r == nil { // outside a call
		return ""
	}
	return s.clientOrigin(r)
}

func (s *server) clientOrigin(r *http.Request) string {
	return httpbase.ClientScheme(r, s.Proxies) + "://" + httpbase.ClientHost(r, s.Proxies)
}

// userSignOn returns the tenant's issuer and whether the caller has an account there; nil: the tenant
// has none.
func (s *server) userSignOn(ctx context.Context) (*wire.UserOidc, error) {
	name, linked, err := s.SignOn.IsLinked(ctx, caller(ctx).Tenant, caller(ctx).User)
	if err != nil || name == "" {
		return nil, err
	}
	return &wire.UserOidc{Name: name, Linked: linked}, nil
}
