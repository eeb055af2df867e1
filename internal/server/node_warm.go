package server

import (
	"context"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
)

const (
	// warmDelay is when a node first reads the database ahead: the one that leads may have begun just now,
	// and reads it, too.
	warmDelay = 5 * time.Second
	// warmInterval is how often a standby reads what changed in the database. What changed since then is
	// read when it begins to lead.
	warmInterval = 15 * time.Second
)

// warm is what a standby has read of the database, so that it need not read all of it when it begins to
// lead.
type warm struct {
	devices *device.Warm
	rules   *alarm.Warm
}

// keepWarm reads what changes in the database, until ctx ends. A standby that cannot read it reads all when
// it begins to lead.
func (n *node) keepWarm(ctx context.Context) {
	next := time.NewTimer(warmDelay)
	defer next.Stop()
	failing := false
	for {
		select {
		case <-next.C:
		case <-ctx.Done():
			return
		}
		err := n.refreshWarm(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			n.logger.Warn("cluster: the devices and rules cannot be read ahead, trying again: "+
				"until they are, this node would lead some seconds later", "error", err)
		}
		if failing = err != nil; !failing {
			n.warmed.Store(time.Now().UnixMilli())
		}
		next.Reset(warmInterval)
	}
}

// warmAge is how old what this standby has read ahead is; negative: it has read nothing.
func (n *node) warmAge() time.Duration {
	at := n.warmed.Load()
	if at == 0 || n.wired.Load() {
		return -time.Second
	}
	return time.Since(time.UnixMilli(at))
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
