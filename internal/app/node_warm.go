package app

import (
	"context"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
)

// warmInterval is how often a standby reads what changed in the database. What changed since then is read
// when it begins to lead.
const warmInterval = 15 * time.Second

// warm is what a standby has read of the database, so that it need not read all of it when it begins to
// lead.
type warm struct {
	devices *device.Warm
	rules   *alarm.Warm
}

func (w *warm) ofDevices() *device.Warm {
	if w == nil {
		return nil
	}
	return w.devices
}

func (w *warm) ofRules() *alarm.Warm {
	if w == nil {
		return nil
	}
	return w.rules
}

// keepWarm reads what changes in the database, until ctx ends. A standby that cannot read it reads all when
// it begins to lead.
func (n *node) keepWarm(ctx context.Context) {
	tick := time.NewTicker(warmInterval)
	defer tick.Stop()
	failing := false
	for ctx.Err() == nil {
		err := n.refreshWarm(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			n.logger.Warn("cluster: the devices and rules cannot be read ahead, trying again: "+
				"until they are, this node would lead some seconds later", "error", err)
		}
		failing = err != nil
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

func (n *node) refreshWarm(ctx context.Context) error {
	if n.base.warm == nil {
		n.base.warm = &warm{devices: device.NewWarm(), rules: alarm.NewWarm(n.follow)}
	}
	if err := n.base.warm.devices.Refresh(ctx, n.follow.Read(ctx)); err != nil {
		return err
	}
	return n.base.warm.rules.Refresh(ctx)
}
