package notify

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// delayedSender is a sender that waits before it answers for each recipient.
type delayedSender struct {
	waits         map[string]time.Duration
	fails         map[string]error
	ignoresCancel bool // it does not stop when its context ends

	mu            sync.Mutex
	notifications []Notification
}

func (c *delayedSender) Send(ctx context.Context, l *Notification) (string, error) {
	c.mu.Lock()
	c.notifications = append(c.notifications, *l)
	c.mu.Unlock()
	cancelled := ctx.Done()
	if c.ignoresCancel {
		cancelled = nil
	}
	select {
	case <-time.After(c.waits[l.Recipient]):
		return "250 " + l.Recipient, c.fails[l.Recipient]
	case <-cancelled:
		return "", &Failure{Kind: Transient, Answer: "cancelled", Cause: ctx.Err()}
	}
}

func resultsText(list []TestResult) string {
	var lines []string
	for _, o := range list {
		outcome := "ok"
		if o.Err != nil {
			outcome = o.Err.Key
		}
		lines = append(lines, fmt.Sprintf("%s %s %v %s: %s", o.Kind, o.Recipient, o.Took, outcome, o.Answer))
	}
	return strings.Join(lines, "\n")
}

var fullChannel = Channel{
	Tenant: 7,
	Name:   "Night",
	To:     Recipients{KindEmail: {"a@b.cd", "e@b.cd", "i@b.cd", "o@b.cd"}, KindSMS: {"+12", "+13", "+14"}},
}

// SendTest sends to all recipients in parallel, and each has its own result.
func TestSendTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mails := &delayedSender{
			waits: map[string]time.Duration{"a@b.cd": 7 * time.Second, "e@b.cd": time.Second},
			fails: map[string]error{
				"e@b.cd": &Failure{Kind: Permanent, Answer: "550 no such user"},
				"i@b.cd": fmt.Errorf("wrapped: %w", &Failure{Kind: Unavailable, Answer: "refused"}),
				"o@b.cd": errors.New("not a *Failure"),
			},
		}
		texts := &delayedSender{fails: map[string]error{
			"+12": &Failure{Kind: Permanent, Answer: "bad number"},
			"+13": &Failure{Kind: Unavailable, Answer: "503"},
			"+14": &Failure{Kind: Transient, Answer: "busy"},
		}}
		begun := time.Now()
		list, err := fullChannel.SendTest(t.Context(), map[ChannelKind]Sender{KindEmail: mails, KindSMS: texts},
			text.Turkish, time.Now)
		if want := `email a@b.cd 7s ok: 250 a@b.cd
email e@b.cd 1s channel.mailRefused: 550 no such user
email i@b.cd 0s channel.mailDown: refused
email o@b.cd 0s channel.notNow: 
phoneMessage +12 0s channel.smsRefused: bad number
phoneMessage +13 0s channel.smsDown: 503
phoneMessage +14 0s channel.notNow: busy`; err != nil || resultsText(list) != want {
			t.Errorf("%v\n%s", err, resultsText(list))
		}
		if took := time.Since(begun); took != 7*time.Second {
			t.Errorf("%v", took)
		}
		ids := map[string]bool{}
		for _, l := range slices.Concat(mails.notifications, texts.notifications) {
			if l.Tenant != 7 || l.Channel != "Night" || l.Language != text.Turkish || len(l.Alarms) != 0 ||
				!regexp.MustCompile(`^[A-Za-z0-9-]+$`).MatchString(l.ID) {
				t.Errorf("%+v", l)
			}
			ids[l.ID] = true
		}
		if len(ids) != 7 {
			t.Errorf("%d ids of 7 notifications", len(ids))
		}
		// A second test of the channel sends new notifications, in the channel's own language.
		own := fullChannel
		own.Language = text.Russian
		if _, err := own.SendTest(t.Context(), map[ChannelKind]Sender{KindEmail: mails, KindSMS: texts}, text.Turkish,
			time.Now); err != nil {
			t.Fatal(err)
		}
		for _, l := range slices.Concat(mails.notifications[4:], texts.notifications[3:]) {
			if ids[l.ID] || l.Language != text.Russian {
				t.Errorf("%+v", l)
			}
		}
	})
}

// SendTest does not wait for a recipient longer than the timeout, whether its sender stops or not.
func TestSendTestTimeout(t *testing.T) {
	for _, ignores := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c := Channel{To: Recipients{KindEmail: {"a@b.cd", "slow@b.cd"}}}
			sender := &delayedSender{waits: map[string]time.Duration{"slow@b.cd": time.Minute}, ignoresCancel: ignores}
			begun := time.Now()
			list, err := c.SendTest(t.Context(), map[ChannelKind]Sender{KindEmail: sender}, text.English, time.Now)
			if want := "email a@b.cd 0s ok: 250 a@b.cd\nemail slow@b.cd 8s channel.noAnswer: "; err != nil ||
				resultsText(list) != want || time.Since(begun) != 8*time.Second {
				t.Errorf("ignores cancel %v: %v after %v\n%s", ignores, err, time.Since(begun), resultsText(list))
			}
			if list[1].Err.Args["limit"] != "8" {
				t.Error(list[1].Err.Args)
			}
			<-time.After(time.Minute) // the sender that ignores the cancel answers, too late
		})
	}
}

// A kind that is not set up has an error beside the results of the other; if neither is set up,
// nothing is sent.
func TestSendTestNotConfigured(t *testing.T) {
	sender := &delayedSender{}
	c := Channel{To: Recipients{KindEmail: {"a@b.cd"}, KindSMS: {"+12"}}}
	for _, tc := range []struct {
		senders map[ChannelKind]Sender
		want    string
	}{
		{map[ChannelKind]Sender{KindEmail: sender}, "email a@b.cd 0s ok: 250 a@b.cd\nphoneMessage +12 0s channel.noGateway: "},
		{map[ChannelKind]Sender{KindSMS: sender}, "email a@b.cd 0s channel.noMailServer: \nphoneMessage +12 0s ok: 250 +12"},
	} {
		list, err := c.SendTest(t.Context(), tc.senders, text.English, func() time.Time { return time.Unix(0, 0) })
		if err != nil || resultsText(list) != tc.want {
			t.Errorf("%v\n%s", err, resultsText(list))
		}
	}
	for key, c := range map[string]Channel{
		"channel.noGateway": {To: Recipients{KindSMS: {"+12"}}}, "channel.noMailServer": {To: Recipients{KindEmail: {"a@b.cd"}}},
	} {
		if list, err := c.SendTest(t.Context(), nil, text.English, time.Now); !errs.Is(err, errs.NotConfigured) ||
			errs.As(err).Key != key || list != nil {
			t.Errorf("%s: %v %v", key, list, err)
		}
	}
	if len(sender.notifications) != 2 {
		t.Errorf("%d notifications", len(sender.notifications))
	}
}
