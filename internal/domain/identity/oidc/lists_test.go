package oidc_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"tilth/internal/domain/identity/oidc"
	"tilth/internal/tools/testkit"
)

// fetched gives what an issuer answers at a path.
func fetched[T any](t *testing.T, i *testkit.Issuer, path string) (answer T) {
	t.Helper()
	resp, err := http.Get(i.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// ownKey gives the key of an issuer as its list has it.
func ownKey(t *testing.T, i *testkit.Issuer) string {
	t.Helper()
	return string(fetched[struct{ Keys []json.RawMessage }](t, i, "/jwks").Keys[0])
}

// answers makes an issuer answer a path with a text.
func answers(i *testkit.Issuer, path string, status int, body string) {
	i.SetAnswer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != path {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	})
}

func keyList(keys ...string) string { return `{"keys": [` + strings.Join(keys, ", ") + `]}` }

// logout has a client check a new logout token of an issuer, with one of its keys.
func logout(t *testing.T, c *oidc.Client, i *testkit.Issuer) error {
	t.Helper()
	_, err := c.VerifyLogout(t.Context(), i.URL, i.LogoutToken(t, testkit.Claims{"sub": "sub-ada"}))
	return err
}

// One key that cannot be read spoils no list (RFC 7517, section 5).
func TestKeysThatCannotBeUsed(t *testing.T) {
	i := testkit.NewIssuer(t, time.Now)
	good := ownKey(t, i)
	const x, y = `"x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"`, `"y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"`
	with := func(members string) string { return strings.Replace(good, "{", "{"+members+", ", 1) }
	for name, bad := range map[string]string{
		"secp256k1":                  `{"kty": "EC", "crv": "secp256k1", "use": "sig", ` + x + `, ` + y + `}`,
		"secp256k1 with ES256K":      `{"kty": "EC", "crv": "secp256k1", "alg": "ES256K", ` + x + `, ` + y + `}`,
		"a point beside the curve":   `{"kty": "EC", "crv": "P-256", ` + x + `, "y` + x[2:] + `}`,
		"X25519":                     `{"kty": "OKP", "crv": "X25519", ` + x + `}`,
		"Ed448":                      `{"kty": "OKP", "crv": "Ed448", ` + x + `}`,
		"another type":               `{"kty": "AKP", "alg": "ML-DSA-44", "pub": "AAAA"}`,
		"another type without alg":   `{"kty": "AKP", "pub": "AAAA"}`,
		"no type":                    `{"kid": "a", "use": "sig"}`,
		"a type that is no text":     `{"kty": 5}`,
		"no modulus":                 `{"kty": "RSA", "e": "AQAB"}`,
		"no exponent":                `{"kty": "RSA", "n": "AQAB"}`,
		"a modulus of other letters": `{"kty": "RSA", "n": "#!", "e": "AQAB"}`,
		"no coordinates":             `{"kty": "EC", "crv": "P-256"}`,
		"an unreadable certificate":  with(`"x5c": ["AAAA"]`),
		"a certificate as a text":    with(`"x5c": "AAAA"`),
		"an unreadable thumbprint":   with(`"x5t": "AAAA"`),
		"a member twice":             with(`"kty": "RSA"`),
		"a kid that is a number":     strings.Replace(good, `"kid":"`, `"kid":5, "was":"`, 1),
		"an alg that is a list":      strings.Replace(good, `"alg":"RS256"`, `"alg":["RS256"]`, 1),
		"an ALG beside it":           `{"kty": "AKP", "ALG": 5}`,
		"for encryption":             strings.Replace(good, `"RS256"`, `"RSA-OAEP"`, 1),
		"a shared secret":            `{"kty": "oct", "k": "AAAA"}`,
		"a number":                   `5`, "a text": `"RSA"`, "a list": `[]`, "nothing": `null`, "an empty object": `{}`,
	} {
		if strings.Contains(bad, good) {
			t.Fatalf("%s: it is the good key", name)
		}
		for place, list := range map[string]string{
			"first": keyList(bad, good), "last": keyList(good, bad), "around": keyList(bad, bad, good, bad),
		} {
			answers(i, "/jwks", http.StatusOK, list)
			if err := logout(t, newClient(onlyHere), i); err != nil {
				t.Errorf("%s %s: %v", name, place, err)
			}
		}
		answers(i, "/jwks", http.StatusOK, keyList(bad))
		err := logout(t, newClient(onlyHere), i)
		if !errors.Is(err, oidc.ErrUnreachable) || !strings.HasSuffix(err.Error(), "none of its 1 keys can be used") {
			t.Errorf("%s alone: %v", name, err)
		}
	}
}

// A key that comes later is found, and what is wrong with a list is told.
func TestListsOfKeys(t *testing.T) {
	i := testkit.NewIssuer(t, time.Now)
	c, bad, first := newClient(onlyHere), `{"kty": "AKP"}`, ownKey(t, i)
	answers(i, "/jwks", http.StatusOK, keyList(bad, first))
	if err := logout(t, c, i); err != nil {
		t.Fatal(err)
	}
	i.RotateKey(t)
	i.SetAnswer(nil)
	second := ownKey(t, i)
	answers(i, "/jwks", http.StatusOK, keyList(first, bad, second))
	if err := logout(t, c, i); err != nil {
		t.Errorf("the next key: %v", err)
	}
	// One that is read, and then verifies nothing.
	answers(i, "/jwks", http.StatusOK, keyList(`{"kty": "RSA", "n": "", "e": "AQAB"}`, second))
	if err := logout(t, newClient(onlyHere), i); err != nil {
		t.Errorf("behind an empty modulus: %v", err)
	}
	many := strings.Split(strings.Repeat(bad+"\n", 199), "\n")[:199]
	answers(i, "/jwks", http.StatusOK, keyList(append(many, second)...))
	if err := logout(t, newClient(onlyHere), i); err != nil {
		t.Errorf("the key at place 200: %v", err)
	}
	for name, list := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"another's keys":        {200, keyList(first), "signed with one of its keys"},
		"another's and a bad":   {200, keyList(first, bad), "signed with one of its keys, of which 1 cannot be used"},
		"more than are read":    {200, keyList(append(many, bad, second)...), "none of its 201 keys can be used"},
		"no keys":               {200, keyList(), "none of its 0 keys can be used"},
		"a list alone":          {200, "[" + second + "]", "it is no list of keys"},
		"no list":               {200, `{"keys": ` + second + `}`, "it is no list of keys"},
		"another name":          {200, `{"jwks": []}`, "it is no list of keys"},
		"no JSON":               {200, "<html>", "it is no list of keys"},
		"a server that is down": {503, keyList(second), "it answers 503"},
		"too much":              {200, keyList(second) + strings.Repeat(" ", 1<<20), "the answer is too large"},
	} {
		answers(i, "/jwks", list.status, list.body)
		if err := logout(t, newClient(onlyHere), i); err == nil || !strings.HasSuffix(err.Error(), list.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// signIn signs a person in at an issuer, and gives what is asked for and who it is.
func signIn(t *testing.T, i *testkit.Issuer) (asked url.Values, id *oidc.Identity, err error) {
	t.Helper()
	c, conn := newClient(onlyHere), i.Connection().Connection
	r := oidc.Request{RedirectURL: "https://farm.example/back", State: "s", Nonce: "n", Verifier: oidc.NewVerifier()}
	address, err := c.AuthURL(t.Context(), conn, r)
	if err != nil {
		return nil, nil, err
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	id, err = c.Exchange(t.Context(), conn, i.SignIn(t, address).Query().Get("code"), r)
	return u.Query(), id, err
}

// Entries of a discovery document that are not understood are not there; the others count.
func TestListsOfDiscovery(t *testing.T) {
	i := testkit.NewIssuer(t, time.Now)
	document := fetched[testkit.Claims](t, i, "/.well-known/openid-configuration")
	for name, c := range map[string]struct {
		change testkit.Claims
		scope  string
	}{
		"as usual": {testkit.Claims{}, "openid profile email"},
		"scopes": {
			testkit.Claims{"scopes_supported": []any{5, nil, "openid", []any{"email"}, "profile", "x y"}}, "openid profile",
		},
		"no scope that is one": {testkit.Claims{"scopes_supported": []any{5}}, "openid profile email"},
		"no list of scopes":    {testkit.Claims{"scopes_supported": 5}, "openid profile email"},
		"algorithms": {testkit.Claims{
			"id_token_signing_alg_values_supported": []any{5, "ML-DSA-44", nil, testkit.Claims{}},
		}, "openid profile email"},
		"no list of algorithms": {testkit.Claims{
			"id_token_signing_alg_values_supported": 5,
		}, "openid profile email"},
		"ways to show the secret": {testkit.Claims{
			"token_endpoint_auth_methods_supported": []any{5, "attest_jwt_client_auth", "client_secret_basic"},
		}, "openid profile email"},
		"fields of other types": {testkit.Claims{
			"device_authorization_endpoint": 5, "end_session_endpoint": []any{}, "backchannel_logout_supported": "true",
			"scopes_supported": []any{"openid", "offline_access"},
		}, "openid"},
	} {
		changed := testkit.Claims{}
		for _, claims := range []testkit.Claims{document, c.change} {
			for field, value := range claims {
				changed[field] = value
			}
		}
		body, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		answers(i, "/.well-known/openid-configuration", http.StatusOK, string(body))
		i.SetPerson(testkit.Claims{"sub": "sub-ada"})
		asked, id, err := signIn(t, i)
		if err != nil || id.Subject != "sub-ada" || asked.Get("scope") != c.scope {
			t.Errorf("%s: scope %q, %+v %v", name, asked.Get("scope"), id, err)
		}
	}
}

// An entry of an ID token's audience that is not understood is nobody; the others count. Claims that
// are kept elsewhere do not make the token unreadable.
func TestListsOfTokens(t *testing.T) {
	i := testkit.NewIssuer(t, time.Now)
	i.SetPerson(testkit.Claims{"sub": "sub-ada", "groups": []any{"staff", 5, nil}})
	for name, c := range map[string]struct {
		change testkit.Claims
		want   string // of the error; empty: it is taken
	}{
		"first":               {testkit.Claims{"aud": []any{5, "tilth"}}, ""},
		"last":                {testkit.Claims{"aud": []any{"tilth", nil, testkit.Claims{}, []any{"x"}}}, ""},
		"no other":            {testkit.Claims{"aud": []any{5}}, "its ID token is for another client"},
		"another beside":      {testkit.Claims{"aud": []any{5, "tilth", "x"}}, "its ID token is for another client"},
		"the client within":   {testkit.Claims{"aud": []any{[]any{"tilth"}}}, "its ID token is for another client"},
		"a number":            {testkit.Claims{"aud": 5}, "its ID token is for another client"},
		"claims elsewhere":    {testkit.Claims{"_claim_names": testkit.Claims{"groups": "src1"}}, ""},
		"sources that are no": {testkit.Claims{"_claim_names": []any{1}, "_claim_sources": "x"}, ""},
		"a subject's number":  {testkit.Claims{"sub": 5}, "its ID token lacks a claim, or has one that it must not have"},
	} {
		i.SetMend(func(token testkit.Claims) {
			for claim, value := range c.change {
				token[claim] = value
			}
		})
		_, id, err := signIn(t, i)
		if c.want != "" {
			if !errors.Is(err, oidc.ErrInvalid) || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || id.Subject != "sub-ada" {
			t.Errorf("%s: %+v %v", name, id, err)
			continue
		}
		if groups, _ := id.Claims.Values("groups"); len(groups) != 1 || groups[0] != "staff" {
			t.Errorf("%s: %v", name, groups)
		}
	}
	i.SetMend(nil)
	i.SetSign(func(c testkit.Claims) string { return testkit.Sign(jose.HS256, []byte(strings.Repeat("x", 32)), c) })
	if _, _, err := signIn(t, i); err == nil || !strings.HasSuffix(err.Error(), "has a wrong form or algorithm") {
		t.Errorf("HS256: %v", err)
	}
}
