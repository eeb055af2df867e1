package acme

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/caddyserver/certmagic"
	"golang.org/x/net/idna"
)

// MaxNames is how many names may have certificates: each is asked for by itself,
// and ACME servers count.
const MaxNames = 100

// NormalizeNames are host names as certificates have them: in lower case, in ASCII, each
// once. The error names the first that can have none from this directory by the
// proofs that this package gives.
func NormalizeNames(from []string, directory string) ([]string, error) {
	names := make([]string, 0, len(from))
	for _, given := range from {
		if strings.Contains(given, "*") {
			return nil, fmt.Errorf(
				"%q: name each host; what covers them all would need an entry in your DNS each time",
				given,
			)
		}
		if _, err := netip.ParseAddr(strings.Trim(given, "[]")); err == nil {
			return nil, fmt.Errorf("%q is an address; a name is needed", given)
		}
		name, err := idna.Lookup.ToASCII(strings.TrimSuffix(given, "."))
		switch {
		case err != nil || name == "":
			return nil, fmt.Errorf("%q is no host name", given)
		case directory == LetsEncrypt && (!strings.Contains(name, ".") || !certmagic.SubjectQualifiesForPublicCert(name)):
			return nil, fmt.Errorf("%q is not a name that Let's Encrypt can know", given)
		case slices.Contains(names, name):
			return nil, fmt.Errorf("%q is there twice", given)
		}
		if names = append(names, name); len(names) > MaxNames {
			return nil, fmt.Errorf("%d names are too many: at most %d", len(from), MaxNames)
		}
	}
	return names, nil
}
