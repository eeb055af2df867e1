package testkit

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/identity/oidc"

	"github.com/go-jose/go-jose/v4"
)

// Claims are the claims of a token.
type Claims = map[string]any

// Issuer is an issuer of OpenID Connect on this machine that signs with its own keys. Tests change
// how it behaves by its fields, before they use what they changed.
type Issuer struct {
	URL                    string
	ClientID, ClientSecret string

	mu sync.Mutex
	// Person are the claims of whoever signs in next; sub is among them.
	person Claims
	// Mend changes an ID token before it is signed; nil: nothing.
	mend func(Claims)
	// Sign signs a token in another way than with the current key; nil: no other way.
	sign func(Claims) string
	// Answer answers a call of a path in place of the issuer; nil: the issuer answers.
	answer func(w http.ResponseWriter, r *http.Request) bool

	key   jose.JSONWebKey
	codes map[string]code
	now   func() time.Time
	calls map[string]int
	valid map[string]bool // refresh and access tokens
}

type code struct{ nonce, challenge, redirect string }

// NewIssuer starts an issuer with a client; now is its clock.
func NewIssuer(t testing.TB, now func() time.Time) *Issuer {
	t.Helper()
	i := &Issuer{
		ClientID: "tilth", ClientSecret: "the client's secret", codes: map[string]code{}, now: now,
		calls: map[string]int{}, valid: map[string]bool{},
	}
	i.RotateKey(t)
	server := httptest.NewServer(i.handler())
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

// RotateKey replaces the key with which the issuer signs; the old one is gone.
func (i *Issuer) RotateKey(t testing.TB) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.key = jose.JSONWebKey{Key: key, KeyID: rand.Text(), Algorithm: string(jose.RS256), Use: "sig"}
}

// SetPerson sets the claims of whoever signs in or is asked about next.
func (i *Issuer) SetPerson(c Claims) { i.mu.Lock(); defer i.mu.Unlock(); i.person = c }

// SetMend sets what changes ID tokens before they are signed.
func (i *Issuer) SetMend(mend func(Claims)) { i.mu.Lock(); defer i.mu.Unlock(); i.mend = mend }

// SetSign sets another way to sign.
func (i *Issuer) SetSign(sign func(Claims) string) { i.mu.Lock(); defer i.mu.Unlock(); i.sign = sign }

// SetClock sets the issuer's clock.
func (i *Issuer) SetClock(now func() time.Time) { i.mu.Lock(); defer i.mu.Unlock(); i.now = now }

// SetAnswer sets who answers in place of the issuer, if it returns true.
func (i *Issuer) SetAnswer(answer func(w http.ResponseWriter, r *http.Request) bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.answer = answer
}

// Calls tells how often a path was called.
func (i *Issuer) Calls(path string) int { i.mu.Lock(); defer i.mu.Unlock(); return i.calls[path] }

// Revoke makes all refresh and access tokens invalid.
func (i *Issuer) Revoke() { i.mu.Lock(); defer i.mu.Unlock(); clear(i.valid) }

// SignIn is what a person does at the issuer: it takes the address to which a browser was sent, and
// gives the one to which the issuer sends it back.
func (i *Issuer) SignIn(t testing.TB, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if q.Get("client_id") != i.ClientID || q.Get("response_type") != "code" ||
		q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" {
		t.Fatalf("the issuer is asked with %v", q)
	}
	c := rand.Text()
	i.mu.Lock()
	i.codes[c] = code{q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri")}
	i.mu.Unlock()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil {
		t.Fatal(err)
	}
	back.RawQuery = url.Values{"state": {q.Get("state")}, "code": {c}, "iss": {i.URL}}.Encode()
	return back
}

// Token signs claims with the issuer's key, or as SetSign says.
func (i *Issuer) Token(t testing.TB, c Claims) string {
	t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.token(c)
}

// LogoutToken signs a logout token; more are claims beside those that it always has, or in place of
// them.
func (i *Issuer) LogoutToken(t testing.TB, more Claims) string {
	t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	c := Claims{
		"iss": i.URL, "aud": i.ClientID, "iat": i.now().Unix(), "exp": i.now().Add(2 * time.Minute).Unix(),
		"jti": rand.Text(), "events": Claims{"http://schemas.openid.net/event/backchannel-logout": Claims{}},
	}
	for name, value := range more {
		c[name] = value
	}
	return i.token(c)
}

func (i *Issuer) token(c Claims) string {
	if i.sign != nil {
		return i.sign(c)
	}
	return Sign(jose.RS256, i.key, c)
}

// Sign makes a signed token of claims.
func Sign(algorithm jose.SignatureAlgorithm, key any, c Claims) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, nil)
	if err != nil {
		panic(err)
	}
	payload, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		panic(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return text
}

func (i *Issuer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, Claims{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/auth", "token_endpoint": i.URL + "/token",
			"jwks_uri": i.URL + "/jwks", "userinfo_endpoint": i.URL + "/userinfo",
			"end_session_endpoint": i.URL + "/end", "backchannel_logout_supported": true,
			"authorization_response_iss_parameter_supported": true,
		})
	})
	mux.HandleFunc("GET /jwks", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{i.key.Public()}})
	})
	mux.HandleFunc("POST /token", i.serveToken)
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, r *http.Request) {
		if !i.valid[r.Header.Get("Authorization")] {
			writeJSON(w, http.StatusUnauthorized, Claims{"error": "invalid_token"})
			return
		}
		writeJSON(w, http.StatusOK, i.person)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.calls[r.URL.Path]++
		if i.answer != nil && i.answer(w, r) {
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (i *Issuer) serveToken(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	secret, err := url.QueryUnescape(secret)
	if id != i.ClientID || secret != i.ClientSecret || err != nil {
		writeJSON(w, http.StatusUnauthorized, Claims{"error": "invalid_client"})
		return
	}
	nonce := ""
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		given := r.PostFormValue("code")
		c, ok := i.codes[given]
		delete(i.codes, given)
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if !ok || c.redirect != r.PostFormValue("redirect_uri") ||
			c.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
			writeJSON(w, http.StatusBadRequest, Claims{"error": "invalid_grant"})
			return
		}
		nonce = c.nonce
	case "refresh_token":
		given := r.PostFormValue("refresh_token")
		if !i.valid[given] {
			writeJSON(w, http.StatusBadRequest, Claims{"error": "invalid_grant"})
			return
		}
		delete(i.valid, given) // each holds once
	}
	access, refresh := rand.Text(), rand.Text()
	i.valid["Bearer "+access], i.valid[refresh] = true, true
	c := Claims{"iss": i.URL, "aud": i.ClientID, "iat": i.now().Unix(), "exp": i.now().Add(5 * time.Minute).Unix()}
	if nonce != "" {
		c["nonce"] = nonce
	}
	for name, value := range i.person {
		c[name] = value
	}
	if i.mend != nil {
		i.mend(c)
	}
	answer := Claims{"access_token": access, "token_type": "Bearer", "refresh_token": refresh, "id_token": i.token(c)}
	if c["no_refresh_token"] != nil {
		delete(answer, "refresh_token")
	}
	writeJSON(w, http.StatusOK, answer)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may have gone
}

// Connection gives the connection of a tenant to the issuer.
func (i *Issuer) Connection() *identity.Connection {
	return &identity.Connection{
		Connection: oidc.Connection{Issuer: i.URL, ClientID: i.ClientID, ClientSecret: i.ClientSecret},
	}
}
