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

	"tilth/internal/tools/bench"
)

const (
	loadDevices   = 20 // that publish as fast as they are answered
	loadWindow    = 16 // messages of each in flight
	unlimitedRate = "1000000000"

	recoveryTimeout = 3 * time.Minute // for what a server must do; passing it is a fault found
	pollInterval    = 20 * time.Millisecond
)

// testbed is a server with what surrounds it: devices that publish, a station
// whose storms begin and end alarms, a mail server and an SMS gateway.
type testbed struct {
	server *bench.Server
	load   *bench.Load
	mail   *countingMailServer
	sms    *smsGateway
	alarms alarmDevice
}

// openTestbed starts a server on a folder that does not hold one yet. extra devices
// are made beside those of the load; they come last in the target's world.
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
		Args: []string{
			"--device-rate",
			unlimitedRate,
			"--device-burst",
			unlimitedRate,
			"--notices-an-hour",
			"0",
			"--mqtt-per-address",
			fmt.Sprint(2*o.IdleConnections + 1000),
			"--digest-after",
			"0",
			"--mails-a-day",
			"0",
			"--sms-a-day",
			"0",
			"--smtp-url",
			"smtp://" + h.mail.address() + "?tls=none&from=alerts@farm.example",
			"--sms",
			"http",
			"--sms-url",
			h.sms.url(),
			"--sms-body",
			`{"to":"{to}","text":"{text}"}`,
			"--sms-success",
			"status=ok",
		},
	})
	if err != nil {
		return nil, err
	}
	field := world
	field.Devices = world.Devices[1 : 1+loadDevices]
	h.load, err = bench.NewLoad(bench.Options{Connections: loadDevices, Window: loadWindow, Protocol: 4}, field)
	if err != nil {
		return nil, err
	}
	h.alarms = alarmDevice{bed: h, device: world.Devices[0], property: world.Properties[0]}
	return h, nil
}

// close ends everything; the server in an orderly way, unless it has ended.
func (h *testbed) close() error {
	var err error
	if h.server != nil {
		select {
		case <-h.server.Ended(): // by the fault, which has told of it
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

// publish lets the devices of the load publish until stop is called, which
// answers what went wrong. Broken connections are no fault.
func (h *testbed) publish(ctx context.Context) (stop func() error, err error) {
	if err := h.load.Connect(ctx, h.server.MQTT); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- h.load.Publish(ctx) }()
	return func() error { cancel(); return <-ended }, nil
}

// waitFor asks again and again until done answers true: a server is another
// process, which tells of nothing by itself.
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
			return fmt.Errorf("waited in vain for %s: %w", what, ctx.Err())
		case <-time.After(pollInterval):
		}
	}
}

// waitMetric waits until a figure of the metrics page is as wanted.
func (h *testbed) waitMetric(ctx context.Context, name string, wanted func(float64) bool) error {
	return waitFor(ctx, name, func() (bool, error) {
		f, err := h.server.ReadMetrics(ctx)
		return err == nil && wanted(f[name]), err
	})
}

// waitMessages waits until the server, since its start, has taken so many messages in.
func (h *testbed) waitMessages(ctx context.Context, messages float64) error {
	return h.waitMetric(ctx, "tilth_edge_messages_total", func(n float64) bool { return n >= messages })
}

// restart starts the server again and answers how long that took, until it
// lets devices in.
func (h *testbed) restart(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	err := h.server.Restart(ctx)
	return time.Since(began), err
}

// verify reads back all that the load's devices were acknowledged, and enters
// it in the row. What was never sent must not be there.
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
			"%d values lost, %d wrong, %d never sent or there twice; the first: %s",
			v.Lost,
			v.Wrong,
			v.Extra,
			v.Example,
		)
	}
	return nil
}

// apply hands a provider's file to the server.
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

// doRequest makes a request and answers its status and the beginning of its body.
func doRequest(r *http.Request) (status int, body string, err error) {
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }() // what was read of it counts
	text, err := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	return res.StatusCode, strings.TrimSpace(string(text)), err
}

// readiness is what /readyz says.
func (h *testbed) readiness(ctx context.Context) (status int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.server.Console+"/readyz", http.NoBody)
	if err != nil {
		return 0, "", err
	}
	return doRequest(r)
}

// dataDir is a server's folder within another.
func dataDir(dir string) string { return filepath.Join(dir, "data") }
