// Package webhook calls tenants' webhooks: it writes the body about a notice, signs it by the
// Standard Webhooks specification, and sends it to addresses on the internet only.
package webhook

import (
	"encoding/json"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
)

// The types of message.
const (
	typeNotice = "notice."
	typeTest   = "webhook." + "test"
)

// message is the body of a call.
type message struct {
	Type      string    `json:"type"`
	Timestamp timestamp `json:"timestamp"` // when it happened
	Data      any       `json:"data"`
}

// notice is a notice by the schema of api/open.yaml.
type notice struct {
	ID          int64      `json:"id"`
	Title       string     `json:"title"`
	Level       string     `json:"level"`
	Status      string     `json:"status"`
	ResolvedBy  string     `json:"resolvedBy,omitempty"`
	DeviceName  string     `json:"deviceName"`
	NoteName    string     `json:"noteName"`
	StartTime   timestamp  `json:"startTime"`
	EndTime     *timestamp `json:"endTime,omitempty"`
	Description string     `json:"description,omitempty"`
	HoldsSince  *timestamp `json:"holdsSince,omitempty"`
	Day         bool       `json:"holdsSinceDay,omitempty"`
	Before      bool       `json:"holdsSinceBefore,omitempty"`
	Ack         *ack       `json:"acknowledged,omitempty"`
	Unsteady    bool       `json:"unsteady,omitempty"`
	Changes     *int       `json:"changes,omitempty"`
}

// ack is an Acknowledgement by the schema of api/open.yaml.
type ack struct {
	By     string    `json:"by"`
	Time   timestamp `json:"time"`
	Note   string    `json:"note"`
	Remind timestamp `json:"remindTime"`
}

// timestamp is a time in epoch milliseconds, written like those of the open API.
type timestamp int64

// MarshalJSON writes RFC 3339 in UTC with milliseconds.
func (m timestamp) MarshalJSON() ([]byte, error) {
	return []byte(time.UnixMilli(int64(m)).UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

var levels = []string{"general", "important", "serious"}

// noticeBody writes the body about a notice. It is the same at each attempt, except that holdsSince
// may become known at a later one.
func noticeBody(a *alertmsg.Alarm) ([]byte, error) {
	n := notice{
		ID:          a.Notice,
		Title:       a.Title,
		Level:       levels[a.Level],
		Status:      "open",
		DeviceName:  a.DeviceName,
		NoteName:    a.NoteName,
		StartTime:   timestamp(a.Start),
		Description: a.Description,
	}
	if a.HoldsSince > 0 {
		n.HoldsSince = new(timestamp(a.HoldsSince))
		n.Day, n.Before = a.HoldsSincePrecision.Flags()
	}
	if a.Unsteady > 0 {
		n.Unsteady, n.Changes = true, &a.Changes
	}
	if a.Ack != nil {
		n.Ack = &ack{By: a.Ack.User, Time: timestamp(a.Ack.Time), Note: a.Ack.Note, Remind: timestamp(a.Ack.RemindAt)}
	}
	m := message{Type: typeNotice + notify.WebhookEvent(a.Event), Timestamp: n.StartTime}
	switch a.Event {
	case alertmsg.Acknowledged, alertmsg.Unacknowledged:
		m.Timestamp = timestamp(a.At)
	case alertmsg.Resolved:
		end := timestamp(a.End)
		n.Status, n.ResolvedBy, n.EndTime = "resolved", "itself", &end
		if a.Manual {
			n.ResolvedBy = "hand"
		}
		m.Timestamp = end
	}
	m.Data = n
	return json.Marshal(m)
}

// testBody writes the body of a test call.
func testBody(now time.Time) ([]byte, error) {
	return json.Marshal(message{Type: typeTest, Timestamp: timestamp(now.UnixMilli()), Data: struct{}{}})
}
