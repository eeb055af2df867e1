package notify

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// testTimeout is how long trying a channel may take in all: less than a console
// waits for an answer.
const testTimeout = 8 * time.Second

// TestResult is what became of one recipient when a channel was tried.
type TestResult struct {
	Recipient string
	Kind      ChannelKind
	Logged    bool // it was taken, but by the server's log only: nobody was told
	Took      time.Duration
	Answer    string      // of the far end, or what went wrong
	Err       *errs.Error // the same for a person; nil: the far end took it
}

// SendTest sends a test to all the channel's recipients, as Channel.Try does. Once the
// owner's budget is used up, nobody is told (TooMany).
func (o *Outbox) SendTest(ctx context.Context, owner *tenant.Tenant, c *Channel) ([]TestResult, error) {
	for _, kind := range c.Kinds() {
		b, err := o.budget(ctx, owner, kind)
		if err != nil {
			return nil, err
		}
		if b.Limit > 0 && b.Sent >= b.Limit {
			return nil, errs.New(errs.TooMany, "channel.budget").RetryAfter(time.UnixMilli(b.Until).Sub(o.Now()))
		}
	}
	outcomes, err := c.SendTest(ctx, o.Senders, owner.Language, o.Now)
	notifications := map[ChannelKind]int{}
	for _, one := range outcomes {
		if one.Err == nil && !one.Logged {
			notifications[one.Kind]++
		}
	}
	for kind, n := range notifications {
		err = errors.Join(err, o.countSent(context.WithoutCancel(ctx), owner, kind, n))
	}
	return outcomes, err
}

// SendTest sends a test to all the channel's recipients at once and says what became
// of each, in their order, within testTimeout. fallback is the language of a
// channel that has none of its own. Where none of its ways is set up, nobody is
// told (NotSetUp).
func (c *Channel) SendTest(
	ctx context.Context,
	senders map[ChannelKind]Sender,
	fallback text.Language,
	now func() time.Time,
) ([]TestResult, error) {
	if !slices.ContainsFunc(c.Kinds(), func(kind ChannelKind) bool { return senders[kind] != nil }) {
		return nil, errNotConfigured(c.Kinds()[0])
	}
	language := c.Language
	if language == "" {
		language = fallback
	}
	id := make([]byte, 12)
	_, _ = rand.Read(id) // never fails (crypto/rand)
	var list []TestResult
	for _, kind := range c.Kinds() {
		for _, to := range c.Recipients(kind) {
			list = append(list, TestResult{Recipient: to, Kind: kind})
		}
	}
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	begun := now()
	type reply struct {
		at     int
		answer string
		err    error
	}
	answers, asked := make(chan reply, len(list)), 0
	for i := range list {
		sender := senders[list[i].Kind]
		if sender == nil {
			list[i].Err = errNotConfigured(list[i].Kind)
			continue
		}
		list[i].Took, list[i].Err = testTimeout, noAnswer() // until there is one
		notification := Notification{
			ID: "test-" + hex.EncodeToString(id) + "-" + strconv.Itoa(i), Tenant: c.Tenant, Kind: list[i].Kind,
			Recipient: list[i].Recipient, Language: language, Channel: c.Name,
		}
		asked++
		go func() {
			answer, err := sender.Send(ctx, &notification)
			answers <- reply{i, answer, err}
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
			one.Logged = h.err == nil && logsOnly(senders[one.Kind])
			if h.err != nil {
				one.Answer, one.Err = testFailure(one.Kind, h.err)
			}
		case <-ctx.Done():
			return list, nil // whoever has not answered by now is not waited for
		}
	}
	return list, nil
}

// errNotConfigured is said of a way that is not set up.
func errNotConfigured(kind ChannelKind) *errs.Error {
	if kind == KindSMS {
		return errs.New(errs.NotConfigured, "channel.noGateway")
	}
	return errs.New(errs.NotConfigured, "channel.noMailServer")
}

func noAnswer() *errs.Error {
	return errs.New(errs.Upstream, "channel.noAnswer", "limit", strconv.Itoa(int(testTimeout/time.Second)))
}

// testFailure is what a carrier's error says, as the far end said it and for a
// person.
func testFailure(kind ChannelKind, err error) (answer string, told *errs.Error) {
	var f *Failure
	if !errors.As(err, &f) {
		return "", errs.New(errs.Upstream, "channel.notNow").WithCause(err)
	}
	key := "channel.notNow"
	switch {
	case f.Kind == Permanent && kind == KindSMS:
		key = "channel.smsRefused"
	case f.Kind == Permanent:
		key = "channel.mailRefused"
	case f.Kind == Unavailable && kind == KindSMS:
		key = "channel.smsDown"
	case f.Kind == Unavailable:
		key = "channel.mailDown"
	}
	return f.Answer, errs.New(errs.Upstream, key).WithCause(err)
}
