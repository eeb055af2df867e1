package torture

import (
	"context"
	"time"
)

// mailFails lets the mail server say nothing, hang up, and babble, each while
// alarms begin and end.
func mailFails(ctx context.Context, o *Options, r *Row) error {
	return endpointFails(ctx, o, r, "mail", []faultMode{modeHangs, modeRefuses, modeGarbage})
}

// smsFails does the same to the SMS gateway.
func smsFails(ctx context.Context, o *Options, r *Row) error {
	return endpointFails(ctx, o, r, "sms", []faultMode{modeHangs, modeRefuses, modeGarbage})
}

func endpointFails(ctx context.Context, o *Options, r *Row, way string, faultModes []faultMode) error {
	h, err := openTestbed(ctx, o, o.Binary, dataDir(o.Dir), 0)
	if err != nil {
		return err
	}
	return withTestbed(h, func() error {
		arm, end, arrived, compare := h.alarms.armMails, h.mail.faultyListener, h.waitMails, h.alarms.compareMails
		if way == "sms" {
			arm, end, arrived, compare = h.alarms.armTexts, h.sms.faultyListener, h.waitTexts, h.alarms.compareTexts
		}
		if err := arm(ctx); err != nil {
			return err
		}
		for _, m := range faultModes {
			if err := h.failRound(ctx, r, end, m, o.ReleaseHung, arrived); err != nil {
				return err
			}
		}
		compare(r)
		r.Remark = "hangs, hangs up, answers garbage; it rests, then all is told"
		if len(faultModes) == 1 {
			r.Remark = faultModes[0].String()
		}
		return h.alarms.checkNotices(ctx, r)
	})
}

// failRound is one round: a far end fails, the server notices, it works again and
// all are told.
func (h *testbed) failRound(
	ctx context.Context,
	r *Row,
	end *faultyListener,
	m faultMode,
	brief bool,
	arrived func(context.Context) error,
) error {
	end.setMode(m)
	if err := h.alarms.storm(ctx); err != nil {
		return err
	}
	if err := waitFor(
		ctx,
		"somebody to meet a far end that "+m.String(),
		func() (bool, error) { return end.attempts() > 0, nil },
	); err != nil {
		return err
	}
	end.setMode(modeWorks)
	if brief {
		end.closeAll()
	}
	began := time.Now()
	if err := arrived(ctx); err != nil {
		return err
	}
	r.Rounds++
	r.noteRecovery(began)
	return nil
}
