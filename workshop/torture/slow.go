package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tilth/workshop/bench"
)

const (
	slowShare  = 5  // there is one slow connection for this many idle ones
	slowKinds  = 4  // kinds of slow clients
	slowOpener = 64 // connections that are opened at the same time
)

// slowClients opens thousands of connections that send nothing, send half a request, or stop in the
// middle of a message, while devices publish. The server must serve the devices meanwhile, and
// close the slow connections.
func slowClients(ctx context.Context, o *Options, r *Row) error {
	h, err := openTestbed(ctx, o, o.Binary, dataDir(o.Dir), o.IdleConnections/slowShare/slowKinds/16+1)
	if err != nil {
		return err
	}
	return withTestbed(h, func() error {
		stop, err := h.publish(ctx)
		if err != nil {
			return err
		}
		err = h.slowRound(ctx, max(slowKinds, o.IdleConnections/slowShare), r)
		if err := errors.Join(err, stop()); err != nil {
			return err
		}
		return h.verify(ctx, r)
	})
}

// slowRound opens the connections and waits until the server has closed the last.
func (h *testbed) slowRound(ctx context.Context, n int, r *Row) error {
	if err := h.waitMessages(ctx, messagesBeforeFault); err != nil {
		return err
	}
	httpAddress := strings.TrimPrefix(h.server.Console, "http://")
	spare := h.server.Tenant.Devices[1+loadDevices:]
	var ended atomic.Int64
	opening := new(errgroup.Group)
	opening.SetLimit(slowOpener)
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer func() {
		stop() // ends those that the server has not closed
		all.Wait()
	}()
	for i := range n {
		opening.Go(func() error {
			address, text := h.server.MQTT, ""
			switch i % slowKinds {
			case 1:
				text = "\x10\x40\x00\x04MQTT" // half a CONNECT
			case 2:
				address, text = httpAddress, "POST /api/v1/nobody/telemetry HTTP/1.1\r\nHost: a\r\nContent-Le"
			case 3: // signs in, and stops in the middle of a message
				text = connectPacket(spare[i/slowKinds%len(spare)], i) + "\x32\x40\x00\x17v1/devices/me/tele"
			}
			c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
			if err != nil {
				return err
			}
			all.Go(func() {
				defer context.AfterFunc(ctx, func() { _ = c.Close() })()
				_, _ = io.Copy(io.Discard, c) // until the server ends the connection, in any way
				ended.Add(1)
				_ = c.Close()
			})
			_, err = io.WriteString(c, text)
			return err
		})
	}
	if err := opening.Wait(); err != nil {
		return fmt.Errorf("open %d connections: %w", n, err)
	}
	opened := time.Now()
	now, err := h.server.ReadMetrics(ctx)
	if err != nil {
		return err
	}
	// The server serves the devices while the slow connections stay open.
	if err := h.waitMessages(ctx, now["tilth_edge_messages_total"]+messagesBeforeFault); err != nil {
		return err
	}
	connected := n - int(ended.Load())
	if connected == 0 {
		return errors.New("no slow client was connected while the devices went on")
	}
	allEnded := func() (bool, error) { return int(ended.Load()) == n, nil }
	if err := waitFor(ctx, "the server to close all slow connections", allEnded); err != nil {
		return fmt.Errorf("%w; %d of %d are still open", err, n-int(ended.Load()), n)
	}
	r.Rounds++
	r.noteRecovery(opened)
	r.Remark = fmt.Sprintf("%d clients; %d still connected when the devices went on; then disconnected", n, connected)
	return h.waitMetric(ctx, "tilth_mqtt_connections", func(n float64) bool { return n == loadDevices })
}

// connectPacket returns a CONNECT with a keep-alive of two seconds.
func connectPacket(d bench.Device, i int) string {
	return connectPacketFor(d, fmt.Sprintf("slow-%d", i), 2*time.Second)
}

// connectPacketFor returns a CONNECT of a client.
func connectPacketFor(d bench.Device, client string, keepAlive time.Duration) string {
	body := "\x00\x04MQTT\x04\xC2\x00" + string([]byte{byte(keepAlive / time.Second)})
	for _, s := range []string{client, d.Name, d.Secret} {
		body += string([]byte{byte(len(s) >> 8), byte(len(s))}) + s
	}
	return "\x10" + string([]byte{byte(len(body))}) + body
}
