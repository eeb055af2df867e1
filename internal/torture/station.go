package torture

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tilth/internal/bench"
)

const (
	stormAlarms = 20 // that begin and end in a storm
	noticePage  = 400
)

// station is a device whose readings begin and end alarms; people are told of
// both.
type station struct {
	house    *house
	device   bench.Device
	property string
	told     int           // letters for one alarm: of its begin and its end, for each recipient
	alarms   int           // that were begun and ended by readings that were acknowledged
	at       int64         // time of the newest reading, epoch ms
	ahead    time.Duration // of the server's clock
}

// armMails makes the rule and who is told of it by mail, armTexts by SMS.
func (s *station) armMails(ctx context.Context) error {
	s.told = 2 * 2
	return s.arm(ctx, map[string]any{
		"noticeName": "Field", "noticeMode": []string{"email"}, "email": map[string]any{"emails": []string{"ada@example.com", "bora@example.com"}},
	})
}

func (s *station) armTexts(ctx context.Context) error {
	s.told = 2 * 1
	return s.arm(ctx, map[string]any{"noticeName": "Field", "noticeMode": []string{"phoneMessage"}, "phoneMessage": []string{"+905551112233"}})
}

func (s *station) arm(ctx context.Context, channel map[string]any) error {
	person, err := s.house.server.SignIn(ctx)
	if err != nil {
		return err
	}
	var channelID, rule int64
	if err := person.Call(ctx, http.MethodPost, "/admin-api/client/pc/notice-channel/create", channel, &channelID); err != nil {
		return err
	}
	if err := person.Call(ctx, http.MethodPost, "/admin-api/client/pc/alarm-rules/create", map[string]any{
		"alarmName": "Frost", "dataSource": 1, "executionId": s.device.Name, "triggerType": 0, "durations": 60_000, "hitCounts": 1,
		"alarmLevel": 1, "manualRelease": 0, "passageway": []int64{channelID},
		"conditions": []map[string]any{{"andor": "and", "tslAttribute": s.property, "subconditions": "<", "value": 1}},
	}, &rule); err != nil {
		return err
	}
	var done bool
	return person.Call(ctx, http.MethodGet, fmt.Sprintf("/admin-api/client/pc/alarm-rules/publish?alarmRulesId=%d", rule), nil, &done)
}

// storm begins and ends so many alarms, which count once it is acknowledged.
func (s *station) storm(ctx context.Context) error {
	at := max(s.at+1, time.Now().Add(s.ahead).UnixMilli())
	var values []string
	for range stormAlarms {
		values = append(values, fmt.Sprintf(`{"ts":%d,"values":{"%s":0}},{"ts":%d,"values":{"%s":9}}`, at, s.property, at+1, s.property))
		at += 2
	}
	s.at = at
	status, body, err := s.post(ctx, "["+strings.Join(values, ",")+"]")
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("a storm was answered %d %s", status, body)
	}
	s.alarms += stormAlarms
	return nil
}

// calm is a reading that begins no alarm.
func (s *station) calm() string { return fmt.Sprintf(`{"%s":5}`, s.property) }

// post hands readings in over HTTP.
func (s *station) post(ctx context.Context, payload string) (status int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost,
		s.house.server.Console+"/api/v1/"+s.device.Secret+"/telemetry", strings.NewReader(payload))
	if err != nil {
		return 0, "", err
	}
	return ask(r)
}

// letters are how many people are to be told in all.
func (s *station) letters() int { return s.alarms * s.told }

// arrived waits until everybody was told of all that was acknowledged, and the
// server knows it. Letters that do not come in time are lost, which the
// comparison afterwards tells.
func (h *house) arrived(ctx context.Context, way string, came func() int) error {
	err := until(ctx, "letters", func() (bool, error) { return came() >= h.station.letters(), nil })
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err != nil {
		return err
	}
	return h.figure(ctx, "tilth_notify_"+way+"_queued", func(n float64) bool { return n == 0 })
}

func (h *house) mailsArrived(ctx context.Context) error {
	return h.arrived(ctx, "mail", func() int { different, _ := h.mails.numbers(); return different })
}

func (h *house) textsArrived(ctx context.Context) error {
	return h.arrived(ctx, "sms", func() int { return int(h.phones.all.Load()) })
}

// notice is one in the console's list.
type notice struct {
	ID                 int64
	ResolveStatus      int
	StartTime, EndTime int64
}

// check compares the notices, and what became of their letters, with the
// storms that were acknowledged, and enters them in the row.
func (s *station) check(ctx context.Context, r *Row) error {
	person, err := s.house.server.SignIn(ctx)
	if err != nil {
		return err
	}
	var all []notice
	for page, total := 1, 1; len(all) < total; page++ {
		var got struct {
			Total int
			List  []notice
		}
		if err := person.Call(ctx, http.MethodGet, fmt.Sprintf("/admin-api/client/pc/alarm-notice/page?pageNo=%d&pageSize=%d", page, noticePage), nil, &got); err != nil {
			return err
		}
		if total = got.Total; len(got.List) == 0 {
			break
		}
		all = append(all, got.List...)
	}
	r.Checked += s.alarms + s.letters()
	r.Lost += max(0, s.alarms-len(all))
	if len(all) > s.alarms {
		return fmt.Errorf("%d notices of %d storms that were acknowledged", len(all), s.alarms)
	}
	sent := 0
	for _, n := range all {
		var detail struct {
			Deliveries []struct{ State, Event, Recipient string }
		}
		if err := person.Call(ctx, http.MethodGet, fmt.Sprintf("/admin-api/client/pc/alarm-notice/get?id=%d", n.ID), nil, &detail); err != nil {
			return err
		}
		for _, d := range detail.Deliveries {
			if d.State == "sent" {
				sent++
			}
		}
	}
	r.Lost += s.letters() - sent
	return nil
}

// mailed compares what the mail server took with what was to be told.
func (s *station) mailed(r *Row) {
	different, all := s.house.mails.numbers()
	r.Lost += max(0, s.letters()-different)
	r.Repeated += all - different
}

// texted compares what the gateway took with what was to be told. An SMS has no
// name of its own, so what came again and what did not come are told by number.
func (s *station) texted(r *Row) {
	all := int(s.house.phones.all.Load())
	r.Lost += max(0, s.letters()-all)
	r.Repeated += max(0, all-s.letters())
}
