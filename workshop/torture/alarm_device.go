package torture

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tilth/workshop/bench"
)

const (
	stormAlarms = 20 // alarms that open and close in a storm
	noticePage  = 400
)

// alarmDevice is a device whose readings open and close alarms; people are notified of both.
type alarmDevice struct {
	bed              *testbed
	device           bench.Device
	property         string
	messagesPerAlarm int           // messages about one alarm: its opening and its closing, to each recipient
	alarms           int           // opened and closed by acknowledged readings
	at               int64         // time of the newest reading, epoch ms
	clockAhead       time.Duration // of the server's clock
}

// armMails makes the rule and a channel that sends mails; armTexts makes one that sends SMS.
func (s *alarmDevice) armMails(ctx context.Context) error {
	s.messagesPerAlarm = 2 * 2
	return s.arm(ctx, map[string]any{
		"noticeName": "Field",
		"noticeMode": []string{"email"},
		"email":      map[string]any{"emails": []string{"ada@example.com", "bora@example.com"}},
	})
}

func (s *alarmDevice) armTexts(ctx context.Context) error {
	s.messagesPerAlarm = 2 * 1
	return s.arm(
		ctx,
		map[string]any{
			"noticeName":   "Field",
			"noticeMode":   []string{"phoneMessage"},
			"phoneMessage": []string{"+905551112233"},
		},
	)
}

func (s *alarmDevice) arm(ctx context.Context, channel map[string]any) error {
	person, err := s.bed.server.SignIn(ctx)
	if err != nil {
		return err
	}
	var channelID, rule int64
	const create = "/admin-api/client/pc/notice-channel/create"
	if err := person.Call(ctx, http.MethodPost, create, channel, &channelID); err != nil {
		return err
	}
	if err := person.Call(ctx, http.MethodPost, "/admin-api/client/pc/alarm-rules/create", map[string]any{
		"alarmName":     "Frost",
		"dataSource":    1,
		"executionId":   s.device.Name,
		"triggerType":   0,
		"durations":     60_000,
		"hitCounts":     1,
		"alarmLevel":    1,
		"manualRelease": 0,
		"passageway":    []int64{channelID},
		"conditions": []map[string]any{
			{"andor": "and", "tslAttribute": s.property, "subconditions": "<", "value": 1},
		},
	}, &rule); err != nil {
		return err
	}
	var done bool
	publish := fmt.Sprintf("/admin-api/client/pc/alarm-rules/publish?alarmRulesId=%d", rule)
	return person.Call(ctx, http.MethodGet, publish, nil, &done)
}

// storm sends readings that open and close stormAlarms alarms, and counts them once the server has
// acknowledged the readings.
func (s *alarmDevice) storm(ctx context.Context) error {
	status, body, err := s.send(ctx, s.nextStorm())
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("the readings of a storm were answered with %d %s", status, body)
	}
	s.alarms += stormAlarms
	return nil
}

// nextStorm returns readings that open and close stormAlarms alarms.
func (s *alarmDevice) nextStorm() string {
	at := max(s.at+1, time.Now().Add(s.clockAhead).UnixMilli())
	var values []string
	for range stormAlarms {
		values = append(
			values,
			fmt.Sprintf(`{"ts":%d,"values":{"%s":0}},{"ts":%d,"values":{"%s":9}}`, at, s.property, at+1, s.property),
		)
		at += 2
	}
	s.at = at
	return "[" + strings.Join(values, ",") + "]"
}

// normalReading returns a reading that opens no alarm.
func (s *alarmDevice) normalReading() string { return fmt.Sprintf(`{"%s":5}`, s.property) }

// send sends readings over HTTP.
func (s *alarmDevice) send(ctx context.Context, payload string) (status int, body string, err error) {
	return s.sendTo(ctx, s.bed.server.Console, payload)
}

// sendTo sends readings to a server: http://host:port.
func (s *alarmDevice) sendTo(ctx context.Context, server, payload string) (status int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost,
		server+"/api/v1/"+s.device.Secret+"/telemetry", strings.NewReader(payload))
	if err != nil {
		return 0, "", err
	}
	return doRequest(r)
}

// expectedMessages returns how many messages people must receive in all.
func (s *alarmDevice) expectedMessages() int { return s.alarms * s.messagesPerAlarm }

// waitArrived waits until all expected messages have arrived and the server knows it. A message
// that does not arrive in time is no error here; the comparison counts it as lost.
func (h *testbed) waitArrived(ctx context.Context, kind string, arrived func() int) error {
	err := waitFor(ctx, "messages", func() (bool, error) { return arrived() >= h.alarms.expectedMessages(), nil })
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err != nil {
		return err
	}
	return h.waitMetric(ctx, "tilth_notify_"+kind+"_queued", func(n float64) bool { return n == 0 })
}

func (h *testbed) waitMails(ctx context.Context) error {
	return h.waitArrived(ctx, "mail", func() int { different, _ := h.mail.counts(); return different })
}

func (h *testbed) waitTexts(ctx context.Context) error {
	return h.waitArrived(ctx, "sms", func() int { return int(h.sms.total.Load()) })
}

// notice is a notice in the console's list.
type notice struct {
	ID                 int64
	ResolveStatus      int
	StartTime, EndTime int64
}

// checkNotices compares the notices, and the state of their deliveries, with the acknowledged
// storms, and adds the counts to the row.
func (s *alarmDevice) checkNotices(ctx context.Context, r *Row) error {
	person, err := s.bed.server.SignIn(ctx)
	if err != nil {
		return err
	}
	var all []notice
	for page, total := 1, 1; len(all) < total; page++ {
		var got struct {
			Total int
			List  []notice
		}
		path := fmt.Sprintf("/admin-api/client/pc/alarm-notice/page?pageNo=%d&pageSize=%d", page, noticePage)
		if err := person.Call(ctx, http.MethodGet, path, nil, &got); err != nil {
			return err
		}
		if total = got.Total; len(got.List) == 0 {
			break
		}
		all = append(all, got.List...)
	}
	r.Checked += s.alarms + s.expectedMessages()
	r.Lost += max(0, s.alarms-len(all))
	if len(all) > s.alarms {
		return fmt.Errorf("%d notices, but only %d acknowledged alarms", len(all), s.alarms)
	}
	sent := 0
	starts := map[int64]bool{}
	for _, n := range all {
		if starts[n.StartTime] {
			return fmt.Errorf("two notices of the alarm that began at %d", n.StartTime)
		}
		starts[n.StartTime] = true
		var detail struct {
			Deliveries []struct{ State, Event, Recipient string }
		}
		path := fmt.Sprintf("/admin-api/client/pc/alarm-notice/get?id=%d", n.ID)
		if err := person.Call(ctx, http.MethodGet, path, nil, &detail); err != nil {
			return err
		}
		for _, d := range detail.Deliveries {
			if d.State == "sent" {
				sent++
			}
		}
	}
	unsent := s.expectedMessages() - sent
	r.Lost += unsent
	if notices := s.alarms - len(all); notices > 0 || unsent > 0 {
		missing := fmt.Sprintf("%d notices and %d messages are missing", notices, unsent)
		r.Remark = strings.TrimPrefix(r.Remark+"; "+missing, "; ")
	}
	return nil
}

// compareMails compares the mails that the mail server accepted with the expected ones.
func (s *alarmDevice) compareMails(r *Row) {
	different, all := s.bed.mail.counts()
	r.Lost += max(0, s.expectedMessages()-different)
	r.Repeated += all - different
}

// compareTexts compares the SMS that the gateway accepted with the expected ones. An SMS has no id,
// so only the number tells how many were lost or arrived again.
func (s *alarmDevice) compareTexts(r *Row) {
	all := int(s.bed.sms.total.Load())
	r.Lost += max(0, s.expectedMessages()-all)
	r.Repeated += max(0, all-s.expectedMessages())
}
