// Package client calls the provider API of a running server, for subcommands.
package client

import (
	"bytes"
	"context"
	"encoding/json"
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
	"tilth/internal/edge/provider"
	"tilth/internal/edge/provider/wire"

	"github.com/spf13/cobra"
)

// TokenEnv is the variable that holds the provider's token.
const TokenEnv = "TILTH_PROVIDER_TOKEN"

const (
	adminURL    = "http://127.0.0.1:9090"
	tokenFile   = "data/provider-token"
	maxAnswer   = 64 << 20
	maxToken    = 4 << 10
	tokenFlag   = "token-file"
	contentType = "Content-Type"
)

// Flags say which server a command calls, and where its token is. The token itself is never a
// flag's value, since every process list would show it.
type Flags struct{ Server, tokenFile string }

// Add declares the flags of a command.
func (f *Flags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.Server, "server", adminURL, "the server's admin address")
	f.addToken(c)
}

// AddFrom declares the flags of a command that calls another machine's server.
func (f *Flags) AddFrom(c *cobra.Command) {
	c.Flags().StringVar(&f.Server, "from", "", "admin address of a node of the cluster (required)")
	f.addToken(c)
}

func (f *Flags) addToken(c *cobra.Command) {
	c.Flags().StringVar(
		&f.tokenFile,
		tokenFlag,
		"",
		"file with the provider's token (default: "+TokenEnv+", else ./"+tokenFile+")",
	)
}

// Client returns a client for the server, with the token.
func (f *Flags) Client(c *cobra.Command) (*Client, error) {
	base, err := url.Parse(f.Server)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return nil, fmt.Errorf("--server: %q is not an http or https address", f.Server)
	}
	token, from, err := f.token()
	if err != nil {
		return nil, err
	}
	if base.Scheme == "http" && !isLoopbackHost(base.Hostname()) {
		fmt.Fprintf(c.ErrOrStderr(), "warning: the token travels unencrypted to %s\n", base.Host)
	}
	return &Client{
		Base:        strings.TrimSuffix(f.Server, "/"),
		Token:       token,
		tokenSource: from,
		// The client sends the token to the named server and to no other.
		HTTP: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// token returns the token of the named file, else that of the environment, else that of the data
// folder in the current folder; from says where it found the token.
func (f *Flags) token() (token, from string, err error) {
	path := f.tokenFile
	if path == "" {
		if token := strings.TrimSpace(os.Getenv(TokenEnv)); token != "" {
			return token, TokenEnv, nil
		}
		path = filepath.FromSlash(tokenFile)
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && f.tokenFile == "" {
		return "", "", fmt.Errorf("no provider's token: set %s, or give --%s DATA/provider-token", TokenEnv, tokenFlag)
	}
	if err != nil {
		return "", "", fmt.Errorf("--%s: %w", tokenFlag, err)
	}
	if len(raw) <= maxToken {
		for line := range strings.Lines(string(raw)) {
			if token := strings.TrimSpace(line); token != "" {
				return token, path, nil // the server accepts either of two tokens
			}
		}
	}
	return "", "", fmt.Errorf("%s holds no token", path)
}

func isLoopbackHost(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// Client calls the provider API of one server.
type Client struct {
	Base, Token string
	tokenSource string // where the token was found, for errors
	HTTP        *http.Client
}

// Post makes a call and returns the answer's status and body.
func (p *Client) Post(ctx context.Context, path, kind string, body []byte) (int, []byte, error) {
	res, err := p.do(ctx, http.MethodPost, path, kind, body)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return res.StatusCode, answer, err
}

// do makes a call. The caller closes the answer's body.
func (p *Client) do(ctx context.Context, method, path, kind string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.Base+provider.Prefix+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+p.Token)
	if kind != "" {
		r.Header.Set(contentType, kind)
	}
	res, err := p.HTTP.Do(r)
	if err != nil {
		return nil, ExplainUnreachable(ctx, p.Base, "admin address (--admin-addr)", err)
	}
	if res.StatusCode == http.StatusUnauthorized {
		err := fmt.Errorf(
			"%s refuses the provider's token of %s: the right one is in DATA/provider-token of that server (--%s), "+
				"or in the %s that it was started with",
			p.Base,
			p.tokenSource,
			tokenFlag,
			TokenEnv,
		)
		return nil, errors.Join(err, res.Body.Close())
	}
	return res, nil
}

// ExplainUnreachable says in one sentence what to check if nothing answers at base, or something
// that is not the meant address of tilth serve.
func ExplainUnreachable(ctx context.Context, base, meant string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	var call *url.Error
	if errors.As(err, &call) {
		err = call.Err // without the address, which the new error names
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

// Download writes the answer of a call to w. It calls before, unless that is nil, with the number
// of bytes, and stops if before fails.
func (p *Client) Download(
	ctx context.Context,
	path string,
	w io.Writer,
	before func(length int64) error,
) error {
	res, err := p.do(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // read to its end, or failed
	if res.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		if err != nil {
			return err
		}
		return Decode(res.StatusCode, body, nil)
	}
	if before != nil && res.ContentLength >= 0 { // an earlier server does not say
		if err := before(res.ContentLength); err != nil {
			return err
		}
	}
	_, err = io.Copy(w, res.Body)
	return err
}

// Call makes a call whose body and answer are JSON.
func (f *Flags) Call(c *cobra.Command, path string, ask, out any) error {
	client, err := f.Client(c)
	if err != nil {
		return err
	}
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	status, raw, err := client.Post(c.Context(), path, "application/json", body)
	if err != nil {
		return err
	}
	return Decode(status, raw, out)
}

// Decode decodes the server's answer. A refusal becomes an error.
func Decode(status int, body []byte, out any) error {
	if status == http.StatusOK {
		if err := json.Unmarshal(body, out); err != nil {
			return fmt.Errorf("the answer is not the provider API's: %w", err)
		}
		return nil
	}
	var p wire.Problem
	if err := json.Unmarshal(body, &p); err != nil || p.Title == "" {
		return fmt.Errorf("the server answered %d: is this the admin address?", status)
	}
	if p.Detail != nil {
		return fmt.Errorf("%s (%d)", *p.Detail, status)
	}
	return fmt.Errorf("%s (%d)", p.Title, status)
}
