package torture

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tilth/internal/tools/bench"
)

const (
	stormAlarms = 20 // that begin and end in a storm
	noticePage  = 400
)

// alarmDevice is a device whose readings begin and end alarms; people are told of
// both.
type alarmDevice struct {
	bed              *testbed
	device           bench.Device
	property         string
	messagesPerAlarm int           // letters for one alarm: of its begin and its end, for each recipient
	alarms           int           // that were begun and ended by readings that were acknowledged
	at               int64         // time of the newest reading, epoch ms
	clockAhead       time.Duration // of the server's clock
}

// armMails makes the rule and who is told of it by mail, armTexts by SMS.
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
	if err := person.Call(
		ctx,
		http.MethodPost,
		"/admin-api/client/pc/notice-channel/create",
		channel,
		&channelID,
	); err != nil {
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
	return person.Call(
		ctx,
		http.MethodGet,
		fmt.Sprintf("/admin-api/client/pc/alarm-rules/publish?alarmRulesId=%d", rule),
		nil,
		&done,
	)
}

// storm begins and ends so many alarms, which count once it is acknowledged.
func (s *alarmDevice) storm(ctx context.Context) error {
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
	status, body, err := s.send(ctx, "["+strings.Join(values, ",")+"]")
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("a storm was answered %d %s", status, body)
	}
	s.alarms += stormAlarms
	return nil
}

// normalReading is a reading that begins no alarm.
func (s *alarmDevice) normalReading() string { return fmt.Sprintf(`{"%s":5}`, s.property) }

// send hands readings in over HTTP.
func (s *alarmDevice) send(ctx context.Context, payload string) (status int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost,
		s.bed.server.Console+"/api/v1/"+s.device.Secret+"/telemetry", strings.NewReader(payload))
	if err != nil {
		return 0, "", err
	}
	return doRequest(r)
}

// expectedMessages are how many people are to be told in all.
func (s *alarmDevice) expectedMessages() int { return s.alarms * s.messagesPerAlarm }

// waitArrived waits until everybody was told of all that was acknowledged, and the
// server knows it. Letters that do not come in time are lost, which the
// comparison afterwards tells.
func (h *testbed) waitArrived(ctx context.Context, way string, came func() int) error {
	err := waitFor(ctx, "letters", func() (bool, error) { return came() >= h.alarms.expectedMessages(), nil })
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err != nil {
		return err
	}
	return h.waitMetric(ctx, "tilth_notify_"+way+"_queued", func(n float64) bool { return n == 0 })
}

func (h *testbed) waitMails(ctx context.Context) error {
	return h.waitArrived(ctx, "mail", func() int { different, _ := h.mail.counts(); return different })
}

func (h *testbed) waitTexts(ctx context.Context) error {
	return h.waitArrived(ctx, "sms", func() int { return int(h.sms.total.Load()) })
}

// notice is one in the console's list.
type notice struct {
	ID                 int64
	ResolveStatus      int
	StartTime, EndTime int64
}

// checkNotices compares the notices, and what became of their letters, with the
// storms that were acknowledged, and enters them in the row.
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
		if err := person.Call(
			ctx,
			http.MethodGet,
			fmt.Sprintf("/admin-api/client/pc/alarm-notice/page?pageNo=%d&pageSize=%d", page, noticePage),
			nil,
			&got,
		); err != nil {
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
		return fmt.Errorf("%d notices of %d storms that were acknowledged", len(all), s.alarms)
	}
	sent := 0
	for _, n := range all {
		var detail struct {
			Deliveries []struct{ State, Event, Recipient string }
		}
		if err := person.Call(
			ctx,
			http.MethodGet,
			fmt.Sprintf("/admin-api/client/pc/alarm-notice/get?id=%d", n.ID),
			nil,
			&detail,
		); err != nil {
			return err
		}
		for _, d := range detail.Deliveries {
			if d.State == "sent" {
				sent++
			}
		}
	}
	r.Lost += s.expectedMessages() - sent
	return nil
}

// compareMails compares what the mail server took with what was to be told.
func (s *alarmDevice) compareMails(r *Row) {
	different, all := s.bed.mail.counts()
	r.Lost += max(0, s.expectedMessages()-different)
	r.Repeated += all - different
}

// compareTexts compares what the gateway took with what was to be told. An SMS has no
// name of its own, so what came again and what did not come are told by number.
func (s *alarmDevice) compareTexts(r *Row) {
	all := int(s.bed.sms.total.Load())
	r.Lost += max(0, s.expectedMessages()-all)
	r.Repeated += max(0, all-s.expectedMessages())
}
