package torture

import (
	"context"
	"math/rand/v2"
	"time"
)

// maxMailsInFlight is how many mails a kill may repeat: the outbox has that many in flight at most.
const maxMailsInFlight = 16

// kills ends the server with kill -9 while devices publish, alarms open and close, mails leave, and
// the server seals yesterday, from which the devices' readings are.
func kills(ctx context.Context, o *Options, r *Row) error {
	h, err := openTestbed(ctx, o, o.Binary, dataDir(o.Dir), 0)
	if err != nil {
		return err
	}
	return withTestbed(h, func() error {
		if err := h.alarms.armMails(ctx); err != nil {
			return err
		}
		for range o.Rounds {
			if err := h.killRound(ctx, r); err != nil {
				return err
			}
		}
		r.InFlight = o.Rounds * maxMailsInFlight
		r.Remark = "while devices publish, alarms begin and end, mails leave, a day is sealed; repeated: mails in flight"
		if err := h.waitMails(ctx); err != nil {
			return err
		}
		h.alarms.compareMails(r)
		if err := h.alarms.checkNotices(ctx, r); err != nil {
			return err
		}
		return h.verify(ctx, r)
	})
}

// killRound is one round. The moment of the kill is random, among the mails of a storm.
func (h *testbed) killRound(ctx context.Context, r *Row) error {
	stop, err := h.publish(ctx)
	if err != nil {
		return err
	}
	_, before := h.mail.counts()
	if err := h.alarms.storm(ctx); err != nil {
		return err
	}
	moment := before + rand.IntN(stormAlarms*h.alarms.messagesPerAlarm-maxMailsInFlight)
	if err := waitFor(ctx, "mails before a kill", func() (bool, error) {
		_, all := h.mail.counts()
		return all > moment, nil
	}); err != nil {
		return err
	}
	if err := h.server.Kill(); err != nil {
		return err
	}
	if err := stop(); err != nil {
		return err
	}
	return h.restartAfterFault(ctx, r)
}

// restartAfterFault starts the server again and adds the round to the row, which keeps the longest
// time.
func (h *testbed) restartAfterFault(ctx context.Context, r *Row) error {
	took, err := h.restart(ctx)
	r.Rounds++
	r.Recovered = max(r.Recovered, took)
	return err
}

// withTestbed calls f and then closes the testbed.
func withTestbed(h *testbed, f func() error) error {
	err := f()
	if e := h.close(); err == nil {
		err = e
	}
	return err
}

// noteRecovery keeps the longest recovery time.
func (r *Row) noteRecovery(since time.Time) { r.Recovered = max(r.Recovered, time.Since(since)) }
