package alarm

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
)

// Reason is why a notice ended; empty while it is open.
type Reason string

// The reasons for which a notice ends.
const (
	Recovered Reason = "recovered" // the conditions do not hold for a newer sample
	Online    Reason = "online"    // the device is back
	Changed   Reason = "changed"   // the rule was changed
	Stopped   Reason = "stopped"   // the rule no longer runs
	// AttributeGone is the reason where a rule's device no longer has an attribute of it, or has it
	// in another type.
	AttributeGone Reason = "attributeGone"
	Deleted       Reason = "deleted" // the rule, or its device, is gone
	Left          Reason = "left"    // the device no longer belongs to the rule
	Manual        Reason = "byHand"  // a person resolved it
)

// RuleCopy is a rule as it was when its notice began, with its device's remark name of that time. A
// notice stores its JSON.
type RuleCopy struct {
	Trigger       Trigger         `json:"triggerType"`
	Conditions    []Condition     `json:"conditions"`
	Hits          int             `json:"hitCounts"`
	Window        int64           `json:"durations"` // ms
	ManualRelease bool            `json:"manualRelease"`
	Channels      []int64         `json:"passageway,omitempty"`
	Period        alertmsg.Period `json:"period"`
	RemindEvery   int             `json:"remindEvery,omitempty"` // minutes
	NoteName      string          `json:"noteName"`              // the device's
	ProductID     int64           `json:"productId"`             // the device's
	// Attributes are those of the conditions, each once. Copies from before they were kept have
	// none.
	Attributes []AttributeCopy `json:"attributes,omitempty"`
}

// AttributeCopy is an attribute as the product had it when a notice began. A notice stores its
// JSON.
type AttributeCopy struct {
	Identifier   string `json:"identifier"`
	FunctionName string `json:"functionName,omitempty"`
	Unit         string `json:"elementUnit,omitempty"`
	Precision    *int   `json:"precision,omitempty"` // decimals; nil: as it comes
}

// Attribute finds an attribute as it was; nil when the copy does not have it.
func (c *RuleCopy) Attribute(identifier string) *AttributeCopy {
	for i := range c.Attributes {
		if c.Attributes[i].Identifier == identifier {
			return &c.Attributes[i]
		}
	}
	return nil
}

// NewRuleCopy copies r for its notice. note is the remark name of its device, product the number of
// the device's product, and attributes are that product's.
func NewRuleCopy(r *Rule, note string, product int64, attributes []AttributeCopy) RuleCopy {
	return RuleCopy{
		Trigger:       r.Trigger,
		Conditions:    r.Conditions,
		Hits:          r.Hits,
		Window:        r.Window.Milliseconds(),
		ManualRelease: r.ManualRelease,
		Channels:      r.Channels,
		Period:        r.Period,
		RemindEvery:   int(r.RemindEvery / time.Minute),
		NoteName:      note,
		ProductID:     product,
		Attributes:    attributes,
	}
}

// NoticeSample is a sample that counted towards a notice, by identifier. A property without a value
// at that time is absent. A notice stores its JSON.
type NoticeSample struct {
	Time   int64                    `json:"time"` // epoch ms
	Values map[string]reading.Value `json:"values"`
}

// Chart holds the points of a notice's chart by identifier, in ascending order. It stays when the
// readings themselves are removed. A notice stores its JSON.
type Chart map[string][]ChartPoint

// ChartPoint is one reading of a chart.
type ChartPoint struct {
	Time  int64         `json:"time"` // epoch ms
	Value reading.Value `json:"value"`
}

// Detail is everything that is stored of one notice.
type Detail struct {
	Notice
	Device      device.ID // may be gone
	Revision    int64     // the rule's, when the notice began
	Description string
	RuleCopy    RuleCopy
	Samples     []NoticeSample // those that counted, oldest first
	Reason      Reason
	Attribute   string // of AttributeGone: the identifier of that attribute
	ResolveUser string // display name of the user who resolved it manually
	Remark      string
	Chart       Chart // nil until some minutes after the end
}

// Get finds a tenant's notice with everything that is stored of it.
func (s *NoticeStore) Get(ctx context.Context, t tenant.ID, id int64) (*Detail, error) {
	var r noticeRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Where("n.tenant_id = ? AND n.id = ?", t, id).Scan(ctx)
	if db.IsMissing(err) {
		return nil, errs.Missing()
	}
	if err != nil {
		return nil, wrap("get notice", err)
	}
	d := &Detail{
		Notice: r.notice(), Device: r.DeviceID, Revision: r.RuleRevision, Description: r.AlarmDesc,
		Reason: r.ResolveReason, Attribute: r.ResolveAttribute, ResolveUser: r.ResolveUser, Remark: r.Remark,
	}
	for _, part := range []struct {
		text string
		into any
	}{{r.Rule, &d.RuleCopy}, {r.Samples, &d.Samples}, {r.Kept, &d.Chart}} {
		if part.text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(part.text), part.into); err != nil {
			return nil, fmt.Errorf("alarm: notice %d: %w", id, err)
		}
	}
	d.NoteName = d.RuleCopy.NoteName
	return d, nil
}
