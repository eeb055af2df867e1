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

// stepOffsets are the offsets from the true time to which the clock is set, one after the other.
var stepOffsets = []time.Duration{time.Hour, 0, 2 * time.Hour, -30 * time.Minute, 26 * time.Hour, 0}

// clockSteps sets the clock of a server that receives readings, evaluates rules and sends mails.
// The machine's clock does not change: the server is the same program with a standard library whose
// time.Now adds the offset in a file (scripts/torture.sh).
func clockSteps(ctx context.Context, o *Options, r *Row) error {
	if o.SteppedBinary == "" {
		return fmt.Errorf("%w: it needs a tilth of its own, which make torture builds", errNotRun)
	}
	clock := filepath.Join(o.Dir, "clock")
	program := filepath.Join(o.Dir, "tilth")
	script := fmt.Sprintf(
		"#!/bin/sh\nTORTURE_CLOCK=%s exec %s \"$@\"\n",
		shellQuote(clock),
		shellQuote(o.SteppedBinary),
	)
	if err := errors.Join(setClock(clock, 0), os.WriteFile(program, []byte(script), 0o700)); err != nil {
		return err
	}
	h, err := openTestbed(ctx, o, program, dataDir(o.Dir), 0)
	if err != nil {
		return err
	}
	return withTestbed(h, func() error {
		if err := h.alarms.armMails(ctx); err != nil {
			return err
		}
		for latest, i := time.Duration(0), 0; i < len(stepOffsets); i++ {
			if err := h.stepRound(ctx, r, clock, stepOffsets[i], stepOffsets[i] > latest); err != nil {
				return fmt.Errorf("clock at %s: %w", stepOffsets[i], err)
			}
			latest = max(latest, stepOffsets[i])
		}
		r.Remark = "by up to 26 hours, there and back; storms while it is ahead of where it ever was"
		h.alarms.compareMails(r)
		if err := h.alarms.checkNotices(ctx, r); err != nil {
			return err
		}
		return h.verify(ctx, r)
	})
}

// stepRound is one round: the clock steps while devices publish, and the server keeps serving them.
// If the clock is ahead of every earlier time, so are the readings of a storm, and the server sends
// mails about it. Readings older than earlier ones are late and open no notice by design.
func (h *testbed) stepRound(ctx context.Context, r *Row, clock string, step time.Duration, newer bool) error {
	stop, err := h.publish(ctx)
	if err != nil {
		return err
	}
	now, err := h.server.ReadMetrics(ctx)
	if err != nil {
		return errors.Join(err, stop())
	}
	accepted := now["tilth_edge_messages_total"]
	err = errors.Join(h.waitMessages(ctx, accepted+messagesBeforeFault), setClock(clock, step))
	began := time.Now()
	if err == nil {
		err = h.waitMessages(ctx, accepted+2*messagesBeforeFault)
	}
	if err == nil && newer {
		h.alarms.clockAhead = step
		err = h.alarms.storm(ctx)
	}
	if err == nil && newer {
		err = h.waitMails(ctx)
	}
	r.noteRecovery(began)
	r.Rounds++
	return errors.Join(err, stop())
}

// setClock sets the server's clock ahead by whole seconds.
func setClock(clock string, ahead time.Duration) error {
	f, err := os.OpenFile(clock, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	b := binary.NativeEndian.AppendUint64(nil, uint64(int64(ahead/time.Second)))
	_, err = f.WriteAt(b, 0)
	return errors.Join(err, f.Close())
}

// shellQuote quotes a word for a shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
