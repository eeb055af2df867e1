package torture

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// steps are where the clock is set, from the true time, one after the other.
var steps = []time.Duration{time.Hour, 0, 2 * time.Hour, -30 * time.Minute, 26 * time.Hour, 0}

// clockSteps sets the clock of a server that takes readings in, judges and
// tells. This machine's clock is left alone: the server is the same program over
// a standard library whose time.Now reads a file, too (scripts/torture.sh).
func clockSteps(ctx context.Context, o *Options, r *Row) error {
	if o.Stepped == "" {
		return fmt.Errorf("%w: it needs a tilth of its own, which make torture builds", errNotRun)
	}
	clock := filepath.Join(o.Dir, "clock")
	program := filepath.Join(o.Dir, "tilth")
	script := fmt.Sprintf("#!/bin/sh\nTORTURE_CLOCK=%s exec %s \"$@\"\n", quoted(clock), quoted(o.Stepped))
	if err := errors.Join(set(clock, 0), os.WriteFile(program, []byte(script), 0o700)); err != nil {
		return err
	}
	h, err := open(ctx, o, program, dataIn(o.Dir), 0)
	if err != nil {
		return err
	}
	return within(h, func() error {
		if err := h.station.armMails(ctx); err != nil {
			return err
		}
		for latest, i := time.Duration(0), 0; i < len(steps); i++ {
			if err := h.stepped(ctx, r, clock, steps[i], steps[i] > latest); err != nil {
				return fmt.Errorf("clock at %s: %w", steps[i], err)
			}
			latest = max(latest, steps[i])
		}
		r.Remark = "by up to 26 hours, there and back; storms while it is ahead of where it ever was"
		h.station.mailed(r)
		if err := h.station.check(ctx, r); err != nil {
			return err
		}
		return h.verify(ctx, r)
	})
}

// stepped is one round: the clock steps while devices publish, who are served on.
// Where time is newer than it ever was, so are a storm's readings, and it is told
// of; readings of an older time than those before are late ones by design.
func (h *house) stepped(ctx context.Context, r *Row, clock string, step time.Duration, newer bool) error {
	stop, err := h.publish(ctx)
	if err != nil {
		return err
	}
	now, err := h.server.ReadMetrics(ctx)
	if err != nil {
		return errors.Join(err, stop())
	}
	taken := now["tilth_edge_messages_total"]
	err = errors.Join(h.taken(ctx, taken+before), set(clock, step))
	began := time.Now()
	if err == nil {
		err = h.taken(ctx, taken+2*before)
	}
	if err == nil && newer {
		h.station.ahead = step
		err = h.station.storm(ctx)
	}
	if err == nil && newer {
		err = h.mailsArrived(ctx)
	}
	r.longer(began)
	r.Rounds++
	return errors.Join(err, stop())
}

// set sets the clock ahead by whole seconds.
func set(clock string, ahead time.Duration) error {
	f, err := os.OpenFile(clock, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	b := binary.NativeEndian.AppendUint64(nil, uint64(int64(ahead/time.Second)))
	_, err = f.WriteAt(b, 0)
	return errors.Join(err, f.Close())
}

// quoted is a word for a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
