package tenant

import (
	"net/netip"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// numericLabel matches a number as programs read it in an IPv4 address: decimal, octal or
// hexadecimal. No name on the internet ends in one.
var numericLabel = regexp.MustCompile(`^([0-9]+|0[xX][0-9a-fA-F]*)$`)

// IsNumericHost tells whether a host that a person typed is a network address instead of a name, in
// any form that some program accepts: IPv6 with or without brackets and zone; IPv4 of up to four
// parts, each decimal, octal or hexadecimal, with or without a final dot, also in full-width
// digits.
func IsNumericHost(host string) bool {
	if strings.ContainsAny(host, ":%[]") {
		return true // no name contains these
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	host = strings.TrimRight(host, ".")
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return numericLabel.MatchString(host[strings.LastIndexByte(host, '.')+1:])
}

// HasNumericMailHost tells whether a mail address names its host by network address: the mail
// server would connect to that address, whatever runs there.
func HasNumericMailHost(address string) bool {
	at := strings.LastIndexByte(address, '@')
	return at >= 0 && IsNumericHost(address[at+1:])
}
