package notify

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"time"

	"tilth/internal/errs"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

// tryWithin is how long trying a channel may take in all: less than a console
// waits for an answer.
const tryWithin = 8 * time.Second

// Outcome is what became of one recipient when a channel was tried.
type Outcome struct {
	Recipient string
	Mode      Mode
	Logged    bool // it was taken, but by the server's log only: nobody was told
	Took      time.Duration
	Answer    string      // of the far end, or what went wrong
	Err       *errs.Error // the same for a person; nil: the far end took it
}

// Try sends a test to all the channel's recipients, as Channel.Try does. Once the
// owner's budget is used up, nobody is told (TooMany).
func (o *Outbox) Try(ctx context.Context, owner *tenant.Tenant, c *Channel) ([]Outcome, error) {
	for _, m := range c.Modes() {
		b, err := o.budget(ctx, owner, m)
		if err != nil {
			return nil, err
		}
		if b.Of > 0 && b.Letters >= b.Of {
			return nil, errs.New(errs.TooMany, "channel.budget").RetryAfter(time.UnixMilli(b.Until).Sub(o.Now()))
		}
	}
	outcomes, err := c.Try(ctx, o.Carriers, owner.Language, o.Now)
	letters := map[Mode]int{}
	for _, one := range outcomes {
		if one.Err == nil && !one.Logged {
			letters[one.Mode]++
		}
	}
	for m, n := range letters {
		err = errors.Join(err, o.countLetters(context.WithoutCancel(ctx), owner, m, n))
	}
	return outcomes, err
}

// Try sends a test to all the channel's recipients at once and says what became
// of each, in their order, within tryWithin. fallback is the language of a
// channel that has none of its own. Where none of its ways is set up, nobody is
// told (NotSetUp).
func (c *Channel) Try(ctx context.Context, carriers map[Mode]Carrier, fallback text.Language, now func() time.Time) ([]Outcome, error) {
	if !slices.ContainsFunc(c.Modes(), func(m Mode) bool { return carriers[m] != nil }) {
		return nil, off(c.Modes()[0])
	}
	language := c.Language
	if language == "" {
		language = fallback
	}
	id := make([]byte, 12)
	_, _ = rand.Read(id) // never fails (crypto/rand)
	var list []Outcome
	for _, m := range c.Modes() {
		for _, to := range c.Recipients(m) {
			list = append(list, Outcome{Recipient: to, Mode: m})
		}
	}
	ctx, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	begun := now()
	type heard struct {
		at     int
		answer string
		err    error
	}
	answers, asked := make(chan heard, len(list)), 0
	for i := range list {
		carrier := carriers[list[i].Mode]
		if carrier == nil {
			list[i].Err = off(list[i].Mode)
			continue
		}
		list[i].Took, list[i].Err = tryWithin, noAnswer() // until there is one
		letter := Letter{
			ID: "test-" + hex.EncodeToString(id) + "-" + strconv.Itoa(i), Tenant: c.Tenant, Mode: list[i].Mode,
			Recipient: list[i].Recipient, Language: language, Channel: c.Name,
		}
		asked++
		go func() {
			answer, err := carrier.Carry(ctx, &letter)
			answers <- heard{i, answer, err}
		}()
	}
	for ; asked > 0; asked-- {
		select {
		case h := <-answers:
			if h.err != nil && ctx.Err() != nil {
				continue // it was called back
			}
			one := &list[h.at]
			one.Took, one.Answer, one.Err = now().Sub(begun), h.answer, nil
			one.Logged = h.err == nil && logsOnly(carriers[one.Mode])
			if h.err != nil {
				one.Answer, one.Err = untold(one.Mode, h.err)
			}
		case <-ctx.Done():
			return list, nil // whoever has not answered by now is not waited for
		}
	}
	return list, nil
}

// off is said of a way that is not set up.
func off(m Mode) *errs.Error {
	if m == Phone {
		return errs.New(errs.NotConfigured, "channel.noGateway")
	}
	return errs.New(errs.NotConfigured, "channel.noMailServer")
}

func noAnswer() *errs.Error {
	return errs.New(errs.Upstream, "channel.noAnswer", "limit", strconv.Itoa(int(tryWithin/time.Second)))
}

// untold is what a carrier's error says, as the far end said it and for a
// person.
func untold(m Mode, err error) (answer string, told *errs.Error) {
	var f *Failure
	if !errors.As(err, &f) {
		return "", errs.New(errs.Upstream, "channel.notNow").WithCause(err)
	}
	key := "channel.notNow"
	switch {
	case f.Trouble == Refused && m == Phone:
		key = "channel.smsRefused"
	case f.Trouble == Refused:
		key = "channel.mailRefused"
	case f.Trouble == Down && m == Phone:
		key = "channel.smsDown"
	case f.Trouble == Down:
		key = "channel.mailDown"
	}
	return f.Answer, errs.New(errs.Upstream, key).WithCause(err)
}
