package alarm_test

import (
	"context"
	"fmt"
	"testing"

	"tilth/internal/alarm"
	"tilth/internal/news"
	"tilth/internal/notify"
	"tilth/internal/tenant"
)

// quiet tells nobody.
type quiet struct{}

func (quiet) Began(context.Context, tenant.ID, *news.Alarm, *news.Wishes) error { return nil }
func (quiet) Ended(context.Context, tenant.ID, *news.Alarm, bool) error         { return nil }
func (quiet) Acknowledged(context.Context, tenant.ID, *news.Alarm) error        { return nil }

// What it costs to hand in news: 200 notices that begin and end, each half in
// one transaction.
func BenchmarkNews(b *testing.B) {
	const rules = 200
	for _, c := range []struct {
		name     string
		told     bool
		channels int
	}{{"nobody", false, 0}, {"messages", true, 0}, {"two people", true, 1}} {
		b.Run(c.name, func(b *testing.B) {
			y := newYard(b)
			if !c.told {
				y.teller = quiet{}
				y.start()
				y.engine.LetIn()
			}
			var channels []int64
			for range c.channels {
				channels = append(channels, y.Channel(b, y.owner, "field", func(ch *notify.Channel) {
					ch.ByPhone, ch.Phones, ch.Emails = false, nil, []string{"ada@example.com", "bora@example.com"}
				}).ID)
			}
			for i := range rules {
				y.rule(func(r *alarm.Rule) { r.Name, r.Channels = fmt.Sprint("Frost ", i), channels })
			}
			at := int64(0)
			for b.Loop() {
				at += 2 * second
				y.judge(y.air(at, 1))
				y.judge(y.air(at+second, 5))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*2*rules), "µs/event")
		})
	}
}
