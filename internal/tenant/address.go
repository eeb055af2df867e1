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
	addressLimit = 1_000       // characters of an address
	sourceLimit  = 253 + 1 + 5 // of a host and a port
)

// Loadable tells whether a page may load address: http, https or a path on the
// same host, of characters that show. It is the rule for what a provider's file
// may say, and what is in the database is held against it again before it goes
// anywhere.
func Loadable(address string) bool {
	_, ok := parse(address)
	return ok && address != ""
}

func parse(address string) (*url.URL, bool) {
	if utf8.RuneCountInString(address) > addressLimit || !utf8.ValidString(address) || strings.ContainsAny(address, "\\\"'<>`") ||
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

// source is what a content security policy can name: a host of letters, digits,
// dots and dashes, and a port; of at most sourceLimit characters.
var source = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*(:[0-9]{1,5})?$`)

// Origin is the scheme, host and port that address is loaded from, as a
// content security policy names them; empty for a path on the same host, and
// for what a page must not load or a policy cannot name. It holds nothing that
// parts a policy or a header, whatever address is.
func Origin(address string) string {
	u, ok := parse(address)
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
	if len(name) > sourceLimit || !source.MatchString(name) {
		return ""
	}
	return u.Scheme + "://" + name
}

// Shown is the branding that pages get: without the addresses that they must
// not load.
func (b Branding) Shown() Branding {
	for _, address := range []*string{&b.Logo, &b.Background, &b.Favicon} {
		if !Loadable(*address) {
			*address = ""
		}
	}
	return b
}
