package notify_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/news"
	"tilth/internal/notify"
)

// The clock goes back a day while letters wait for all sorts of things: none of
// them waits for its time to come again.
func TestClockSetBack(t *testing.T) {
	for name, again := range map[string]func(p *post){
		"while it runs": func(*post) {},
		"in between":    func(p *post) { p.open() },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPost(t)
			c := p.channel("field", "ada@example.com")
			p.at("12:00", 1)
			wishes := func(start, end int) news.DeliveryOptions {
				return news.DeliveryOptions{Channels: []int64{c}, Period: news.Period{Start: start * 60, End: end * 60}, RemindEvery: time.Hour}
			}
			told := p.begins("Told", 1, wishes(0, 24))
			p.step()
			p.wants("told", p.mail.told(), "ada@example.com triggered Told")
			evening := p.begins("Evening", 1, wishes(18, 20))
			p.mail.says(func(*notify.Letter) error { return &notify.Failure{Trouble: notify.Down, Answer: "no route"} })
			stuck := p.begins("Stuck", 1, wishes(0, 24))
			p.step()
			p.wants("stuck", p.of(stuck), "ada@example.com triggered queued server")
			p.wants("evening", p.of(evening), "ada@example.com triggered queued period")

			p.mail.says(nil)
			p.Clock.Advance(-26 * time.Hour) // 10:00 of the day before
			again(p)
			p.step()
			p.after(3 * time.Minute) // the far end's rest, at most
			p.wants("stuck", p.mail.told(), "ada@example.com triggered Stuck")
			p.wants("reminder", p.of(told), "ada@example.com reminder queued; ada@example.com triggered sent")
			p.after(time.Hour)
			both := strings.Split(p.mail.told(), "; ") // they fly together
			slices.Sort(both)
			p.wants("an hour later", strings.Join(both, "; "), "ada@example.com reminder Stuck; ada@example.com reminder Told")
			p.Clock.Advance(7 * time.Hour) // 18:03 of the day before
			p.step()
			p.wants("evening", p.of(evening), "ada@example.com reminder queued; ada@example.com triggered sent")
		})
	}
}
