package settings

import (
	"crypto/x509"
	"fmt"
	"net/mail"
	"net/url"
	"os"

	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"

	"tilth/internal/platform/acme"
)

// ACME says which ACME server issues certificates, and for which names. Without names none does.
type ACME struct {
	Names     []string
	Email     string
	Directory string
	Roots     *x509.CertPool // roots that the directory's own certificate must come from; nil: the system's
}

func addACMEFlags(f *pflag.FlagSet) {
	f.StringSlice(
		"acme-domains",
		nil,
		"host names that an ACME server issues certificates for, in place of --tls-cert; devices that name no host get the first one's",
	)
	f.Bool("acme-agree", false, "you accept the terms of service of the ACME server; required with --acme-domains")
	f.String("acme-email", "", "e-mail address for notices of the ACME server; optional")
	f.String("acme-directory", acme.LetsEncrypt, "address of the ACME server's directory")
	f.String(
		"acme-ca-file",
		"",
		"root certificate of a private ACME server, PEM; without it the system's roots are trusted",
	)
}

// readACME reads the settings of certificates that an ACME server issues. used is the flag of an
// address that needs a certificate; it is empty if none does.
func (s *Server) readACME(k *koanf.Koanf, used string) error {
	a := ACME{Email: k.String("acme-email"), Directory: k.String("acme-directory")}
	agreed, domains, caFile := k.Bool("acme-agree"), listOf(k, "acme-domains"), k.String("acme-ca-file")
	if len(domains) == 0 {
		for name, given := range map[string]bool{
			"acme-agree": agreed, "acme-email": a.Email != "", "acme-directory": a.Directory != acme.LetsEncrypt, "acme-ca-file": caFile != "",
		} {
			if given {
				return fmt.Errorf("--%s: nothing uses it without --acme-domains", name)
			}
		}
		return nil
	}
	directory, err := url.Parse(a.Directory)
	switch {
	case used == "":
		return fmt.Errorf("--acme-domains: nothing uses them without --https-addr or --mqtt-tls-addr")
	case s.TLSCert != "" || s.TLSKey != "":
		return fmt.Errorf(
			"--acme-domains: give these or --tls-cert and --tls-key, not both: an address has one or the other",
		)
	case err != nil || directory.Scheme != "https" || directory.Host == "":
		return fmt.Errorf("--acme-directory: %q is not an https address", a.Directory)
	case !agreed:
		return fmt.Errorf(
			"--acme-agree: needed for --acme-domains; say by it that you accept the terms of service that %s names",
			a.Directory,
		)
	}
	if to, err := mail.ParseAddress(a.Email); a.Email != "" && (err != nil || to.Address != a.Email) {
		return fmt.Errorf("--acme-email: %q is not an e-mail address", a.Email)
	}
	if a.Names, err = acme.NormalizeNames(domains, a.Directory); err != nil {
		return fmt.Errorf("--acme-domains: %w", err)
	}
	if caFile != "" {
		roots, err := os.ReadFile(caFile)
		if err != nil {
			return fmt.Errorf("--acme-ca-file: %w", err)
		}
		if a.Roots = x509.NewCertPool(); !a.Roots.AppendCertsFromPEM(roots) {
			return fmt.Errorf("--acme-ca-file: %s holds no certificate", caFile)
		}
	}
	s.ACME = a
	return nil
}
