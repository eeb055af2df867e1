package oidc

import (
	"slices"
	"strings"
)

// Claims are what an issuer says of a person, or of itself, as decoded from JSON.
type Claims map[string]any

// Text gives a claim that is a text; empty: there is none.
func (c Claims) Text(name string) string {
	text, _ := c[name].(string)
	return text
}

// flag tells whether a claim is true. Some issuers write flags as texts.
func (c Claims) flag(name string) bool { return c[name] == true || c[name] == "true" }

// Email gives the person's address; verified tells whether the issuer has made sure that it is
// theirs.
func (c Claims) Email() (address string, verified bool) {
	return strings.TrimSpace(c.Text("email")), c.flag("email_verified")
}

// HasEmail tells whether the claims say which address the person has, and whether it is theirs.
func (c Claims) HasEmail() bool {
	_, judged := c["email_verified"]
	return judged && c.Text("email") != ""
}

// Values gives the values of the claim that a path names. has tells whether there is such a claim.
func (c Claims) Values(path string) (values []string, has bool) {
	claim, has := find(c, path)
	return valuesOf(claim), has
}

// LeavesOut tells whether the issuer has a claim, but not here: Microsoft Entra leaves out groups of
// people who have too many.
func (c Claims) LeavesOut(path string) bool {
	elsewhere, _ := c["_claim_names"].(map[string]any)
	_, named := elsewhere[path]
	_, has := find(c, path)
	return named && !has
}

// find looks for a claim of just the path's name; else for the longest beginning up to a dot that
// names an object in which the rest is found. Names may hold dots themselves, so the dots alone do
// not say where one ends.
func find(within map[string]any, path string) (any, bool) {
	if claim, has := within[path]; has {
		return claim, true
	}
	for end := strings.LastIndexByte(path, '.'); end >= 0; end = strings.LastIndexByte(path[:end], '.') {
		if object, is := within[path[:end]].(map[string]any); is {
			if claim, has := find(object, path[end+1:]); has {
				return claim, true
			}
		}
	}
	return nil, false
}

// valuesOf gives the values of a text, a list or an object; entries of other kinds are skipped.
func valuesOf(claim any) (values []string) {
	list, isList := claim.([]any)
	if !isList {
		return entryValues(claim)
	}
	for _, entry := range list {
		values = append(values, entryValues(entry)...)
	}
	return values
}

func entryValues(entry any) (values []string) {
	switch v := entry.(type) {
	case string:
		return []string{v}
	case map[string]any:
		for _, name := range []string{"value", "name"} {
			if text := Claims(v).Text(name); text != "" {
				return []string{text}
			}
		}
		// Zitadel: the roles are the names, and each holds the organizations that gave it.
		for name, given := range v {
			if _, isObject := given.(map[string]any); isObject || given == true {
				values = append(values, name)
			}
		}
		slices.Sort(values)
	}
	return values
}
