package notify

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// testTimeout bounds a whole test of a channel: less than the console waits for an answer.
const testTimeout = 8 * time.Second

// TestResult is the result of a channel's test message to one recipient.
type TestResult struct {
	Recipient string
	Kind      ChannelKind
	Logged    bool // it was only written to the server's log: it reached nobody
	Took      time.Duration
	Answer    string      // of the remote server, or what went wrong
	Err       *errs.Error // the same for a user; nil: the remote server accepted it
}

// SendTest sends a test message to all recipients of the channel, as Channel.SendTest does. Once
// the owner's budget is used up, it sends nothing (TooMany).
func (o *Outbox) SendTest(ctx context.Context, owner *tenant.Tenant, c *Channel) ([]TestResult, error) {
	for _, kind := range c.Kinds() {
		b, err := o.budget(ctx, owner, kind)
		if err != nil {
			return nil, wrap("read budget", err)
		}
		if b.Limit > 0 && b.Sent >= b.Limit {
			return nil, errs.New(errs.TooMany, "channel.budget").RetryAfter(time.UnixMilli(b.Until).Sub(o.Now()))
		}
	}
	results, err := c.SendTest(ctx, o.pacedSenders(), owner.Language, o.Now)
	sent := map[ChannelKind]int{}
	for _, one := range results {
		if one.Err == nil && !one.Logged {
			sent[one.Kind]++
		}
	}
	for kind, n := range sent {
		counted := o.countSent(context.WithoutCancel(ctx), owner, kind, n)
		err = errors.Join(err, wrap("count test messages", counted))
	}
	return results, err
}

// pacedSenders are the senders, of which those of kinds with a pace keep it.
func (o *Outbox) pacedSenders() map[ChannelKind]Sender {
	senders := maps.Clone(o.Senders)
	for name, l := range o.workers {
		if l.pace != nil && l.sender != nil {
			senders[name] = pacedSender{l.sender, l.pace, l.spec}
		}
	}
	return senders
}

// SendTest sends a test message to all recipients of the channel in parallel and gives the result
// of each, in their order, within testTimeout. fallback is the language of a channel that has none
// of its own. If none of the channel's kinds is set up, it sends nothing (NotConfigured).
func (c *Channel) SendTest(
	ctx context.Context,
	senders map[ChannelKind]Sender,
	fallback text.Language,
	now func() time.Time,
) ([]TestResult, error) {
	if !slices.ContainsFunc(c.Kinds(), func(kind ChannelKind) bool { return senders[kind] != nil }) {
		return nil, kindOf(c.Kinds()[0]).NotSetUp()
	}
	language := c.Language
	if language == "" {
		language = fallback
	}
	id := make([]byte, 12)
	_, _ = rand.Read(id) // never fails (crypto/rand)
	var list []TestResult
	for _, kind := range c.Kinds() {
		for _, to := range c.To[kind] {
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
			list[i].Err = kindOf(list[i].Kind).NotSetUp()
			continue
		}
		list[i].Took, list[i].Err = testTimeout, noAnswer() // until it answers
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
		case r := <-answers:
			if r.err != nil && ctx.Err() != nil {
				continue // the timeout aborted it
			}
			one := &list[r.at]
			one.Took, one.Answer, one.Err = now().Sub(begun), r.answer, nil
			one.Logged = r.err == nil && logsOnly(senders[one.Kind])
			if r.err != nil {
				one.Answer, one.Err = testFailure(one.Kind, r.err)
			}
		case <-ctx.Done():
			return list, nil // the remaining answers come too late
		}
	}
	return list, nil
}

// reasonTexts are the texts of the reasons that a Failure may have.
var reasonTexts = map[Reason]string{
	UnknownRecipient: "channel.recipientUnknown", BlockedByRecipient: "channel.recipientBlocked",
}

func noAnswer() *errs.Error {
	return errs.New(errs.Upstream, "channel.noAnswer", "limit", strconv.Itoa(int(testTimeout/time.Second)))
}

// testFailure translates a sender's error into the remote server's answer and an error for the
// user.
func testFailure(kind ChannelKind, err error) (answer string, shown *errs.Error) {
	var f *Failure
	if !errors.As(err, &f) {
		return "", errs.New(errs.Upstream, "channel.notNow").WithCause(err)
	}
	key := "channel.notNow"
	k := kindOf(kind)
	switch {
	case f.Kind == Permanent && f.Reason != "":
		key = reasonTexts[f.Reason]
	case f.Kind == Permanent:
		key = k.texts().Refused
	case f.Kind == Unavailable:
		key = k.texts().Down
	}
	return f.Answer, k.error(errs.Upstream, key).WithCause(err)
}
