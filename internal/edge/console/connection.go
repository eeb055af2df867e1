package console

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"tilth/internal/edge/console/wire"
	"tilth/internal/edge/httpbase"
)

// Listeners are the addresses, besides HTTP, to which devices connect; nil: there is none.
type Listeners struct{ MQTT, MQTTTLS net.Addr }

// GetDeviceConnection answers where and how a device reports.
func (s *server) GetDeviceConnection(
	ctx context.Context,
	r wire.GetDeviceConnectionRequestObject,
) (wire.GetDeviceConnectionResponseObject, error) {
	d, _, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	secrets, err := s.Devices.Secrets(ctx, d.Tenant, d.ID)
	if err != nil {
		return nil, err
	}
	base := s.baseURL(ctx)
	host := base.Hostname()
	c := &wire.Connection{
		DeviceName:  d.Name,
		Gateway:     d.Gateway,
		Http:        base.String(),
		Secrets:     len(secrets),
		Topic:       "v1/devices/me/telemetry",
		MqttHost:    host,
		MqttPort:    portFor(host, s.Listen.MQTT),
		MqttTlsPort: portFor(host, s.Listen.MQTTTLS),
	}
	if d.Gateway {
		c.Topic = "v1/gateway/telemetry"
	}
	return wire.GetDeviceConnection200JSONResponse{Code: success, Data: c}, nil
}

// baseURL returns the URL at which clients reach this server: the configured one, else the one of
// the request.
func (s *server) baseURL(ctx context.Context) *url.URL {
	if u, err := url.Parse(s.PublicURL); err == nil && u.Host != "" {
		return u
	}
	scheme, host := requestedOrigin(requestFrom(ctx).HTTPRequest, s.Proxies)
	return &url.URL{Scheme: scheme, Host: host}
}

// requestedOrigin returns the scheme and host that a request asks for, as a trusted proxy forwards
// them if there is one. It ignores an invalid host.
func requestedOrigin(r *http.Request, proxies []netip.Prefix) (scheme, host string) {
	scheme = httpbase.ClientScheme(r, proxies)
	for _, host := range []string{httpbase.ClientHost(r, proxies), r.Host} {
		if u, err := url.Parse("//" + host); err == nil && u.Host == host && u.Hostname() != "" &&
			!strings.ContainsAny(host, "'\"`$;&|<>(){}*!\\") {
			return scheme, host
		}
	}
	return scheme, "localhost"
}

// portFor returns the port of a listener for devices that reach the server as host. It returns 0 if
// there is no listener, or if the listener has a loopback address and host is not local.
func portFor(host string, at net.Addr) int {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() && !isLocalHost(host) {
		return 0
	}
	return tcp.Port
}

// isLocalHost tells whether a host name means the machine that uses it.
func isLocalHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
