package oidc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
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
	keys   *keyTransport // for its keys

	turn  chan struct{} // held while its state is read or fetched
	state *discovered   // nil: nothing is known
	tried time.Time     // when it was last asked
	err   error         // why that failed; nil: it did not
}

// discovered is what an issuer says of itself.
type discovered struct {
	keys     *oidc.RemoteKeySet
	unused   *atomic.Int64 // of its keys: how many cannot be used
	metadata metadata
	at       time.Time
}

// metadata are fields of an issuer's discovery document.
type metadata struct {
	AuthorizationEndpoint string
	TokenEndpoint         string
	KeysURI               string
	UserInfoEndpoint      string
	EndSessionEndpoint    string
	Scopes                []string // empty: it does not say
	AuthMethods           []string // likewise
	NamesIssuer           bool
	BackChannelLogout     bool
}

// readMetadata reads a discovery document. What has another type than it should is not there, and
// neither are such entries of lists.
func readMetadata(document Claims) metadata {
	scopes, _ := document.Values("scopes_supported")
	methods, _ := document.Values("token_endpoint_auth_methods_supported")
	return metadata{
		AuthorizationEndpoint: document.Text("authorization_endpoint"),
		TokenEndpoint:         document.Text("token_endpoint"),
		KeysURI:               document.Text("jwks_uri"),
		UserInfoEndpoint:      document.Text("userinfo_endpoint"),
		EndSessionEndpoint:    document.Text("end_session_endpoint"),
		Scopes:                scopes,
		AuthMethods:           methods,
		NamesIssuer:           document.flag("authorization_response_iss_parameter_supported"),
		BackChannelLogout:     document.flag("backchannel_logout_supported"),
	}
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
		i.keys = &keyTransport{next: i.client.Transport, allow: func() bool {
			return c.keyFetches.Allow(address, limit.One).Allowed()
		}}
		c.issuers[address] = i
	}
	return i
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
	body, err := i.get(ctx, "discovery", strings.TrimSuffix(i.url, "/")+"/.well-known/openid-configuration", "")
	if err != nil {
		return nil, err
	}
	var document Claims
	if err := json.Unmarshal(body, &document); err != nil {
		return nil, fmt.Errorf("%w: its discovery document is no JSON object", ErrUnreachable)
	}
	if named := document.Text("issuer"); named != i.url {
		return nil, fmt.Errorf("%w: its discovery document is that of another issuer, %.200q", ErrInvalid, named)
	}
	d := &discovered{metadata: readMetadata(document), unused: &i.keys.unused}
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
	client := *i.client
	client.Transport = i.keys
	d.keys = oidc.NewRemoteKeySet(oidc.ClientContext(ctx, &client), d.metadata.KeysURI)
	return d, nil
}

// get gives what an address of the issuer answers. access is the token of a person about whom it is
// asked; empty: none.
func (i *issuer) get(ctx context.Context, what, address, access string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("%w: %s has no address", ErrInvalid, what)
	}
	r.Header.Set("Accept", "application/json")
	if access != "" {
		r.Header.Set("Authorization", "Bearer "+access)
	}
	resp, err := i.client.Do(r)
	if err != nil {
		return nil, callError(what, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		kind := ErrUnreachable
		if access != "" && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden) {
			kind = ErrRefused
		}
		return nil, fmt.Errorf("%w: %s answers %d", kind, what, resp.StatusCode)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, callError(what, err)
	}
	return body, nil
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
		if len(m.Scopes) == 0 || slices.Contains(m.Scopes, scope) {
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
	if len(m.AuthMethods) > 0 && !slices.Contains(m.AuthMethods, "client_secret_basic") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}
