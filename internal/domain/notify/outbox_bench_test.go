package notify_test

import (
	"context"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/platform/alertmsg"
)

// The benchmark announces 1,000 notices with two recipients each, as many per transaction as the
// alarm engine writes together, and then sends them one by one to a sender that takes no time.
func BenchmarkAlertStorm(b *testing.B) {
	const notices, together = 1000, 50
	var enqueue, send time.Duration
	for b.Loop() {
		b.StopTimer()
		p := newOutboxFixture(b, func(p *outboxFixture) { p.digestAfter = 0 })
		c := p.channel("field", ada, "bora@example.com")
		alarms := make([]*alertmsg.Alarm, notices)
		for i := range alarms {
			alarms[i] = p.alarm("Frost", i%3)
		}
		b.StartTimer()
		begin := time.Now()
		for i := 0; i < notices; i += together {
			p.must(p.DB.Tx(b.Context(), func(ctx context.Context, _ bun.IDB) error {
				for _, a := range alarms[i : i+together] {
					if err := p.notifier.NoticeOpened(ctx, p.field.ID, a,
						&alertmsg.DeliveryOptions{Channels: []int64{c}}); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		enqueue += time.Since(begin)
		begin = time.Now()
		p.step()
		send += time.Since(begin)
		if n := len(p.mail.take()); n != 2*notices {
			b.Fatalf("%d mails arrived", n)
		}
	}
	b.ReportMetric(notices*float64(b.N)/enqueue.Seconds(), "notices/s")
	b.ReportMetric(2*notices*float64(b.N)/send.Seconds(), "mails/s")
}
