package notify_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
)

// The clock is set back by a day while deliveries wait for various reasons: none of them waits
// until the clock shows the same time again.
func TestClockSetBack(t *testing.T) {
	for name, again := range map[string]func(p *outboxFixture){
		"while it runs":    func(*outboxFixture) {},
		"during a restart": func(p *outboxFixture) { p.restart() },
	} {
		t.Run(name, func(t *testing.T) {
			p := newOutboxFixture(t)
			c := p.channel("field", "ada@example.com")
			p.at("12:00", 1)
			options := func(start, end int) alertmsg.DeliveryOptions {
				return alertmsg.DeliveryOptions{Channels: []int64{c},
					Period: alertmsg.Period{Start: start * 60, End: end * 60}, RemindEvery: time.Hour}
			}
			sent := p.openNotice("Sent", 1, options(0, 24))
			p.step()
			p.wantEqual("sent", p.mail.sentText(), "ada@example.com triggered Sent")
			evening := p.openNotice("Evening", 1, options(18, 20))
			p.mail.failWith(notify.Unavailable, "no route")
			stuck := p.openNotice("Stuck", 1, options(0, 24))
			p.step()
			p.wantEqual("stuck", p.states(stuck), "ada@example.com triggered queued server")
			p.wantEqual("evening", p.states(evening), "ada@example.com triggered queued period")

			p.mail.setReply(nil)
			p.Clock.Advance(-26 * time.Hour) // 10:00 of the day before
			again(p)
			p.step()
			p.advance(3 * time.Minute) // the mail server's backoff, at most
			p.wantEqual("stuck", p.mail.sentText(), "ada@example.com triggered Stuck")
			p.wantEqual("reminder", p.states(sent), "ada@example.com reminder queued; ada@example.com triggered sent")
			p.advance(time.Hour)
			both := strings.Split(p.mail.sentText(), "; ") // they are in flight together
			slices.Sort(both)
			p.wantEqual("an hour later", strings.Join(both, "; "),
				"ada@example.com reminder Sent; ada@example.com reminder Stuck")
			p.Clock.Advance(7 * time.Hour) // 18:03 of the day before
			p.step()
			p.wantEqual("evening", p.states(evening), "ada@example.com reminder queued; ada@example.com triggered sent")
		})
	}
}
