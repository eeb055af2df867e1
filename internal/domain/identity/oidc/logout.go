package oidc

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// maxLogoutToken limits a logout token, in bytes, and maxLogoutLife how far ahead it may expire: so
// long its id is remembered.
const (
	maxLogoutToken = 16 << 10
	maxLogoutLife  = 24 * time.Hour
)

// Logout is what an issuer says in a logout token: sessions of a person have ended.
type Logout struct {
	Issuer    string
	Audience  []string // clients of the issuer
	ID        string   // of the token; one that came before is refused by the caller
	Subject   string   // empty: SessionID alone counts
	SessionID string   // empty: all sessions of Subject
	Expires   time.Time
}

// LogoutIssuer gives the issuer that a logout token names, before anything of it is checked; empty:
// it is no token.
func LogoutIssuer(raw string) string {
	parts := strings.Split(raw, ".")
	if len(raw) > maxLogoutToken || len(parts) != 3 {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var claims struct {
		Issuer string `json:"iss"`
	}
	if json.Unmarshal(payload, &claims) != nil {
		return ""
	}
	return claims.Issuer
}

// VerifyLogout checks a logout token of an issuer. The caller checks for which client it is.
func (c *Client) VerifyLogout(ctx context.Context, issuerURL, raw string) (*Logout, error) {
	if len(raw) > maxLogoutToken {
		return nil, fmt.Errorf("%w: its logout token is too long", ErrInvalid)
	}
	d, _, err := c.discover(ctx, issuerURL)
	if err != nil {
		return nil, err
	}
	keys := &observedKeys{discovered: d}
	token, err := oidc.NewVerifier(issuerURL, keys, &oidc.Config{
		SkipClientIDCheck: true, SupportedSigningAlgs: asymmetric, SkipExpiryCheck: true,
	}).VerifyLogout(ctx, raw)
	if err != nil {
		return nil, keys.explain("logout token", Connection{Issuer: issuerURL})
	}
	if err := c.checkTimes(token.Expiry, token.IssuedAt); err != nil {
		return nil, err
	}
	if token.Expiry.After(c.Now().Add(maxLogoutLife)) || len(token.TokenID) > maxClaimLength {
		return nil, fmt.Errorf("%w: its logout token is valid for too long, or has too long an id", ErrInvalid)
	}
	return &Logout{
		Issuer: token.Issuer, Audience: token.Audience, ID: token.TokenID, Subject: token.Subject,
		SessionID: token.SessionID, Expires: token.Expiry.Add(MaxClockSkew),
	}, nil
}

// EndSessionURL gives the address at which a person ends the issuer's session and comes back to
// returnURL; empty: the issuer has none.
func (c *Client) EndSessionURL(ctx context.Context, conn Connection, idToken, returnURL string) (string, error) {
	d, _, err := c.discover(ctx, conn.Issuer)
	if err != nil || d.metadata.EndSessionEndpoint == "" {
		return "", err
	}
	u, err := url.Parse(d.metadata.EndSessionEndpoint)
	if err != nil {
		return "", fmt.Errorf("%w: end_session_endpoint is no address", ErrInvalid)
	}
	query := u.Query()
	query.Set("client_id", conn.ClientID)
	if idToken != "" {
		query.Set("id_token_hint", idToken)
	}
	if returnURL != "" {
		query.Set("post_logout_redirect_uri", returnURL)
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}
