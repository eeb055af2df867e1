package torture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tilth/workshop/bench"
)

const (
	loadDevices   = 20 // devices that publish as fast as the server acknowledges
	loadWindow    = 16 // messages of each in flight
	unlimitedRate = "1000000000"

	recoveryTimeout = 3 * time.Minute // how long a server may take for anything; more is a failure
	pollInterval    = 20 * time.Millisecond
)

// testbed is a server and its surroundings: devices that publish, a device whose readings open and
// close alarms, a mail server and an SMS gateway.
type testbed struct {
	server *bench.Server
	load   *bench.Load
	mail   *countingMailServer
	sms    *smsGateway
	alarms alarmDevice
}

// openTestbed starts a server on a new folder. It makes extra more devices beside those of the
// load; they come last in the server's tenant.
func openTestbed(ctx context.Context, o *Options, binary, dir string, extra int) (_ *testbed, err error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	h := &testbed{}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	if h.mail, err = newMailServer(ctx); err != nil {
		return nil, err
	}
	if h.sms, err = newSMSGateway(ctx); err != nil {
		return nil, err
	}
	world := bench.NewTenant(1+loadDevices+extra, 2)
	h.server, err = bench.Start(ctx, bench.ServerOptions{
		Binary: binary, Dir: dir, Tenant: world, Apply: apply,
		Args: append(limitless(h.mail),
			"--mqtt-per-address", fmt.Sprint(2*o.IdleConnections+1000),
			"--sms", "http",
			"--sms-url", h.sms.url(),
			"--sms-body", `{"to":"{to}","text":"{text}"}`,
			"--sms-success", "status=ok"),
	})
	if err != nil {
		return nil, err
	}
	loaded := world
	loaded.Devices = world.Devices[1 : 1+loadDevices]
	h.load, err = bench.NewLoad(bench.Options{Connections: loadDevices, Window: loadWindow, Protocol: 4}, loaded)
	if err != nil {
		return nil, err
	}
	h.alarms = alarmDevice{bed: h, device: world.Devices[0], property: world.Properties[0]}
	return h, nil
}

// limitless are the settings of a server that limits neither devices nor messages, and sends mails to a
// mail server.
func limitless(mail *countingMailServer) []string {
	return []string{
		"--device-rate", unlimitedRate,
		"--device-burst", unlimitedRate,
		"--notices-an-hour", "0",
		"--digest-after", "0",
		"--mails-a-day", "0",
		"--sms-a-day", "0",
		"--smtp-url", "smtp://" + mail.address() + "?tls=none&from=alerts@farm.example",
	}
}

// close stops everything; the server with SIGTERM, unless it has ended.
func (h *testbed) close() error {
	var err error
	if h.server != nil {
		select {
		case <-h.server.Ended(): // the fault ended it and reported errors
		default:
			err = h.server.Stop()
		}
	}
	if h.mail != nil {
		err = errors.Join(err, h.mail.close())
	}
	if h.sms != nil {
		err = errors.Join(err, h.sms.close())
	}
	return err
}

// publish makes the devices of the load publish until the caller calls stop, which returns the
// error. Broken connections are no error.
func (h *testbed) publish(ctx context.Context) (stop func() error, err error) {
	if err := h.load.Connect(ctx, h.server.MQTT); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- h.load.Publish(ctx) }()
	return func() error { cancel(); return <-ended }, nil
}

// waitFor calls done again and again until it returns true: the server is another process and sends
// no event.
func waitFor(ctx context.Context, what string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, recoveryTimeout)
	defer cancel()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("timed out waiting for %s: %w", what, ctx.Err())
		case <-time.After(pollInterval):
		}
	}
}

// waitMetric waits until a metric has a wanted value.
func (h *testbed) waitMetric(ctx context.Context, name string, wanted func(float64) bool) error {
	return waitFor(ctx, name, func() (bool, error) {
		f, err := h.server.ReadMetrics(ctx)
		return err == nil && wanted(f[name]), err
	})
}

// waitMessages waits until the server has accepted so many messages since its start.
func (h *testbed) waitMessages(ctx context.Context, messages float64) error {
	return h.waitMetric(ctx, "tilth_edge_messages_total", func(n float64) bool { return n >= messages })
}

// restart starts the server again and returns how long that took, until it admits devices.
func (h *testbed) restart(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	err := h.server.Restart(ctx)
	return time.Since(began), err
}

// verify reads back all messages that the server acknowledged to the load's devices, and adds the
// counts to the row. Values that were never sent are an error.
func (h *testbed) verify(ctx context.Context, r *Row) error {
	person, err := h.server.SignIn(ctx)
	if err != nil {
		return err
	}
	v, err := h.load.Verify(ctx, person)
	if err != nil {
		return err
	}
	r.Checked += v.Checked
	r.Lost += v.Lost
	if v.Wrong > 0 || v.Extra > 0 || v.Lost > 0 {
		return fmt.Errorf(
			"%d values lost, %d wrong, %d never sent or stored twice; the first: %s",
			v.Lost,
			v.Wrong,
			v.Extra,
			v.Example,
		)
	}
	return nil
}

// apply sends a provider's file to the server.
func apply(ctx context.Context, admin, token string, file []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, admin+"/provider-api/v1/apply", bytes.NewReader(file))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/yaml")
	r.Header.Set("Authorization", "Bearer "+token)
	status, body, err := doRequest(r)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("apply: %d %s", status, body)
	}
	return err
}

// doRequest makes a request and returns its status and the beginning of its body.
func doRequest(r *http.Request) (status int, body string, err error) {
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }() // the body was read as far as needed
	text, err := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	return res.StatusCode, strings.TrimSpace(string(text)), err
}

// readiness returns the status and the text of /readyz.
func (h *testbed) readiness(ctx context.Context) (status int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.server.Console+"/readyz", http.NoBody)
	if err != nil {
		return 0, "", err
	}
	return doRequest(r)
}

// dataDir returns the server's data folder within dir.
func dataDir(dir string) string { return filepath.Join(dir, "data") }
