package torture

import (
	"context"
	"time"
)

// mailFails lets the mail server say nothing, hang up, and babble, each while
// alarms begin and end.
func mailFails(ctx context.Context, o *Options, r *Row) error {
	return farEndFails(ctx, o, r, "mail", []mood{hangs, refuses, babbles})
}

// smsFails does the same to the SMS gateway.
func smsFails(ctx context.Context, o *Options, r *Row) error {
	return farEndFails(ctx, o, r, "sms", []mood{hangs, refuses, babbles})
}

func farEndFails(ctx context.Context, o *Options, r *Row, way string, moods []mood) error {
	h, err := open(ctx, o, o.Binary, dataIn(o.Dir), 0)
	if err != nil {
		return err
	}
	return within(h, func() error {
		arm, end, arrived, compare := h.station.armMails, h.mails.moody, h.mailsArrived, h.station.mailed
		if way == "sms" {
			arm, end, arrived, compare = h.station.armTexts, h.phones.moody, h.textsArrived, h.station.texted
		}
		if err := arm(ctx); err != nil {
			return err
		}
		for _, m := range moods {
			if err := h.failed(ctx, r, end, m, o.Brief, arrived); err != nil {
				return err
			}
		}
		compare(r)
		r.Remark = "hangs, hangs up, answers garbage; it rests, then all is told"
		if len(moods) == 1 {
			r.Remark = moods[0].String()
		}
		return h.station.check(ctx, r)
	})
}

// failed is one round: a far end fails, the server notices, it works again and
// all are told.
func (h *house) failed(ctx context.Context, r *Row, end *moody, m mood, brief bool, arrived func(context.Context) error) error {
	end.become(m)
	if err := h.station.storm(ctx); err != nil {
		return err
	}
	if err := until(ctx, "somebody to meet a far end that "+m.String(), func() (bool, error) { return end.attempts() > 0, nil }); err != nil {
		return err
	}
	end.become(takes)
	if brief {
		end.hangUp()
	}
	began := time.Now()
	if err := arrived(ctx); err != nil {
		return err
	}
	r.Rounds++
	r.longer(began)
	return nil
}
