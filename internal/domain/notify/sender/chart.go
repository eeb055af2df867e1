package sender

import (
	"context"
	"time"

	"tilth/internal/domain/notify/alerttext"
	"tilth/internal/domain/notify/alerttext/chart"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// What a picture shows.
const (
	chartMargin    = 5 * time.Minute // before the start and after the end, as the console does
	minChartSpan   = 30 * time.Minute
	maxChartPoints = 400
)

// drawChart draws the picture of an alarm; nil: there are no readings.
func (o *Options) drawChart(
	ctx context.Context,
	t tenant.ID,
	v *alerttext.Renderer,
	a *alertmsg.Alarm,
) ([]byte, error) {
	now := v.Now.UnixMilli()
	end := now
	if a.End != 0 {
		end = min(a.End, now)
	}
	end = max(end, a.Start)
	c := &chart.Chart{From: a.Start - chartMargin.Milliseconds(), To: end + chartMargin.Milliseconds(), Start: a.Start,
		End: end, Zone: v.Zone}
	c.From = min(c.From, c.To-minChartSpan.Milliseconds(), a.Start-a.Window)
	property := alerttext.ChartedProperty(a)
	var err error
	if c.Points, err = o.Readings(ctx, t, a, property, c.From, c.To, maxChartPoints); err != nil || len(c.Points) == 0 {
		return nil, err
	}
	c.Limit = alerttext.ChartLimit(a)
	c.Number = func(f float64, decimals int) string { return text.Number(v.Language, f, &decimals) }
	c.Day = func(t time.Time) string { return text.AxisDate(v.Language, t) }
	c.Triggers = triggers(a, c.Points)
	return c.PNG()
}

// triggers gives the readings that meet the charted condition, out of the window that ends at the
// start of the alarm: the newest ones, as many as the rule requires.
func triggers(a *alertmsg.Alarm, points []chart.Point) (list []chart.Point) {
	for i := len(points) - 1; i >= 0 && len(list) < max(a.Hits, 1); i-- {
		p := points[i]
		if p.Time > a.Start {
			continue
		}
		if p.Time <= a.Start-max(a.Window, 1) {
			break
		}
		if alerttext.MatchesCharted(a, p.Value) {
			list = append(list, p)
		}
	}
	return list
}
