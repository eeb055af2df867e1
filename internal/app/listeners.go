package app

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

// listeners are the addresses that a server listens on. They are taken first of
// all: a port in use is told at once, and who connects meanwhile waits.
type listeners struct{ http, https, mqtt, mqttTLS, admin net.Listener }

func openListeners(ctx context.Context, set *settings.Server) (p listeners, err error) {
	var lc net.ListenConfig
	for _, want := range []struct {
		flag, addr string
		l          *net.Listener
	}{
		{"http-addr", set.HTTPAddr, &p.http}, {"https-addr", set.HTTPSAddr, &p.https}, {"mqtt-addr", set.MQTTAddr, &p.mqtt},
		{"mqtt-tls-addr", set.MQTTTLSAddr, &p.mqttTLS}, {"admin-addr", set.AdminAddr, &p.admin},
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

// listenAddr is what a listener that may be absent listens on, for the log.
func listenAddr(l net.Listener) string {
	if l == nil {
		return "off"
	}
	return l.Addr().String()
}

// deviceListeners is where devices connect.
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

// ignoreClosed is no error where a stop came before serving began.
func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, ingest.ErrClosed) {
		return nil
	}
	return err
}
