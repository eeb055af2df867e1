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

// delayedSender is a carrier that answers each recipient after a while.
type delayedSender struct {
	waits         map[string]time.Duration
	fails         map[string]error
	ignoresCancel bool // does not hear that it is called back

	mu      sync.Mutex
	letters []Notification
}

func (c *delayedSender) Send(ctx context.Context, l *Notification) (string, error) {
	c.mu.Lock()
	c.letters = append(c.letters, *l)
	c.mu.Unlock()
	called := ctx.Done()
	if c.ignoresCancel {
		called = nil
	}
	select {
	case <-time.After(c.waits[l.Recipient]):
		return "250 " + l.Recipient, c.fails[l.Recipient]
	case <-called:
		return "", &Failure{Kind: Transient, Answer: "called back", Cause: ctx.Err()}
	}
}

func resultsText(list []TestResult) string {
	var lines []string
	for _, o := range list {
		said := "ok"
		if o.Err != nil {
			said = o.Err.Key
		}
		lines = append(lines, fmt.Sprintf("%s %s %v %s: %s", o.Kind, o.Recipient, o.Took, said, o.Answer))
	}
	return strings.Join(lines, "\n")
}

var fullChannel = Channel{
	Tenant: 7, Name: "Night", ByEmail: true, ByPhone: true, Emails: []string{"a@b.cd", "e@b.cd", "i@b.cd",
		"o@b.cd"}, Phones: []string{"+12", "+13", "+14"},
}

// All are told at once, and each has its own outcome.
func TestSendTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mails := &delayedSender{waits: map[string]time.Duration{"a@b.cd": 7 * time.Second, "e@b.cd": time.Second},
			fails: map[string]error{
				"e@b.cd": &Failure{Kind: Permanent, Answer: "550 no such user"}, "i@b.cd": fmt.Errorf("wrapped: %w",
					&Failure{Kind: Unavailable, Answer: "refused"}),
				"o@b.cd": errors.New("a fault of ours"),
			}}
		texts := &delayedSender{fails: map[string]error{
			"+12": &Failure{Kind: Permanent, Answer: "bad number"}, "+13": &Failure{Kind: Unavailable,
				Answer: "503"}, "+14": &Failure{Kind: Transient, Answer: "busy"},
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
		for _, l := range slices.Concat(mails.letters, texts.letters) {
			if l.Tenant != 7 || l.Channel != "Night" || l.Language != text.Turkish || len(l.Alarms) != 0 ||
				!regexp.MustCompile(`^[A-Za-z0-9-]+$`).MatchString(l.ID) {
				t.Errorf("%+v", l)
			}
			ids[l.ID] = true
		}
		if len(ids) != 7 {
			t.Errorf("%d ids of 7 letters", len(ids))
		}
		// The same channel tried again is other letters, in its own language.
		own := fullChannel
		own.Language = text.Russian
		if _, err := own.SendTest(t.Context(), map[ChannelKind]Sender{KindEmail: mails, KindSMS: texts}, text.Turkish,
			time.Now); err != nil {
			t.Fatal(err)
		}
		for _, l := range slices.Concat(mails.letters[4:], texts.letters[3:]) {
			if ids[l.ID] || l.Language != text.Russian {
				t.Errorf("%+v", l)
			}
		}
	})
}

// Who does not answer is not waited for, whether it hears that or not.
func TestSendTestTimeout(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c := Channel{ByEmail: true, Emails: []string{"a@b.cd", "slow@b.cd"}}
			sender := &delayedSender{waits: map[string]time.Duration{"slow@b.cd": time.Minute}, ignoresCancel: deaf}
			begun := time.Now()
			list, err := c.SendTest(t.Context(), map[ChannelKind]Sender{KindEmail: sender}, text.English, time.Now)
			if want := "email a@b.cd 0s ok: 250 a@b.cd\nemail slow@b.cd 8s channel.noAnswer: "; err != nil ||
				resultsText(list) != want || time.Since(begun) != 8*time.Second {
				t.Errorf("deaf %v: %v after %v\n%s", deaf, err, time.Since(begun), resultsText(list))
			}
			if list[1].Err.Args["limit"] != "8" {
				t.Error(list[1].Err.Args)
			}
			<-time.After(time.Minute) // by the bubble's clock: the deaf one comes back, and is not heard
		})
	}
}

// A way that is not set up is told beside the one that is; without any, nobody
// is told anything.
func TestSendTestNotConfigured(t *testing.T) {
	sender := &delayedSender{}
	c := Channel{ByEmail: true, ByPhone: true, Emails: []string{"a@b.cd"}, Phones: []string{"+12"}}
	for _, tc := range []struct {
		carriers map[ChannelKind]Sender
		want     string
	}{
		{map[ChannelKind]Sender{KindEmail: sender}, "email a@b.cd 0s ok: 250 a@b.cd\nphoneMessage +12 0s channel.noGateway: "},
		{map[ChannelKind]Sender{KindSMS: sender}, "email a@b.cd 0s channel.noMailServer: \nphoneMessage +12 0s ok: 250 +12"},
	} {
		list, err := c.SendTest(t.Context(), tc.carriers, text.English, func() time.Time { return time.Unix(0, 0) })
		if err != nil || resultsText(list) != tc.want {
			t.Errorf("%v\n%s", err, resultsText(list))
		}
	}
	for key, c := range map[string]Channel{
		"channel.noGateway": {ByPhone: true, Phones: []string{"+12"}}, "channel.noMailServer": {ByEmail: true, Emails: []string{"a@b.cd"}},
	} {
		if list, err := c.SendTest(t.Context(), nil, text.English, time.Now); !errs.Is(err, errs.NotConfigured) ||
			errs.As(err).Key != key || list != nil {
			t.Errorf("%s: %v %v", key, list, err)
		}
	}
	if len(sender.letters) != 2 {
		t.Errorf("%d letters", len(sender.letters))
	}
}
