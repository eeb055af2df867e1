package oidc

import "strings"

// Claims are what an issuer says of a person, as decoded from JSON.
type Claims map[string]any

// Text gives a claim that is a text; empty: there is none.
func (c Claims) Text(name string) string {
	text, _ := c[name].(string)
	return text
}

// Email gives the person's address; verified tells whether the issuer has made sure that it is
// theirs.
func (c Claims) Email() (address string, verified bool) {
	// Some issuers write the flag as a text.
	flag := c["email_verified"]
	return strings.TrimSpace(c.Text("email")), flag == true || flag == "true"
}

// HasEmail tells whether the claims say which address the person has, and whether it is theirs.
func (c Claims) HasEmail() bool {
	_, judged := c["email_verified"]
	return judged && c.Text("email") != ""
}

// Values gives the texts of a claim that is a text or a list of them. The name may be a path with
// dots to a claim within others, unless a claim has just that name. has tells whether there is such
// a claim.
func (c Claims) Values(name string) (values []string, has bool) {
	claim, has := c.find(name)
	if !has {
		return nil, false
	}
	switch v := claim.(type) {
	case string:
		values = append(values, v)
	case []any:
		for _, one := range v {
			if text, ok := one.(string); ok {
				values = append(values, text)
			}
		}
	}
	return values, true
}

func (c Claims) find(name string) (any, bool) {
	if claim, has := c[name]; has {
		return claim, true
	}
	within := map[string]any(c)
	for {
		first, rest, more := strings.Cut(name, ".")
		claim, has := within[first]
		if !has || !more {
			return claim, has
		}
		next, ok := claim.(map[string]any)
		if !ok {
			return nil, false
		}
		within, name = next, rest
	}
}
