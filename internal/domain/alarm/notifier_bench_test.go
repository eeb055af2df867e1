package alarm_test

import (
	"context"
	"fmt"
	"testing"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// silentNotifier notifies nobody.
type silentNotifier struct{}

func (silentNotifier) NoticeOpened(context.Context, tenant.ID, *alertmsg.Alarm, *alertmsg.DeliveryOptions) error {
	return nil
}
func (silentNotifier) NoticeClosed(context.Context, tenant.ID, *alertmsg.Alarm, bool) error {
	return nil
}
func (silentNotifier) NoticeAcknowledged(context.Context, tenant.ID, *alertmsg.Alarm) error {
	return nil
}

// BenchmarkNotifier is the cost of notifications: 200 notices that begin and end, each half in one
// transaction.
func BenchmarkNotifier(b *testing.B) {
	const rules = 200
	for _, c := range []struct {
		name     string
		told     bool
		channels int
	}{{"nobody", false, 0}, {"messages", true, 0}, {"two people", true, 1}} {
		b.Run(c.name, func(b *testing.B) {
			fx := newFixture(b)
			if !c.told {
				fx.notifier = silentNotifier{}
				fx.start()
				fx.engine.LetIn()
			}
			var channels []int64
			for range c.channels {
				channels = append(channels, fx.Channel(b, fx.owner, "field", func(ch *notify.Channel) {
					ch.To = notify.Recipients{notify.KindEmail: {"ada@example.com", "bora@example.com"}}
				}).ID)
			}
			for i := range rules {
				fx.createRule(func(r *alarm.Rule) { r.Name, r.Channels = fmt.Sprint("Frost ", i), channels })
			}
			at := int64(0)
			for b.Loop() {
				at += 2 * second
				fx.evaluate(fx.airTemp(at, 1))
				fx.evaluate(fx.airTemp(at+second, 5))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*2*rules), "µs/event")
		})
	}
}
