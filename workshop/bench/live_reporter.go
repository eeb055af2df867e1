package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// reportingDevice is a device that sends readings of now at an interval, each after the one before
// is acknowledged.
type reportingDevice struct {
	connection
	device   Device
	tenant   int
	busyOnly bool // reports only in busy parts, and then often
	acked    *atomic.Int64
	reports  []ackedReading // in order of their times
}

// ackedReading is a reading that was acknowledged.
type ackedReading struct {
	time  int64 // its own, epoch ms
	acked time.Duration
	part  int
}

func (o *LiveOptions) reporters(tenants []Tenant, acked []atomic.Int64) []*reportingDevice {
	var all []*reportingDevice
	for t, w := range tenants {
		for i, d := range w.Devices {
			all = append(all, &reportingDevice{
				connection: connection{protocol: 4, stream: newMessageSource(len(all), 0, w.Properties)},
				device:     d, tenant: t, busyOnly: i > 0, acked: &acked[t],
			})
		}
	}
	return all
}

func connectAll(ctx context.Context, all []*reportingDevice, address string) error {
	open, ctx := errgroup.WithContext(ctx)
	open.SetLimit(parallelDials)
	for _, r := range all {
		open.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, dialTimeout)
			defer cancel()
			if err := r.dial(ctx, address, r.device, 1); err != nil {
				r.nc = nil
				return fmt.Errorf("%s: %w", r.device.Name, err)
			}
			return nil
		})
	}
	return open.Wait()
}

func closeAll(all []*reportingDevice) error {
	var err error
	for _, r := range all {
		if r.nc != nil {
			err = errors.Join(err, r.nc.Close())
		}
	}
	return err
}

// run reports at each interval, from offset after now on, until the time is over.
func (r *reportingDevice) run(
	ctx context.Context,
	part int,
	began time.Time,
	offset, every time.Duration,
	until time.Time,
) error {
	if err := r.nc.SetDeadline(until.Add(drainTime)); err != nil {
		return err
	}
	turn := time.NewTimer(offset)
	defer turn.Stop()
	for next := time.Now().Add(offset); next.Before(until); next = next.Add(every) {
		turn.Reset(time.Until(next))
		select {
		case <-turn.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := r.report(part, began); err != nil {
			return fmt.Errorf("%s: %w", r.device.Name, err)
		}
	}
	return nil
}

// report sends a reading and waits for its acknowledgement.
func (r *reportingDevice) report(part int, began time.Time) error {
	at := time.Now().UnixMilli()
	if n := len(r.reports); n > 0 {
		at = max(at, r.reports[n-1].time+1)
	}
	const id = 1
	r.payload = r.appendReading(r.payload[:0], at)
	r.out = appendPublish(r.out, r.protocol, id, r.payload)
	if err := r.flush(); err != nil {
		return err
	}
	got, reason, err := r.packets.readPuback()
	switch {
	case err != nil:
		return err
	case got != id || reason >= 0x80:
		return fmt.Errorf("acknowledgement of packet %d, reason %#x", got, reason)
	}
	r.reports = append(r.reports, ackedReading{time: at, acked: time.Since(began), part: part})
	r.acked.Add(1)
	return nil
}

func (r *reportingDevice) appendReading(b []byte, at int64) []byte {
	b = append(b, `{"ts":`...)
	b = strconv.AppendInt(b, at, 10)
	b = append(b, `,"values":`...)
	for i, key := range r.stream.keys {
		if i == 0 {
			b = append(b, '{')
		} else {
			b = append(b, ',')
		}
		b = append(b, key...)
		b = strconv.AppendFloat(b, r.stream.value(len(r.reports), i), 'f', 2, 64)
	}
	return append(b, "}}"...)
}
