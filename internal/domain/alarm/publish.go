package alarm

import (
	"encoding/json"

	"tilth/internal/domain/tenant"
)

// noticeEvent is what a tenant's screens receive: a notice that began or ended.
type noticeEvent struct {
	tenant tenant.ID
	Notice
}

// publishNotices publishes notices that began or ended to the screens. It wakes the archiver for
// those that are over and the onsetFinder for those that began.
func (e *Engine) publishNotices(events []noticeEvent) {
	for _, n := range events {
		if n.Status != Pending {
			e.resolved.Add(1)
			e.archiver.wakeUp()
		} else {
			e.onsets.wakeUp()
		}
		e.publishNotice(n.tenant, &n.Notice)
	}
}

// liveNotice is a notice as screens receive it.
func liveNotice(n *Notice) []byte {
	var ack *liveAck
	if n.Ack != nil {
		ack = &liveAck{n.Ack.User, n.Ack.Time, n.Ack.Note, n.Ack.RemindAt}
	}
	day, before := n.HoldsSincePrecision.Flags()
	b, err := json.Marshal(struct {
		ID         int64         `json:"id"`
		RuleID     RuleID        `json:"ruleId"`
		Title      string        `json:"title"`
		Status     ResolveStatus `json:"resolveStatus"`
		Level      Level         `json:"alarmLevel"`
		DeviceName string        `json:"deviceName"`
		NoteName   string        `json:"noteName"`
		Start      int64         `json:"startTime"`
		End        int64         `json:"endTime,omitempty"`
		CreateTime int64         `json:"createTime"`
		Unsteady   bool          `json:"unsteady,omitempty"`
		Changes    int           `json:"changes,omitempty"`
		HoldsSince int64         `json:"holdsSince,omitempty"`
		Day        bool          `json:"holdsSinceDay,omitempty"`
		Before     bool          `json:"holdsSinceBefore,omitempty"`
		Ack        *liveAck      `json:"ack,omitempty"`
	}{
		n.ID, n.Rule, n.Title, n.Status, n.Level, n.DeviceName, n.NoteName, n.Start, n.End, n.CreateTime,
		n.Unsteady, n.Changes, n.HoldsSince, day, before, ack,
	})
	if err != nil {
		return nil // numbers and strings always marshal
	}
	return b
}

// liveAck is an Ack as screens receive it.
type liveAck struct {
	User     string `json:"user"`
	Time     int64  `json:"time"`
	Note     string `json:"note"`
	RemindAt int64  `json:"remindAt"`
}

// publishNotice sends a notice to a tenant's open screens.
func (e *Engine) publishNotice(t tenant.ID, n *Notice) {
	if e.opts.Screens.Watched(t) {
		e.opts.Screens.Publish(t, "notice", liveNotice(n))
	}
}
