package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tilth/internal/command/client"
	"tilth/internal/platform/listen"
	"tilth/internal/settings"
)

// healthTimeout is how long a server may take to answer.
const healthTimeout = 5 * time.Second

func healthcheckCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask the server on this machine whether it is ready",
		Long: `Ask the server on this machine whether it is ready (/readyz), print what it says,
and exit with 1 if it is not ready. The address is that of serve, from the same
flag, environment variable or file; of a node of a cluster, its admin address. It is
for containers, which have no other program that can ask.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			set, err := settingsFromFlags(c.Flags(), "config", "http-addr", settings.BalancersFlag)
			if err != nil {
				return err
			}
			addr, balancers := set.HTTPAddr, set.Balancers
			if set.Cluster.Node {
				addr, balancers = set.AdminAddr, nil // a standby has no other port, and this one takes no PROXY header
			}
			said, err := readiness(c.Context(), addr, balancers)
			if err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), said)
			return nil
		},
	}
	serving := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	settings.AddFlags(serving)
	c.Flags().AddFlag(serving.Lookup("config"))
	c.Flags().AddFlag(serving.Lookup("http-addr"))
	c.Flags().AddFlag(serving.Lookup(settings.BalancersFlag))
	return c
}

// settingsFromFlags reads the settings that serve would read, given those of its flags that f has.
func settingsFromFlags(f *pflag.FlagSet, names ...string) (*settings.Server, error) {
	serving := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	settings.AddFlags(serving)
	for _, name := range names {
		if !f.Changed(name) {
			continue
		}
		given := f.Lookup(name).Value
		text := given.String()
		if list, ok := given.(pflag.SliceValue); ok {
			text = strings.Join(list.GetSlice(), ",")
		}
		if err := serving.Set(name, text); err != nil {
			return nil, err
		}
	}
	return settings.Read(serving)
}

// readiness returns what the server at addr says about itself, and an error if the server is not
// ready. If the server expects a PROXY header from this machine's networks, readiness sends one.
func readiness(ctx context.Context, addr string, balancers []netip.Prefix) (string, error) {
	asking, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	base := "http://" + localHostPort(addr)
	req, err := http.NewRequestWithContext(asking, http.MethodGet, base+"/readyz", http.NoBody)
	if err != nil {
		return "", err
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if err := listen.WriteLocalHeader(nc, balancers); err != nil {
			return nil, errors.Join(err, nc.Close())
		}
		return nc, nil
	}
	// The call uses no proxy, since the server is on the same machine.
	resp, err := (&http.Transport{DisableKeepAlives: true, DialContext: dial}).RoundTrip(req)
	if err != nil {
		return "", client.ExplainUnreachable(ctx, base, "console's address (--http-addr)", err)
	}
	defer func() { _ = resp.Body.Close() }() // only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err != nil {
		return "", err
	}
	said := strings.TrimSpace(string(body))
	switch resp.StatusCode {
	case http.StatusOK:
		return said, nil
	case http.StatusServiceUnavailable:
		return "", fmt.Errorf("%s: %s", resp.Status, said)
	}
	return "", client.ExplainUnreachable(ctx, base, "console's address (--http-addr)", errors.New(resp.Status))
}

// localHostPort is the address at which this machine reaches a server that listens at addr. The
// caller has checked that addr is host:port.
func localHostPort(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	switch ip := net.ParseIP(host); {
	case host == "", ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}
