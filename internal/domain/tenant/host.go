package tenant

import (
	"net/netip"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// numericLabel is a number as some program reads one in an IPv4 address: decimal,
// octal or hexadecimal. No name on the internet ends in one.
var numericLabel = regexp.MustCompile(`^([0-9]+|0[xX][0-9a-fA-F]*)$`)

// IsNumericHost tells whether a host, as a person names one, is no name but a
// network address, in whatever form some program reads one: IPv6 with or without
// brackets and zone; IPv4 of four parts or fewer, each decimal, octal or
// hexadecimal, with a dot behind it, or in the digits of another width.
func IsNumericHost(host string) bool {
	if strings.ContainsAny(host, ":%[]") {
		return true // what no name holds
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

// HasNumericMailHost tells whether a mail address leads to a host in figures, which
// would have the mail server call it, whatever is there.
func HasNumericMailHost(address string) bool {
	at := strings.LastIndexByte(address, '@')
	return at >= 0 && IsNumericHost(address[at+1:])
}
