package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"tilth/internal/platform/limit"
)

const (
	// discoveryLife is how long the answer of a discovery serves; discoveryPause, how long a failed
	// one is not tried again.
	discoveryLife  = time.Hour
	discoveryPause = 10 * time.Second
	// The keys of an issuer are fetched when a token names an unknown one, which anybody can send.
	keyFetchEvery = 10 * time.Second
	keyFetchBurst = 6
	// maxIssuers is more than any installation has.
	maxIssuers = 10_000
)

// issuer is what is known of one issuer.
type issuer struct {
	url    string
	client *http.Client
	keys   *http.Client // for its keys

	turn  chan struct{} // held while its state is read or fetched
	state *discovered   // nil: nothing is known
	tried time.Time     // when it was last asked
	err   error         // why that failed; nil: it did not
}

// discovered is what an issuer says of itself.
type discovered struct {
	provider *oidc.Provider
	keys     oidc.KeySet
	metadata metadata
	at       time.Time
}

// metadata are fields of an issuer's discovery document.
type metadata struct {
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	KeysURI               string   `json:"jwks_uri"`
	UserInfoEndpoint      string   `json:"userinfo_endpoint"`
	EndSessionEndpoint    string   `json:"end_session_endpoint"`
	Scopes                []string `json:"scopes_supported"`
	AuthMethods           []string `json:"token_endpoint_auth_methods_supported"`
	NamesIssuer           bool     `json:"authorization_response_iss_parameter_supported"`
	BackChannelLogout     bool     `json:"backchannel_logout_supported"`
}

func (c *Client) issuer(address string) *issuer {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.issuers[address]
	if i == nil {
		if len(c.issuers) >= maxIssuers {
			clear(c.issuers)
		}
		i = &issuer{url: address, client: c.newHTTPClient(address), turn: make(chan struct{}, 1)}
		keys := *i.client
		keys.Transport = &pacedTransport{i.client.Transport, func() bool {
			return c.keyFetches.Allow(address, limit.One).Allowed()
		}}
		i.keys = &keys
		c.issuers[address] = i
	}
	return i
}

// pacedTransport refuses calls while allow says no.
type pacedTransport struct {
	next  http.RoundTripper
	allow func() bool
}

// errPaced is the error of a call that came too soon after others.
var errPaced = errors.New("its keys were fetched a moment ago")

// RoundTrip implements http.RoundTripper.
func (p *pacedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !p.allow() {
		return nil, errPaced
	}
	return p.next.RoundTrip(r)
}

// discover gives what the issuer says of itself. Only one caller asks it, and others wait for the
// answer. What was known stays in use while the issuer does not answer.
func (c *Client) discover(ctx context.Context, address string) (*discovered, *issuer, error) {
	i := c.issuer(address)
	if ctx.Err() != nil { // the caller has left, and the issuer is not asked for nobody
		return nil, i, ctx.Err()
	}
	select {
	case i.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, i, ctx.Err()
	}
	defer func() { <-i.turn }()
	now := c.Now()
	fresh := i.state != nil && now.Sub(i.state.at) < discoveryLife && !now.Before(i.state.at)
	pausing := i.err != nil && now.Sub(i.tried) < discoveryPause && !now.Before(i.tried)
	if !fresh && !pausing {
		// Others wait for the answer, too, so it does not end with the call that asked for it.
		state, err := i.fetch(context.WithoutCancel(ctx))
		i.tried, i.err = now, err
		if err == nil {
			state.at = now
			i.state = state
		}
	}
	if i.state == nil {
		return nil, i, i.err
	}
	return i.state, i, nil
}

func (i *issuer) fetch(ctx context.Context) (*discovered, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, i.client), i.url)
	if mismatch, is := errors.AsType[*oidc.IssuerMismatchError](err); is {
		return nil, fmt.Errorf("%w: its discovery document is that of another issuer, %.200q", ErrInvalid,
			mismatch.Discovered)
	}
	if err != nil {
		return nil, callError("discovery", err)
	}
	d := &discovered{provider: provider}
	if err := provider.Claims(&d.metadata); err != nil {
		return nil, fmt.Errorf("%w: its discovery document has fields of a wrong type", ErrInvalid)
	}
	for name, address := range map[string]string{
		"authorization_endpoint": d.metadata.AuthorizationEndpoint, "token_endpoint": d.metadata.TokenEndpoint,
		"jwks_uri": d.metadata.KeysURI,
	} {
		if !i.mayName(address) {
			return nil, fmt.Errorf("%w: %s of its discovery document is no https address", ErrInvalid, name)
		}
	}
	for _, optional := range []*string{&d.metadata.UserInfoEndpoint, &d.metadata.EndSessionEndpoint} {
		if !i.mayName(*optional) {
			*optional = ""
		}
	}
	d.keys = oidc.NewRemoteKeySet(oidc.ClientContext(ctx, i.keys), d.metadata.KeysURI)
	return d, nil
}

// mayName tells whether the issuer's document may name an address: https, or http on this machine
// if the issuer is such an address.
func (i *issuer) mayName(address string) bool {
	u, err := url.Parse(address)
	own, ownErr := url.Parse(i.url)
	return err == nil && ownErr == nil && u.Host != "" && u.User == nil &&
		(u.Scheme == schemeSecure || u.Scheme == own.Scheme && isLoopback(u.Hostname()))
}

// scopes are those that Tilth asks for, of those that the issuer offers. An issuer that tells when
// its sessions end gives refresh tokens that end with them; of others Tilth asks for offline_access,
// without which they give none.
func (m *metadata) scopes() []string {
	scopes := []string{oidc.ScopeOpenID}
	for _, scope := range []string{"profile", "email"} {
		if m.Scopes == nil || slices.Contains(m.Scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	if !m.BackChannelLogout && slices.Contains(m.Scopes, oidc.ScopeOfflineAccess) {
		scopes = append(scopes, oidc.ScopeOfflineAccess)
	}
	return scopes
}

// authStyle is how the client shows its secret: in the header, unless the issuer wants it in the
// form alone.
func (m *metadata) authStyle() oauth2.AuthStyle {
	if m.AuthMethods != nil && !slices.Contains(m.AuthMethods, "client_secret_basic") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}
