package torture

import (
	"context"
	"math/rand/v2"
	"time"
)

// mailsInFlight is how many mails a kill may repeat: as many as the outbox has
// in flight.
const mailsInFlight = 16

// kills ends the server with kill -9 while devices publish, alarms begin and
// end, mails leave and yesterday, which the devices' readings are of, is
// sealed.
func kills(ctx context.Context, o *Options, r *Row) error {
	h, err := open(ctx, o, o.Binary, dataIn(o.Dir), 0)
	if err != nil {
		return err
	}
	return within(h, func() error {
		if err := h.station.armMails(ctx); err != nil {
			return err
		}
		for range o.Rounds {
			if err := h.killed(ctx, r); err != nil {
				return err
			}
		}
		r.InFlight = o.Rounds * mailsInFlight
		r.Remark = "while devices publish, alarms begin and end, mails leave, a day is sealed; repeated: mails in flight"
		if err := h.mailsArrived(ctx); err != nil {
			return err
		}
		h.station.mailed(r)
		if err := h.station.check(ctx, r); err != nil {
			return err
		}
		return h.verify(ctx, r)
	})
}

// killed is one round. The moment of the kill is left to chance: somewhere
// among the mails of a storm.
func (h *house) killed(ctx context.Context, r *Row) error {
	stop, err := h.publish(ctx)
	if err != nil {
		return err
	}
	_, before := h.mails.numbers()
	if err := h.station.storm(ctx); err != nil {
		return err
	}
	moment := before + rand.IntN(stormAlarms*h.station.told-mailsInFlight)
	if err := until(ctx, "mails before a kill", func() (bool, error) {
		_, all := h.mails.numbers()
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
	return h.back(ctx, r)
}

// back starts the server again; the row's time is the longest of all.
func (h *house) back(ctx context.Context, r *Row) error {
	took, err := h.restart(ctx)
	r.Rounds++
	r.Recovered = max(r.Recovered, took)
	return err
}

// within closes the house behind f.
func within(h *house, f func() error) error {
	err := f()
	if e := h.close(); err == nil {
		err = e
	}
	return err
}

// longer keeps the longest recovery.
func (r *Row) longer(since time.Time) { r.Recovered = max(r.Recovered, time.Since(since)) }
