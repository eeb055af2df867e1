package oidc_test

import (
	"encoding/json"
	"slices"
	"testing"

	"tilth/internal/domain/identity/oidc"
)

func claimsOf(t *testing.T, text string) oidc.Claims {
	t.Helper()
	var c oidc.Claims
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The claims of persons in the shapes that issuers give them.
const (
	keycloak = `{
		"iss": "https://sso.example/realms/farm", "sub": "f3c1", "azp": "tilth", "scope": "openid email profile",
		"realm_access": {"roles": ["default-roles-farm", "chiefs"]},
		"resource_access": {"my.client": {"roles": ["staff"]}, "account": {"roles": ["view-profile"]}},
		"groups": ["/farm/field hands", "guests"]
	}`
	zitadel = `{
		"iss": "https://farm.zitadel.example", "sub": "2190", "urn:zitadel:iam:user:resourceowner:name": "Farm",
		"urn:zitadel:iam:org:project:roles": {
			"admin": {"7001": "farm.zitadel.example", "7002": "other.zitadel.example"},
			"name": {"7001": "farm.zitadel.example"}
		},
		"urn:zitadel:iam:org:project:55:roles": [{"viewer": {"7001": "farm.zitadel.example"}}]
	}`
	entra = `{
		"iss": "https://login.microsoftonline.example/t/v2.0", "sub": "AbC", "ver": "2.0",
		"roles": ["Farm.Owner"], "groups": ["9e0d3a1c-0000-4000-8000-000000000001"], "wids": ["b79fbf4d"]
	}`
	entraOverage = `{
		"sub": "AbC", "roles": ["Farm.Owner"], "_claim_names": {"groups": "src1", "roles": "src1"},
		"_claim_sources": {"src1": {"endpoint": "https://graph.example/users/x/getMemberObjects"}}
	}`
	scim = `{"roles": [
		{"value": "admin", "display": "Administrators"}, {"name": "viewer"}, {"display": "x"}, {"value": 5}
	]}`
)

func TestValuesOfClaims(t *testing.T) {
	for _, c := range []struct {
		claims, path string
		want         []string
	}{
		{keycloak, "realm_access.roles", []string{"default-roles-farm", "chiefs"}},
		{keycloak, "resource_access.my.client.roles", []string{"staff"}},
		{keycloak, "groups", []string{"/farm/field hands", "guests"}},
		{keycloak, "scope", []string{"openid email profile"}}, // a text is one value
		{zitadel, "urn:zitadel:iam:org:project:roles", []string{"admin", "name"}},
		{zitadel, "urn:zitadel:iam:org:project:55:roles", []string{"viewer"}},
		{entra, "roles", []string{"Farm.Owner"}},
		{entra, "groups", []string{"9e0d3a1c-0000-4000-8000-000000000001"}},
		{scim, "roles", []string{"admin", "viewer"}},
		// Entries of other kinds are skipped.
		{`{"g": ["a", 1, null, true, ["b"], {}, {"x": {"y": 1}, "z": 1}, "c"]}`, "g", []string{"a", "x", "c"}},
		{`{"g": {"a": true, "b": false, "c": null, "d": 1, "e": "on", "f": [], "g": {}}}`, "g", []string{"a", "g"}},
		{`{"g": null}`, "g", nil}, {`{"g": 7}`, "g", nil}, {`{"g": []}`, "g", nil},
		// The longest name goes first, wherever the dots are.
		{`{"https://farm.example/roles": "z"}`, "https://farm.example/roles", []string{"z"}},
		{`{"https://farm.example/access": {"roles": "z"}}`, "https://farm.example/access.roles", []string{"z"}},
		{`{"a.b": "whole", "a": {"b": "parts"}}`, "a.b", []string{"whole"}},
		{`{"a.b": {"c": "longer"}, "a": {"b.c": "shorter"}}`, "a.b.c", []string{"longer"}},
		{`{"a.b": {"x": "y"}, "a": {"b": {"c": "only here"}}}`, "a.b.c", []string{"only here"}},
		{`{"a.b": "no object", "a": {"b": {"c": "z"}}}`, "a.b.c", []string{"z"}},
		{`{"": {"": "z"}}`, ".", []string{"z"}},
	} {
		if got, has := claimsOf(t, c.claims).Values(c.path); !has || !slices.Equal(got, c.want) {
			t.Errorf("%s of %s: %q %v, want %q", c.path, c.claims, got, has, c.want)
		}
	}
	for _, path := range []string{
		"", ".", "other", "groups.x", "realm_access.x", "realm_access.roles.x", "realm_access.", ".realm_access",
		"resource_access.my", "resource_access.my.client.other", "my.client.roles",
	} {
		if got, has := claimsOf(t, keycloak).Values(path); has {
			t.Errorf("%q: %v", path, got)
		}
	}
}

// Groups of a person who has too many are elsewhere; a claim that is there all the same is not left out.
func TestClaimsThatAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		claims, path string
		want         bool
	}{
		{entraOverage, "groups", true}, {entraOverage, "roles", false}, {entraOverage, "wids", false},
		{entra, "other", false}, {`{"_claim_names": "groups"}`, "groups", false}, {`{"_claim_names": {"": "x"}}`, "x", false},
	} {
		if got := claimsOf(t, c.claims).LeavesOut(c.path); got != c.want {
			t.Errorf("%s of %s: %v", c.path, c.claims, got)
		}
	}
}
