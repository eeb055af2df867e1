package torture

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tilth/workshop/bench"
)

// connectionsPerDevice is how many connections a device may have.
const connectionsPerDevice = 16

// idleClients opens thousands of idle connections, lets devices publish beside them, and kills the
// server: all must be able to connect again at once.
func idleClients(ctx context.Context, o *Options, r *Row) error {
	h, err := openTestbed(ctx, o, o.Binary, dataDir(o.Dir), o.IdleConnections/connectionsPerDevice+1)
	if err != nil {
		return err
	}
	return withTestbed(h, func() error {
		world := h.server.Tenant
		world.Devices = world.Devices[1+loadDevices:]
		idle, err := bench.NewLoad(bench.Options{Connections: o.IdleConnections, Window: 1, Protocol: 4}, world)
		if err != nil {
			return err
		}
		if err := idle.Connect(ctx, h.server.MQTT); err != nil {
			return err
		}
		stop, err := h.publish(ctx)
		if err != nil {
			return errors.Join(err, idle.Close())
		}
		err = errors.Join(
			h.waitMessages(ctx, messagesBeforeFault),
			h.waitAllConnected(ctx, o.IdleConnections),
			h.server.Kill(),
			stop(),
			idle.Close(),
		)
		if err != nil {
			return err
		}
		began := time.Now()
		if _, err := h.restart(ctx); err != nil {
			return err
		}
		if err := idle.Connect(ctx, h.server.MQTT); err != nil {
			return err
		}
		r.Rounds++
		r.noteRecovery(began)
		if stop, err = h.publish(ctx); err != nil {
			return errors.Join(err, idle.Close())
		}
		err = errors.Join(
			h.waitMessages(ctx, messagesBeforeFault),
			h.waitAllConnected(ctx, o.IdleConnections),
			stop(),
			idle.Close(),
		)
		if err != nil {
			return err
		}
		r.Remark = fmt.Sprintf("%d of them, all back after a kill", o.IdleConnections)
		return h.verify(ctx, r)
	})
}

// waitAllConnected waits until the server counts the idle connections and those of the load.
func (h *testbed) waitAllConnected(ctx context.Context, idle int) error {
	return h.waitMetric(ctx, "tilth_mqtt_connections", func(n float64) bool { return n == float64(idle+loadDevices) })
}
