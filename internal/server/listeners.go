package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"tilth/internal/edge/console"
	"tilth/internal/edge/ingest"
	"tilth/internal/settings"
)

// listeners are the open ports of a server. The server opens them first: it reports a port in use
// at once, and clients that connect during the start wait.
type listeners struct{ http, https, mqtt, mqttTLS, admin net.Listener }

func openListeners(ctx context.Context, set *settings.Server) (p listeners, err error) {
	var lc net.ListenConfig
	for _, want := range []struct {
		flag, addr string
		l          *net.Listener
	}{
		{"http-addr", set.HTTPAddr, &p.http},
		{"https-addr", set.HTTPSAddr, &p.https},
		{"mqtt-addr", set.MQTTAddr, &p.mqtt},
		{"mqtt-tls-addr", set.MQTTTLSAddr, &p.mqttTLS},
		{"admin-addr", set.AdminAddr, &p.admin},
	} {
		if want.addr == "" {
			continue
		}
		if *want.l, err = lc.Listen(ctx, "tcp", want.addr); err != nil {
			return p, errors.Join(fmt.Errorf("--%s: %w", want.flag, err), p.close())
		}
	}
	return p, nil
}

// listenAddr is the address of a listener, which may be nil, for the log.
func listenAddr(l net.Listener) string {
	if l == nil {
		return "off"
	}
	return l.Addr().String()
}

// deviceListeners are the addresses where devices connect.
func (p listeners) deviceListeners() console.Listeners {
	l := console.Listeners{MQTT: p.mqtt.Addr()}
	if p.mqttTLS != nil {
		l.MQTTTLS = p.mqttTLS.Addr()
	}
	return l
}

func (p listeners) close() error {
	var err error
	for _, l := range []net.Listener{p.http, p.https, p.mqtt, p.mqttTLS, p.admin} {
		if l != nil {
			if e := l.Close(); !errors.Is(e, net.ErrClosed) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}

// ignoreClosed drops the error of a server that was stopped before it began to serve.
func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, ingest.ErrClosed) {
		return nil
	}
	return err
}
