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
	maxAddressLength = 1_000       // characters
	maxSourceLength  = 253 + 1 + 5 // characters of a host and a port
)

// Loadable tells whether a page may load address: an http or https URL or a path on the same host,
// of printable characters. Provisioning applies it to the provider's file, and readers apply it
// again to addresses from the database before they pass them on.
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

// cspSource matches a source that a content security policy can name: a host of letters, digits,
// dots, dashes and underscores, and a port. Origin also checks maxSourceLength.
var cspSource = regexp.MustCompile(
	`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*(:[0-9]{1,5})?$`,
)

// Origin gives the scheme, host and port of address, as a content security policy names them. It
// gives an empty text for a path on the same host, and for an address that a page must not load or
// a policy cannot name. Its result never contains a separator of a policy or a header, for any
// address.
func Origin(address string) string {
	u, ok := parseAddress(address)
	if !ok || u.Host == "" {
		return ""
	}
	name, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil {
		name = strings.ToLower(u.Hostname()) // a name with an underscore, which browsers accept
	}
	if port := u.Port(); port != "" {
		name += ":" + port
	}
	if len(name) > maxSourceLength || !cspSource.MatchString(name) {
		return ""
	}
	return u.Scheme + "://" + name
}

// Sanitized gives the branding without the addresses that pages must not load.
func (b Branding) Sanitized() Branding {
	for _, address := range []*string{&b.Logo, &b.Background, &b.Favicon} {
		if !Loadable(*address) {
			*address = ""
		}
	}
	return b
}
