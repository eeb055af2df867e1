package settings

import (
	"fmt"
	"strings"

	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/identity/oidc"
	"tilth/internal/domain/tenant"
)

// addSignOnFlags declares the issuer of tenants without one of their own. Its secret has no flag,
// since everybody on the machine can read a flag's value.
func addSignOnFlags(f *pflag.FlagSet) {
	f.String(
		"oidc-issuer",
		"",
		"issuer of OpenID Connect at which people sign in, for example https://login.example.org; "+
			"a tenant may have another one in the provider's file; empty: none",
	)
	f.String("oidc-client-id", "", "the client that the issuer knows this server as")
	f.String("oidc-client-secret-file", "", "file with the client's secret, unless it is in TILTH_OIDC_CLIENT_SECRET")
	f.String("oidc-name", "", "what people call the issuer, for example Example Login; empty: its host")
}

// readSignOn is nil if there is no such issuer.
func readSignOn(k *koanf.Koanf) (*identity.Connection, error) {
	issuer, client := k.String("oidc-issuer"), strings.TrimSpace(k.String("oidc-client-id"))
	name := strings.TrimSpace(k.String("oidc-name"))
	secret, err := readSecret(k, "oidc-client-secret")
	if err != nil {
		return nil, err
	}
	if issuer == "" {
		for setting, value := range map[string]string{
			"--oidc-client-id": client, "--oidc-name": name, "TILTH_OIDC_CLIENT_SECRET": secret,
		} {
			if value != "" {
				return nil, fmt.Errorf("%s: nothing uses it without --oidc-issuer", setting)
			}
		}
		return nil, nil
	}
	switch {
	case !oidc.IsIssuer(issuer):
		return nil, fmt.Errorf(
			"--oidc-issuer: %q is no https address without query (http only on this machine)",
			issuer,
		)
	case client == "":
		return nil, fmt.Errorf("--oidc-client-id: needed for --oidc-issuer")
	case secret == "":
		return nil, fmt.Errorf("TILTH_OIDC_CLIENT_SECRET: needed for --oidc-issuer, or --oidc-client-secret-file")
	}
	if name, err = tenant.ParseLine(name, "", tenant.MaxNameLength); err != nil {
		return nil, fmt.Errorf("--oidc-name: it must be one line of at most %d characters", tenant.MaxNameLength)
	}
	return &identity.Connection{
		Connection:  oidc.Connection{Issuer: issuer, ClientID: client, ClientSecret: secret},
		DisplayName: name,
	}, nil
}
