package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Request is a person's way to the issuer and back.
type Request struct {
	RedirectURL string // where the issuer sends the person back to
	State       string
	Nonce       string
	Verifier    string // of PKCE
}

// NewVerifier makes a random verifier of PKCE.
func NewVerifier() string { return oauth2.GenerateVerifier() }

// Identity is a person as an issuer knows them.
type Identity struct {
	Issuer    string
	Subject   string
	SessionID string // of the issuer's session; empty: it names none
	Claims    Claims
	Tokens    Tokens
}

// Tokens are what the issuer gave for later calls; each may be empty. They are secret.
type Tokens struct {
	Refresh string `json:"refresh,omitempty"`
	Access  string `json:"access,omitempty"`
	ID      string `json:"id,omitempty"`
}

func (d *discovered) config(c Connection, redirectURL string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, RedirectURL: redirectURL, Scopes: d.metadata.scopes(),
		Endpoint: oauth2.Endpoint{
			AuthURL: d.metadata.AuthorizationEndpoint, TokenURL: d.metadata.TokenEndpoint,
			AuthStyle: d.metadata.authStyle(),
		},
	}
}

// AuthURL gives the address at the issuer where a person signs in.
func (c *Client) AuthURL(ctx context.Context, conn Connection, r Request) (string, error) {
	d, _, err := c.discover(ctx, conn.Issuer)
	if err != nil {
		return "", err
	}
	return d.config(conn, r.RedirectURL).AuthCodeURL(
		r.State, oidc.Nonce(r.Nonce), oauth2.S256ChallengeOption(r.Verifier),
	), nil
}

// CheckResponse refuses the response of another issuer than the one that was asked. named is the
// response's iss, empty if it has none.
func (c *Client) CheckResponse(ctx context.Context, conn Connection, named string) error {
	d, _, err := c.discover(ctx, conn.Issuer)
	if err != nil {
		return err
	}
	if named != "" && named != conn.Issuer || named == "" && d.metadata.NamesIssuer {
		return fmt.Errorf("%w: it is the response of another issuer", ErrInvalid)
	}
	return nil
}

// Exchange gives the person whom a code stands for. r is the request that the code answers.
func (c *Client) Exchange(ctx context.Context, conn Connection, code string, r Request) (*Identity, error) {
	d, i, err := c.discover(ctx, conn.Issuer)
	if err != nil {
		return nil, err
	}
	token, err := d.config(conn, r.RedirectURL).Exchange(
		oidc.ClientContext(ctx, i.client), code, oauth2.VerifierOption(r.Verifier),
	)
	if err != nil {
		return nil, callError("token endpoint", err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return nil, fmt.Errorf("%w: it gave no ID token", ErrInvalid)
	}
	id, nonce, err := c.verify(ctx, d, conn, raw)
	if err != nil {
		return nil, err
	}
	if nonce != r.Nonce {
		return nil, fmt.Errorf("%w: its ID token answers another request", ErrInvalid)
	}
	id.Tokens = Tokens{Refresh: token.RefreshToken, Access: token.AccessToken, ID: raw}
	return id, nil
}

// Refresh asks the issuer with a refresh token whether the person may still sign in. The identity
// has claims if the issuer gave a new ID token.
func (c *Client) Refresh(ctx context.Context, conn Connection, subject string, tokens Tokens) (*Identity, error) {
	d, i, err := c.discover(ctx, conn.Issuer)
	if err != nil {
		return nil, err
	}
	source := d.config(conn, "").TokenSource(
		oidc.ClientContext(ctx, i.client), &oauth2.Token{RefreshToken: tokens.Refresh},
	)
	token, err := source.Token()
	if err != nil {
		return nil, callError("token endpoint", err)
	}
	id := &Identity{Issuer: conn.Issuer, Subject: subject}
	raw, _ := token.Extra("id_token").(string)
	if raw != "" {
		if id, _, err = c.verify(ctx, d, conn, raw); err != nil {
			return nil, err
		}
		if id.Subject != subject {
			return nil, fmt.Errorf("%w: its new ID token is another person's", ErrInvalid)
		}
		tokens.ID = raw
	}
	id.Tokens = Tokens{Refresh: token.RefreshToken, Access: token.AccessToken, ID: tokens.ID}
	return id, nil
}

// UserInfo asks the issuer for more claims of a person, and adds those that the identity lacks. It
// does nothing if the issuer offers none.
func (c *Client) UserInfo(ctx context.Context, conn Connection, id *Identity) error {
	d, i, err := c.discover(ctx, conn.Issuer)
	if err != nil || d.metadata.UserInfoEndpoint == "" {
		return err
	}
	body, err := i.get(ctx, "userinfo", d.metadata.UserInfoEndpoint, id.Tokens.Access)
	if err != nil {
		return err
	}
	var claims Claims
	if err := json.Unmarshal(body, &claims); err != nil {
		return fmt.Errorf("%w: userinfo is no JSON object", ErrInvalid)
	}
	if claims.Text("sub") != id.Subject {
		return fmt.Errorf("%w: its userinfo is another person's", ErrInvalid)
	}
	if id.Claims == nil {
		id.Claims = Claims{}
	}
	for name, value := range claims {
		if _, has := id.Claims[name]; !has {
			id.Claims[name] = value
		}
	}
	return nil
}

// HasUserInfo tells whether the issuer offers more claims.
func (c *Client) HasUserInfo(ctx context.Context, conn Connection) (bool, error) {
	d, _, err := c.discover(ctx, conn.Issuer)
	return err == nil && d.metadata.UserInfoEndpoint != "", err
}

// verify checks an ID token and gives the person with the token's nonce.
func (c *Client) verify(
	ctx context.Context,
	d *discovered,
	conn Connection,
	raw string,
) (*Identity, string, error) {
	keys := &observedKeys{discovered: d}
	token, err := oidc.NewVerifier(conn.Issuer, keys, &oidc.Config{
		ClientID: conn.ClientID, SupportedSigningAlgs: asymmetric,
		SkipExpiryCheck: true, // checkTimes allows for MaxClockSkew
	}).Verify(ctx, raw)
	if err != nil {
		return nil, "", keys.explain("ID token", conn)
	}
	claims := keys.claims
	azp, hasAzp := claims["azp"]
	switch {
	case token.Issuer != conn.Issuer: // the library lets an alias of Google's pass
		return nil, "", fmt.Errorf("%w: its ID token names another issuer", ErrInvalid)
	case (hasAzp || len(token.Audience) > 1) && azp != conn.ClientID:
		return nil, "", fmt.Errorf("%w: its ID token is for another client", ErrInvalid)
	case token.Subject == "" || len(token.Subject) > maxClaimLength:
		return nil, "", fmt.Errorf("%w: its ID token has no usable subject", ErrInvalid)
	case token.IssuedAt.IsZero() || token.Expiry.IsZero():
		return nil, "", fmt.Errorf("%w: its ID token has no times", ErrInvalid)
	}
	var notBefore time.Time
	if seconds, ok := claims["nbf"].(float64); ok {
		notBefore = time.Unix(int64(seconds), 0)
	}
	if err := c.checkTimes(token.Expiry, token.IssuedAt, notBefore); err != nil {
		return nil, "", err
	}
	id := &Identity{Issuer: token.Issuer, Subject: token.Subject, Claims: claims}
	if sid := claims.Text("sid"); len(sid) <= maxClaimLength {
		id.SessionID = sid
	}
	return id, token.Nonce, nil
}

// checkTimes refuses a token that has expired, or comes from the future. How old it is says nothing:
// some issuers date their tokens back.
func (c *Client) checkTimes(expiry time.Time, begins ...time.Time) error {
	now := c.Now()
	late := now.Add(-MaxClockSkew)
	if expiry.Before(late) || slices.ContainsFunc(begins, now.Add(MaxClockSkew).Before) {
		return fmt.Errorf("%w: the token is valid from %s to %s, and it is %s here", ErrClock,
			begins[0].UTC().Format(time.RFC3339), expiry.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	return nil
}

// observedKeys are an issuer's keys that remember what the library does not pass on: why a signature
// was not verified, and all claims.
type observedKeys struct {
	*discovered
	err    error
	claims Claims // of a token whose signature holds
}

// VerifySignature implements oidc.KeySet.
func (o *observedKeys) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	var payload []byte
	if payload, o.err = o.keys.VerifySignature(ctx, jwt); o.err != nil {
		return nil, o.err
	}
	if err := json.Unmarshal(payload, &o.claims); err != nil {
		return nil, err
	}
	return json.Marshal(o.claims.forLibrary())
}

// forLibrary gives the claims without what makes the library refuse all of them: entries of the
// audience that are no texts, and claims that the issuer keeps elsewhere, which nobody here fetches.
func (c Claims) forLibrary() Claims {
	reduced := maps.Clone(c)
	delete(reduced, "_claim_names")
	delete(reduced, "_claim_sources")
	if audience, isList := c["aud"].([]any); isList {
		reduced["aud"] = slices.DeleteFunc(slices.Clone(audience), func(entry any) bool {
			_, isText := entry.(string)
			return !isText
		})
	}
	return reduced
}

// explain says why a token for a client was refused.
func (o *observedKeys) explain(what string, conn Connection) error {
	switch audience := valuesOf(o.claims["aud"]); {
	case o.err != nil && isNetwork(o.err):
		return callError("jwks_uri", o.err)
	case o.err != nil && o.unused.Load() > 0:
		return fmt.Errorf("%w: its %s is not signed with one of its keys, of which %d cannot be used", ErrInvalid,
			what, o.unused.Load())
	case o.err != nil:
		return fmt.Errorf("%w: its %s is not signed with one of its keys", ErrInvalid, what)
	case o.claims == nil:
		return fmt.Errorf("%w: its %s has a wrong form or algorithm", ErrInvalid, what)
	case o.claims.Text("iss") != conn.Issuer:
		return fmt.Errorf("%w: its %s names another issuer", ErrInvalid, what)
	case conn.ClientID != "" && !slices.Contains(audience, conn.ClientID):
		return fmt.Errorf("%w: its %s is for another client", ErrInvalid, what)
	}
	return fmt.Errorf("%w: its %s lacks a claim, or has one that it must not have", ErrInvalid, what)
}

func isNetwork(err error) bool {
	_, is := errors.AsType[*url.Error](err)
	return is || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// errorCode matches the error codes of OAuth 2 and of its extensions.
var errorCode = regexp.MustCompile(`^[a-z_]{1,60}$`)

// refusals are the error codes that concern the person; others mean that the server is not set up
// or does not work.
var refusals = []string{
	"invalid_grant", "access_denied", "interaction_required", "login_required", "consent_required",
	"account_selection_required",
}

// callError says what went wrong with a call, without what the issuer answered: that may hold
// tokens.
func callError(what string, err error) error {
	if refusal, is := errors.AsType[*oauth2.RetrieveError](err); is {
		kind, code := ErrUnreachable, refusal.ErrorCode
		if slices.Contains(refusals, code) {
			kind = ErrRefused
		}
		if !errorCode.MatchString(code) {
			code = "without an error code"
		}
		return fmt.Errorf("%w: %s answers %d %s", kind, what, refusal.Response.StatusCode, code)
	}
	if broken, is := errors.AsType[*url.Error](err); is {
		return fmt.Errorf("%w: %s: %w", ErrUnreachable, what, broken.Err)
	}
	for _, known := range []error{errTooLarge, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return fmt.Errorf("%w: %s: %w", ErrUnreachable, what, known)
		}
	}
	return fmt.Errorf("%w: %s does not answer as OpenID Connect says", ErrUnreachable, what)
}
