package tenant

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	maxAddressLength = 1_000       // characters of an address
	maxSourceLength  = 253 + 1 + 5 // of a host and a port
)

// Loadable tells whether a page may load address: http, https or a path on the
// same host, of characters that show. It is the rule for what a provider's file
// may say, and what is in the database is held against it again before it goes
// anywhere.
func Loadable(address string) bool {
	_, ok := parseAddress(address)
	return ok && address != ""
}

func parseAddress(address string) (*url.URL, bool) {
	if utf8.RuneCountInString(address) > maxAddressLength || !utf8.ValidString(address) ||
		strings.ContainsAny(address, "\\\"'<>`") ||
		strings.ContainsFunc(address, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }) {
		return nil, false
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Opaque != "" || strings.ContainsAny(u.Host, ",;*") {
		return nil, false
	}
	if u.Scheme == "" {
		return u, u.Host == "" && !strings.HasPrefix(address, "//")
	}
	return u, (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// cspSource is what a content security policy can name: a host of letters, digits,
// dots and dashes, and a port; of at most maxSourceLength characters.
var cspSource = regexp.MustCompile(
	`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*(:[0-9]{1,5})?$`,
)

// Origin is the scheme, host and port that address is loaded from, as a
// content security policy names them; empty for a path on the same host, and
// for what a page must not load or a policy cannot name. It holds nothing that
// parts a policy or a header, whatever address is.
func Origin(address string) string {
	u, ok := parseAddress(address)
	if !ok || u.Host == "" {
		return ""
	}
	name, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil {
		name = strings.ToLower(u.Hostname()) // a name with a _, which browsers take
	}
	if port := u.Port(); port != "" {
		name += ":" + port
	}
	if len(name) > maxSourceLength || !cspSource.MatchString(name) {
		return ""
	}
	return u.Scheme + "://" + name
}

// Sanitized is the branding that pages get: without the addresses that they must
// not load.
func (b Branding) Sanitized() Branding {
	for _, address := range []*string{&b.Logo, &b.Background, &b.Favicon} {
		if !Loadable(*address) {
			*address = ""
		}
	}
	return b
}
