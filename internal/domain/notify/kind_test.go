package notify_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// Every kind has what the registry needs of it.
func TestKindsAreComplete(t *testing.T) {
	labels := map[string]bool{}
	for _, k := range notify.AllKinds() {
		if k.Name == "" || k.Label == "" || labels[k.Label] || k.MaxInFlight == 0 {
			t.Errorf("%+v", k)
		}
		labels[k.Label] = true
		switch {
		case k.Programs:
			continue
		case k.Field == "" || k.MaxRecipients == 0 || k.Normalize == nil || k.Destination == nil:
			t.Errorf("%s: %+v", k.Name, k)
		case k.Other && (k.Field != "others" || k.Title == ""):
			t.Errorf("%s: %q %q", k.Name, k.Field, k.Title)
		}
	}
}

func chats(list ...string) *notify.ChannelForm {
	return filled(func(f *notify.ChannelForm) {
		f.Kinds, f.To = []string{"telegram"}, notify.Recipients{notify.KindTelegram: list}
	})
}

func TestTelegramChats(t *testing.T) {
	c, err := chats(" 4503599627370495 ", "-4503599627370495", "−1001234567890", "＠Farm_alerts").Channel(7)
	want := []string{"4503599627370495", "-4503599627370495", "-1001234567890", "@Farm_alerts"}
	if err != nil || !slices.Equal(c.To[notify.KindTelegram], want) {
		t.Errorf("%v %v", c.To, err)
	}
	for _, wrong := range []string{
		"0", "-0", "007", "+5", "4503599627370496", "-4503599627370496", "99999999999999999999", "1.5", "--5", "5 6", "@ab", "@1abcd",
		"@farm-alerts", "farm_alerts", "@" + fmt.Sprintf("%033d", 0), "https://t.me/farm", "٥٥٥", "5\n6",
	} {
		if _, err := chats(wrong).Channel(7); errs.As(err).Key != "channel.otherFormat" ||
			errs.As(err).Args["kind"] != "Telegram" {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	for key, form := range map[string]*notify.ChannelForm{
		"channel.otherEmpty": chats(" "), "channel.otherTwice": chats("@Farm_alerts", "@farm_ALERTS"),
		"invalid.many": chats(func() (list []string) {
			for i := range 21 {
				list = append(list, fmt.Sprint(i+1))
			}
			return list
		}()...),
	} {
		if _, err := form.Channel(7); errs.As(err).Key != key {
			t.Errorf("%v, want %s", err, key)
		}
	}
}

// telegramFixture is an outbox with a channel of chats, and the sender that gets its messages.
func telegramFixture(t *testing.T, list ...string) (*outboxFixture, *testkit.FakeSender, int64) {
	t.Helper()
	p := newOutboxFixture(t)
	bot := &testkit.FakeSender{}
	p.senders[notify.KindTelegram] = bot
	p.digestAfter = 0
	p.restart()
	id := p.Channel(t, p.field.ID, "Chats", func(c *notify.Channel) {
		c.To = notify.Recipients{notify.KindTelegram: list}
	}).ID
	return p, bot, id
}

// A chat gets a message a second, and a group twenty a minute, however many wait; all chats
// together get thirty a second.
func TestTelegramPace(t *testing.T) {
	p, bot, channel := telegramFixture(t, "17", "-5")
	for range 25 {
		a := p.alarm("Frost", 1)
		p.must(
			p.notifier.NoticeOpened(t.Context(), p.field.ID, a, &alertmsg.DeliveryOptions{Channels: []int64{channel}}),
		)
	}
	times := map[string][]time.Time{}
	begun := p.Clock.Now()
	for steps := 0; len(bot.Sent()) < 50; steps++ {
		before := len(bot.Sent())
		next, err := p.outbox.Step(t.Context())
		p.must(err)
		for _, l := range bot.Sent()[before:] {
			times[l.Recipient] = append(times[l.Recipient], p.Clock.Now())
		}
		if len(bot.Sent()) == 50 {
			break
		}
		if next.IsZero() || steps > 500 {
			t.Fatalf("%d sent, next step %s", len(bot.Sent()), next)
		}
		p.Clock.Set(next)
	}
	for chat, at := range times {
		for i := 1; i < len(at); i++ {
			if at[i].Sub(at[i-1]) < time.Second {
				t.Errorf("%s: %s after %s", chat, at[i].Sub(begun), at[i-1].Sub(begun))
			}
			if i >= 20 && chat == "-5" && at[i].Sub(at[i-20]) < time.Minute {
				t.Errorf("%s: 21 messages within %s", chat, at[i].Sub(at[i-20]))
			}
		}
	}
	if took := times["17"][24].Sub(begun); took > 26*time.Second {
		t.Errorf("the person's last message after %s", took)
	}
	if took := times["-5"][24].Sub(begun); took > 70*time.Second {
		t.Errorf("the group's last message after %s", took)
	}
}

func TestTelegramPaceInAll(t *testing.T) {
	var people []string
	for i := range 20 {
		people = append(people, fmt.Sprint(1000+i))
	}
	p, bot, first := telegramFixture(t, people...)
	for i := range people {
		people[i] = "2" + people[i]
	}
	second := p.Channel(t, p.field.ID, "More", func(c *notify.Channel) {
		c.To = notify.Recipients{notify.KindTelegram: people}
	}).ID
	p.must(p.notifier.NoticeOpened(t.Context(), p.field.ID, p.alarm("Frost", 1),
		&alertmsg.DeliveryOptions{Channels: []int64{first, second}}))
	begun := p.Clock.Now()
	next, err := p.outbox.Step(t.Context())
	if p.must(err); len(bot.Sent()) != 30 || next.Sub(begun) > 2*time.Second || !next.After(begun) {
		t.Errorf("%d sent at once, next step after %s", len(bot.Sent()), next.Sub(begun))
	}
	p.Clock.Advance(time.Second)
	if _, err = p.outbox.Step(t.Context()); err != nil || len(bot.Sent()) != 40 {
		t.Errorf("%d sent after a second (%v)", len(bot.Sent()), err)
	}
}

// A chat that Telegram asks to leave alone gets nothing until then; others do.
func TestTelegramRetryAfter(t *testing.T) {
	p, bot, channel := telegramFixture(t, "-5")
	other := p.Channel(t, p.field.ID, "Other", func(c *notify.Channel) {
		c.To = notify.Recipients{notify.KindTelegram: {"17"}}
	}).ID
	open := func(channel int64) int64 {
		a := p.alarm("Frost", 1)
		p.must(
			p.notifier.NoticeOpened(t.Context(), p.field.ID, a, &alertmsg.DeliveryOptions{Channels: []int64{channel}}),
		)
		return a.Notice
	}
	bot.Break(&notify.Failure{Kind: notify.Transient, Answer: "429", RetryAfter: 40 * time.Second})
	open(channel)
	_, err := p.outbox.Step(t.Context())
	p.must(err)
	bot.Break(nil)
	p.Clock.Advance(20 * time.Second)
	open(channel)
	open(other)
	_, err = p.outbox.Step(t.Context())
	if p.must(err); len(bot.Sent()) != 1 || bot.Sent()[0].Recipient != "17" {
		t.Errorf("%+v", bot.Sent())
	}
	p.Clock.Advance(21 * time.Second)
	for range 3 {
		_, err = p.outbox.Step(t.Context())
		p.must(err)
		p.Clock.Advance(time.Second)
	}
	if len(bot.Sent()) != 3 {
		t.Errorf("%d sent after the wait", len(bot.Sent()))
	}
}

// Why a chat cannot be written to is kept with the delivery, and told after a test.
func TestTelegramReasons(t *testing.T) {
	for reason, key := range map[notify.Reason]string{
		notify.UnknownRecipient: "channel.recipientUnknown", notify.BlockedByRecipient: "channel.recipientBlocked",
		"": "channel.otherRefused",
	} {
		p, bot, channel := telegramFixture(t, "-5")
		bot.Break(&notify.Failure{Kind: notify.Permanent, Reason: reason, Answer: "400 no"})
		a := p.alarm("Frost", 1)
		p.must(
			p.notifier.NoticeOpened(t.Context(), p.field.ID, a, &alertmsg.DeliveryOptions{Channels: []int64{channel}}),
		)
		_, err := p.outbox.Step(t.Context())
		p.must(err)
		list, err := p.outbox.Deliveries(t.Context(), p.field.ID, a.Notice)
		want := reason
		if want == "" {
			want = notify.Rejected
		}
		if p.must(err); len(list) != 1 || list[0].State != notify.Failed || list[0].Reason != want ||
			list[0].LastError != "400 no" {
			t.Errorf("%q: %+v", reason, list)
		}
		c, err := p.Channels.Get(t.Context(), p.field.ID, channel)
		p.must(err)
		owner, err := p.Tenants.Get(t.Context(), p.field.ID)
		p.must(err)
		p.Clock.Advance(time.Second)
		results, err := p.outbox.SendTest(t.Context(), owner, c)
		if p.must(err); len(results) != 1 || results[0].Err == nil || results[0].Err.Key != key {
			t.Errorf("%q: %+v", reason, results)
		}
	}
}

// Tests keep the pace too: with others of the same second they wait.
func TestTelegramTestsKeepPace(t *testing.T) {
	p, bot, channel := telegramFixture(t, "-5")
	c, err := p.Channels.Get(t.Context(), p.field.ID, channel)
	p.must(err)
	owner, err := p.Tenants.Get(t.Context(), p.field.ID)
	p.must(err)
	if _, err = p.outbox.SendTest(t.Context(), owner, c); err != nil || len(bot.Sent()) != 1 {
		t.Fatalf("%d sent (%v)", len(bot.Sent()), err)
	}
	p.must(p.notifier.NoticeOpened(t.Context(), p.field.ID, p.alarm("Frost", 1),
		&alertmsg.DeliveryOptions{Channels: []int64{channel}}))
	if _, err = p.outbox.Step(t.Context()); err != nil || len(bot.Sent()) != 1 {
		t.Errorf("%d sent within the second (%v)", len(bot.Sent()), err)
	}
	p.Clock.Advance(time.Second)
	if _, err = p.outbox.Step(t.Context()); err != nil || len(bot.Sent()) != 2 {
		t.Errorf("%d sent after it (%v)", len(bot.Sent()), err)
	}
}
