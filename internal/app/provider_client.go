package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tilth/internal/edge/provider"
)

const (
	adminURL    = "http://127.0.0.1:9090"
	tokenEnv    = "TILTH_PROVIDER_TOKEN"
	tokenFile   = "data/provider-token"
	maxAnswer   = 64 << 20
	maxToken    = 4 << 10
	tokenFlag   = "token-file"
	contentType = "Content-Type"
)

// serverFlags say which server a command speaks to, and where its token is. A
// token is never a flag's value, where every process list shows it.
type serverFlags struct{ server, tokenFile string }

func (f *serverFlags) declare(c *cobra.Command) {
	c.Flags().StringVar(&f.server, "server", adminURL, "the server's admin address")
	c.Flags().StringVar(
		&f.tokenFile,
		tokenFlag,
		"",
		"file with the provider's token (default: "+tokenEnv+", else ./"+tokenFile+")",
	)
}

// client finds the server and the token.
func (f *serverFlags) client(c *cobra.Command) (*providerClient, error) {
	base, err := url.Parse(f.server)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return nil, fmt.Errorf("--server: %q is not an http or https address", f.server)
	}
	token, from, err := f.token()
	if err != nil {
		return nil, err
	}
	if base.Scheme == "http" && !isLoopbackHost(base.Hostname()) {
		fmt.Fprintf(c.ErrOrStderr(), "warning: the token travels unencrypted to %s\n", base.Host)
	}
	return &providerClient{
		base:        strings.TrimSuffix(f.server, "/"),
		token:       token,
		tokenSource: from,
		// The token goes to the server that was named and to no other.
		http: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// token is the one of the file that was named, else the environment's, else
// that of the data folder beside which the server was started; from says which.
func (f *serverFlags) token() (token, from string, err error) {
	path := f.tokenFile
	if path == "" {
		if token := strings.TrimSpace(os.Getenv(tokenEnv)); token != "" {
			return token, tokenEnv, nil
		}
		path = filepath.FromSlash(tokenFile)
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && f.tokenFile == "" {
		return "", "", fmt.Errorf("no provider's token: set %s, or give --%s DATA/provider-token", tokenEnv, tokenFlag)
	}
	if err != nil {
		return "", "", fmt.Errorf("--%s: %w", tokenFlag, err)
	}
	if len(raw) <= maxToken {
		for line := range strings.Lines(string(raw)) {
			if token := strings.TrimSpace(line); token != "" {
				return token, path, nil // of two, either is valid
			}
		}
	}
	return "", "", fmt.Errorf("%s holds no token", path)
}

func isLoopbackHost(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

type providerClient struct {
	base, token string
	tokenSource string // where the token was found
	http        *http.Client
}

// post makes a call and gives the answer's status and body.
func (p *providerClient) post(ctx context.Context, path, kind string, body []byte) (int, []byte, error) {
	res, err := p.do(ctx, http.MethodPost, path, kind, body)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }() // it was read to its end
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return res.StatusCode, answer, err
}

// do makes a call; the answer's body is the caller's to close.
func (p *providerClient) do(ctx context.Context, method, path, kind string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.base+provider.Prefix+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	if kind != "" {
		r.Header.Set(contentType, kind)
	}
	res, err := p.http.Do(r)
	if err != nil {
		return nil, explainUnreachable(ctx, p.base, "admin address (--admin-addr)", err)
	}
	if res.StatusCode == http.StatusUnauthorized {
		err := fmt.Errorf(
			"%s refuses the provider's token of %s: the right one is in DATA/provider-token of that server (--%s), "+
				"or in the %s that it was started with",
			p.base,
			p.tokenSource,
			tokenFlag,
			tokenEnv,
		)
		return nil, errors.Join(err, res.Body.Close())
	}
	return res, nil
}

// explainUnreachable says in one sentence what to look at where nothing answers at base,
// or something else than the address of tilth serve that was meant.
func explainUnreachable(ctx context.Context, base, meant string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	var call *url.Error
	if errors.As(err, &call) {
		err = call.Err // without the whole address again
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf(
			"no server answers at %s: is tilth serve running, and is this its %s? (%w)",
			base,
			meant,
			op.Err,
		)
	}
	return fmt.Errorf(
		"what answers at %s is not what was looked for: is this the %s of tilth serve, with http or https as it is served? (%w)",
		base,
		meant,
		err,
	)
}
