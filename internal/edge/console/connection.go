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

// Listeners are where devices connect beside the HTTP address; nil: nowhere.
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

// baseURL is the address by which this server is reached: the one it was told,
// else the one that is being asked.
func (s *server) baseURL(ctx context.Context) *url.URL {
	if u, err := url.Parse(s.PublicURL); err == nil && u.Host != "" {
		return u
	}
	scheme, host := requestedOrigin(requestFrom(ctx).HTTPRequest, s.Proxies)
	return &url.URL{Scheme: scheme, Host: host}
}

// requestedOrigin is the scheme and host that a request asks for, as a trusted proxy
// says them where there is one. A host that is none is as good as unsaid.
func requestedOrigin(r *http.Request, proxies []netip.Prefix) (scheme, host string) {
	scheme = httpbase.ClientScheme(r, proxies)
	for _, host := range []string{httpbase.ClientHost(r, proxies), r.Host} {
		if u, err := url.Parse(
			"//" + host,
		); err == nil && u.Host == host && u.Hostname() != "" &&
			!strings.ContainsAny(host, "'\"`$;&|<>(){}*!\\") {
			return scheme, host
		}
	}
	return scheme, "localhost"
}

// portFor is the port of a listener for devices that know the server as host;
// 0 where there is none, or one that this machine alone reaches while host is
// another's name for it.
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
