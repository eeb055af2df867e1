package notify_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"tilth/internal/news"
	"tilth/internal/notify"
	"tilth/internal/testkit"
)

// running lets the outbox run until the test calls what it gives.
func (p *post) running() (stop func()) {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.outbox.Run(ctx) }()
	return func() {
		p.t.Helper()
		cancel()
		p.must(testkit.Receive(p.t, "the end of the outbox", ended))
	}
}

// Sixteen mails and four SMS are in flight and no more, and what has not landed
// yet keeps only its own place.
func TestInFlight(t *testing.T) {
	p := newPost(t, func(p *post) { p.digests = 0 })
	c := p.Channel(t, p.field.ID, "field", func(c *notify.Channel) { c.Emails, c.Phones = []string{ada}, []string{"+905551112233"} }).ID
	const mails, texts, notices = 16, 4, 40
	var flying, most, texting, mostTexts atomic.Int64
	arrived, texted := make(chan string, notices), make(chan string, notices)
	let, letTexts := make(chan struct{}), make(chan struct{})
	in := func(flying, most *atomic.Int64, arrived chan string, let chan struct{}) func(*notify.Letter) error {
		return func(l *notify.Letter) error {
			n := flying.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			arrived <- l.Alarms[0].Title
			<-let
			flying.Add(-1)
			return nil
		}
	}
	p.mail.says(in(&flying, &most, arrived, let))
	p.sms.says(in(&texting, &mostTexts, texted, letTexts))
	for i := range notices {
		p.begins(fmt.Sprint(i), 1, news.Wishes{Channels: []int64{c}})
	}
	stop := p.running()
	for range mails {
		testkit.Receive(t, "a mail", arrived)
	}
	for range texts {
		testkit.Receive(t, "an SMS", texted)
	}
	// One lands, and the next one starts while the others hang.
	for range notices - mails {
		let <- struct{}{}
		testkit.Receive(t, "the next mail", arrived)
	}
	close(let)
	close(letTexts)
	for range notices - texts {
		testkit.Receive(t, "the next SMS", texted)
	}
	testkit.Eventually(t, "everybody to be told", func() bool { return p.outbox.Stats().Sent == 2*notices })
	stop()
	if most.Load() != mails || mostTexts.Load() != texts {
		t.Errorf("%d mails and %d SMS were in flight", most.Load(), mostTexts.Load())
	}
}
