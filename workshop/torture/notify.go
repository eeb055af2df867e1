package torture

import (
	"context"
	"time"
)

// mailFails makes the mail server hang, close connections, and send garbage, each while alarms open
// and close.
func mailFails(ctx context.Context, o *Options, r *Row) error {
	return endpointFails(ctx, o, r, "mail", []faultMode{modeHangs, modeRefuses, modeGarbage})
}

// smsFails does the same to the SMS gateway.
func smsFails(ctx context.Context, o *Options, r *Row) error {
	return endpointFails(ctx, o, r, "sms", []faultMode{modeHangs, modeRefuses, modeGarbage})
}

func endpointFails(ctx context.Context, o *Options, r *Row, kind string, modes []faultMode) error {
	h, err := openTestbed(ctx, o, o.Binary, dataDir(o.Dir), 0)
	if err != nil {
		return err
	}
	return withTestbed(h, func() error {
		arm, listener := h.alarms.armMails, h.mail.faultyListener
		arrived, compare := h.waitMails, h.alarms.compareMails
		if kind == "sms" {
			arm, listener = h.alarms.armTexts, h.sms.faultyListener
			arrived, compare = h.waitTexts, h.alarms.compareTexts
		}
		if err := arm(ctx); err != nil {
			return err
		}
		for _, m := range modes {
			if err := h.failRound(ctx, r, listener, m, o.ReleaseHung, arrived); err != nil {
				return err
			}
		}
		compare(r)
		r.Remark = "hangs, hangs up, answers garbage; it rests, then all is told"
		if len(modes) == 1 {
			r.Remark = modes[0].String()
		}
		return h.alarms.checkNotices(ctx, r)
	})
}

// failRound is one round: the mail server or gateway fails, the server notices, it works again, and
// all messages arrive.
func (h *testbed) failRound(
	ctx context.Context,
	r *Row,
	listener *faultyListener,
	m faultMode,
	releaseHung bool,
	arrived func(context.Context) error,
) error {
	listener.setMode(m)
	if err := h.alarms.storm(ctx); err != nil {
		return err
	}
	attempted := func() (bool, error) { return listener.attempts() > 0, nil }
	if err := waitFor(ctx, "a connection to a server that "+m.String(), attempted); err != nil {
		return err
	}
	listener.setMode(modeWorks)
	if releaseHung {
		listener.closeAll()
	}
	began := time.Now()
	if err := arrived(ctx); err != nil {
		return err
	}
	r.Rounds++
	r.noteRecovery(began)
	return nil
}
