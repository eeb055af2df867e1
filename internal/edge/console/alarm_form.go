package console

import (
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/alertmsg"
)

// ruleForm returns the form of a rule that a call sends.
func ruleForm(b *wire.AlarmRuleCreate) *alarm.Form {
	f := &alarm.Form{
		Name:          b.AlarmName,
		Source:        b.DataSource,
		Device:        b.ExecutionId,
		Trigger:       b.TriggerType,
		Level:         b.AlarmLevel,
		Hits:          b.HitCounts,
		Window:        b.Durations,
		Complex:       b.ComplexTime,
		Start:         b.StartTime,
		End:           b.EndTime,
		Description:   b.AlarmDesc,
		ManualRelease: b.ManualRelease,
		RemindEvery:   b.RemindEvery,
	}
	if b.Targets != nil {
		f.Targets = &alarm.FormTargets{
			Devices:  deref(b.Targets.Devices),
			Scenes:   deref(b.Targets.Groups),
			Products: deref(b.Targets.Products),
		}
	}
	if b.Conditions != nil {
		for _, c := range *b.Conditions {
			f.Conditions = append(f.Conditions, alarm.FormCondition{
				Join:      c.Andor,
				Attribute: c.TslAttribute,
				Operator:  c.Subconditions,
				Value:     c.Value,
				Recovery:  c.Recovery,
			})
		}
	}
	if b.TimePeriods != nil {
		f.Slots = *b.TimePeriods
	}
	if b.Weekdays != nil {
		f.Weekdays = *b.Weekdays
	}
	if b.Passageway != nil {
		f.Channels = *b.Passageway
	}
	return f
}

// wireTargets writes the targets of a rule as the wire has them.
func wireTargets(c *alarm.RuleCard) wire.AlarmTargets {
	devices := append([]string{}, c.Named...)
	groups := append([]int64{}, c.Targets.Scenes...)
	products := append([]int64{}, c.Targets.Products...)
	return wire.AlarmTargets{Devices: &devices, Groups: &groups, Products: &products}
}

// wireRule writes a rule as the wire has it.
func (s *server) wireRule(c *alarm.RuleCard) wire.AlarmRule {
	w := wire.AlarmRule{
		Id:            int64(c.ID),
		AlarmName:     c.Name,
		DataSource:    1,
		ExecutionId:   c.DeviceName,
		NoteName:      c.NoteName,
		Targets:       wireTargets(c),
		DeviceCount:   c.Members,
		OpenCount:     c.OpenCount,
		TriggerType:   int(c.Trigger),
		Conditions:    []wire.AlarmCondition{},
		HitCounts:     c.Hits,
		Durations:     c.Window.Milliseconds(),
		AlarmLevel:    int(c.Level),
		Passageway:    append([]int64{}, c.Channels...),
		ManualRelease: boolInt(c.ManualRelease),
		AlarmDesc:     c.Description,
		TimePeriods:   append([]int{}, c.Period.Slots...),
		ComplexTime:   boolInt(len(c.Period.Slots) > 0),
		Weekdays:      append([]int{}, c.Period.Weekdays...),
		DeployState:   int(c.Deploy),
		DeployTime:    omitZero(c.DeployTime),
		NoticeCount:   int(c.Recent),
		OpenNotice:    wireMark(c.Open),
		LastNotice:    wireMark(c.Last),
		CreateTime:    c.CreateTime,
		UpdateTime:    c.UpdateTime,
	}
	if c.LeftOut != (alarm.LeftOut{}) {
		w.LeftOut = &wire.AlarmLeftOut{Limit: c.LeftOut.AtLimit, Misfit: c.LeftOut.Misfit}
	}
	if every := int(c.RemindEvery / time.Minute); every > 0 {
		w.RemindEvery = &every
	}
	if c.DeployUser != "" {
		w.DeployUser = &c.DeployUser
	}
	if c.MuteUntil > s.Now().UnixMilli() {
		w.MuteUntil = &c.MuteUntil
	}
	if p := s.Catalog.Product(c.ProductID); p != nil && c.Deploy != alarm.Running {
		if gone := alarm.AttributesGone(&c.Rule, p); len(gone) > 0 {
			w.AttributesGone = &gone
		}
	}
	if w.ComplexTime == 0 && !c.Period.AllDay() {
		w.StartTime, w.EndTime = new(alertmsg.FormatClock(c.Period.Start)), new(alertmsg.FormatClock(c.Period.End))
	}
	for _, one := range shownConditions(c.Trigger, c.Conditions) {
		w.Conditions = append(w.Conditions, wire.AlarmCondition{
			Andor: wire.AlarmConditionAndor(one.Join), TslAttribute: one.Attribute,
			Subconditions: wire.Operator(one.Operator), Value: one.Value, Recovery: one.Recovery,
		})
	}
	return w
}

// shownConditions returns a rule's conditions as lists show them: a rule on a device being offline
// has one fixed condition.
func shownConditions(trigger alarm.Trigger, conditions []alarm.Condition) []alarm.Condition {
	if trigger == alarm.DeviceOffline {
		return []alarm.Condition{alarm.OfflineCondition()}
	}
	return conditions
}

func wireMark(m *alarm.NoticeRef) *wire.AlarmNoticeMark {
	if m == nil {
		return nil
	}
	w := &wire.AlarmNoticeMark{Id: m.ID, StartTime: m.Start, HoldsSince: omitZero(m.HoldsSince)}
	w.HoldsSinceDay, w.HoldsSinceBefore = precisionFlags(m.HoldsSincePrecision)
	return w
}
