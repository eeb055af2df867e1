package acme

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/caddyserver/certmagic"
	"golang.org/x/net/idna"
)

// MaxNames limits the names: each gets its own certificate, and ACME servers limit how many they
// issue.
const MaxNames = 100

// NormalizeNames gives host names as certificates contain them: lower-case ASCII, each once. The
// error names the first host that cannot get a certificate from this directory with the proofs that
// this package gives.
func NormalizeNames(from []string, directory string) ([]string, error) {
	names := make([]string, 0, len(from))
	for _, given := range from {
		if strings.Contains(given, "*") {
			const advice = "name each host; a wildcard would need a new entry in your DNS for each renewal"
			return nil, fmt.Errorf("%q: %s", given, advice)
		}
		if _, err := netip.ParseAddr(strings.Trim(given, "[]")); err == nil {
			return nil, fmt.Errorf("%q is an address, not a host name", given)
		}
		name, err := idna.Lookup.ToASCII(strings.TrimSuffix(given, "."))
		switch {
		case err != nil || name == "":
			return nil, fmt.Errorf("%q is no host name", given)
		case directory == LetsEncrypt && !isPublicName(name):
			return nil, fmt.Errorf("%q is not a name that Let's Encrypt can know", given)
		case slices.Contains(names, name):
			return nil, fmt.Errorf("%q is listed twice", given)
		}
		if names = append(names, name); len(names) > MaxNames {
			return nil, fmt.Errorf("%d names are too many: at most %d", len(from), MaxNames)
		}
	}
	return names, nil
}

func isPublicName(name string) bool {
	return strings.Contains(name, ".") && certmagic.SubjectQualifiesForPublicCert(name)
}
