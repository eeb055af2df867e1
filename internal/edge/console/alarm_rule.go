package console

import (
	"context"
	"errors"
	"strconv"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// maxMute is how far ahead a rule can be muted.
const maxMute = 30 * 24 * time.Hour

// PageAlarmRules answers alarm rules page by page.
func (s *server) PageAlarmRules(
	ctx context.Context,
	r wire.PageAlarmRulesRequestObject,
) (wire.PageAlarmRulesResponseObject, error) {
	p, paging := r.Params, pageQuery(r.Params.PageNo, r.Params.PageSize)
	names, err := parseDeviceNames("executionId", p.ExecutionId)
	if err != nil {
		return nil, err
	}
	cards, total, running, err := s.Rules.Page(ctx, caller(ctx).Tenant, alarm.RuleQuery{
		Name: trimmed(deref(p.AlarmName)), Devices: names, Level: (*alarm.Level)(p.AlarmLevel), Running: p.Running,
		Offset: paging.Offset, Limit: paging.Limit,
	})
	if err != nil {
		return nil, err
	}
	page := &wire.AlarmRulePage{List: make([]wire.AlarmRule, len(cards)), Total: int(total), Running: int(running)}
	for i := range cards {
		page.List[i] = s.wireRule(&cards[i])
	}
	return wire.PageAlarmRules200JSONResponse{Code: success, Data: page}, nil
}

// GetAlarmRule answers one alarm rule.
func (s *server) GetAlarmRule(
	ctx context.Context,
	r wire.GetAlarmRuleRequestObject,
) (wire.GetAlarmRuleResponseObject, error) {
	card, err := s.Rules.Get(ctx, caller(ctx).Tenant, alarm.RuleID(r.Params.Id))
	if err != nil {
		return nil, err
	}
	w := s.wireRule(card)
	return wire.GetAlarmRule200JSONResponse{Code: success, Data: &w}, nil
}

// CreateAlarmRule makes an alarm rule, which does not run yet, and answers its id.
func (s *server) CreateAlarmRule(
	ctx context.Context,
	r wire.CreateAlarmRuleRequestObject,
) (wire.CreateAlarmRuleResponseObject, error) {
	t := caller(ctx).Tenant
	rule, err := s.RuleForms.Rule(ctx, t, ruleForm(r.Body))
	if err != nil {
		return nil, err
	}
	ids := make([]alarm.RuleID, 1)
	err = audit.Record(ctx, t, "rule.create", s.snapshotRules(t, &ids), func(ctx context.Context) (err error) {
		ids[0], err = s.Rules.Create(ctx, t, &rule)
		return err
	})
	if err != nil {
		return nil, err
	}
	return wire.CreateAlarmRule200JSONResponse{Code: success, Data: new(int64(ids[0]))}, nil
}

// UpdateAlarmRule changes an alarm rule; its open notice is resolved.
func (s *server) UpdateAlarmRule(
	ctx context.Context,
	r wire.UpdateAlarmRuleRequestObject,
) (wire.UpdateAlarmRuleResponseObject, error) {
	t, b := caller(ctx).Tenant, r.Body
	id := alarm.RuleID(b.Id)
	// The rule is looked up before the form is checked: another tenant's rule must look missing.
	card, err := s.Rules.Get(ctx, t, id)
	if err != nil {
		return nil, err
	}
	rule, err := s.RuleForms.Rule(ctx, t, ruleForm(&wire.AlarmRuleCreate{
		AlarmName:     b.AlarmName,
		DataSource:    b.DataSource,
		ExecutionId:   b.ExecutionId,
		Targets:       updatedTargets(b, card),
		TriggerType:   b.TriggerType,
		Conditions:    b.Conditions,
		ComplexTime:   b.ComplexTime,
		HitCounts:     b.HitCounts,
		Durations:     b.Durations,
		AlarmLevel:    b.AlarmLevel,
		Passageway:    b.Passageway,
		StartTime:     b.StartTime,
		EndTime:       b.EndTime,
		ManualRelease: b.ManualRelease,
		AlarmDesc:     b.AlarmDesc,
		TimePeriods:   b.TimePeriods,
		Weekdays:      b.Weekdays,
		RemindEvery:   b.RemindEvery,
	}))
	if err != nil {
		return nil, err
	}
	rule.ID = id
	err = s.changeRule(
		ctx,
		id,
		alarm.Changed,
		"rule.update",
		func(ctx context.Context) error { return s.Rules.Update(ctx, t, &rule) },
	)
	if err != nil {
		return nil, err
	}
	return wire.UpdateAlarmRule200JSONResponse{Code: success, Data: new(true)}, nil
}

// updatedTargets returns the targets that a change of a rule gives. A client that does not know
// targets sends the first device back; the rule then keeps its targets.
func updatedTargets(b *wire.AlarmRuleUpdate, current *alarm.RuleCard) *wire.AlarmTargets {
	if b.Targets != nil || current.Targets.SingleDevice() || trimmed(deref(b.ExecutionId)) != current.DeviceName {
		return b.Targets
	}
	return new(wireTargets(current))
}

// PageAlarmRuleDevices answers the devices of a rule, page by page.
func (s *server) PageAlarmRuleDevices(
	ctx context.Context,
	r wire.PageAlarmRuleDevicesRequestObject,
) (wire.PageAlarmRuleDevicesResponseObject, error) {
	q := pageQuery(r.Params.PageNo, r.Params.PageSize)
	list, total, err := s.Rules.Devices(ctx, caller(ctx).Tenant, alarm.RuleID(r.Params.Id), q.Offset, q.Limit)
	if err != nil {
		return nil, err
	}
	page := &wire.AlarmRuleDevicePage{List: make([]wire.AlarmRuleDevice, len(list)), Total: int(total)}
	for i, d := range list {
		page.List[i] = wire.AlarmRuleDevice{
			DeviceName: d.Name,
			NoteName:   d.NoteName,
			GroupName:  d.Scene,
			State:      memberStates[d.State],
			OpenNotice: wireMark(d.Open),
		}
	}
	return wire.PageAlarmRuleDevices200JSONResponse{Code: success, Data: page}, nil
}

// memberStates holds the wire's words for the states of a rule's devices.
var memberStates = map[alarm.MemberState]string{alarm.Member: "judged", alarm.AtLimit: "limit", alarm.Misfit: "misfit"}

// PublishAlarmRule makes a rule run.
func (s *server) PublishAlarmRule(
	ctx context.Context,
	r wire.PublishAlarmRuleRequestObject,
) (wire.PublishAlarmRuleResponseObject, error) {
	err := s.deploy(ctx, alarm.RuleID(r.Params.AlarmRulesId), alarm.Changed, "rule.publish", s.Rules.Publish)
	if err != nil {
		return nil, err
	}
	return wire.PublishAlarmRule200JSONResponse{Code: success, Data: new(true)}, nil
}

// UnpublishAlarmRule stops a rule; its open notice is resolved.
func (s *server) UnpublishAlarmRule(
	ctx context.Context,
	r wire.UnpublishAlarmRuleRequestObject,
) (wire.UnpublishAlarmRuleResponseObject, error) {
	err := s.deploy(ctx, alarm.RuleID(r.Params.AlarmRulesId), alarm.Stopped, "rule.unpublish", s.Rules.Unpublish)
	if err != nil {
		return nil, err
	}
	return wire.UnpublishAlarmRule200JSONResponse{Code: success, Data: new(true)}, nil
}

func (s *server) deploy(
	ctx context.Context,
	id alarm.RuleID,
	reason alarm.Reason,
	action string,
	apply func(context.Context, tenant.ID, alarm.RuleID, string) error,
) error {
	t := caller(ctx).Tenant
	user, err := s.callerName(ctx)
	if err != nil {
		return err
	}
	return s.changeRule(ctx, id, reason, action, func(ctx context.Context) error { return apply(ctx, t, id, user) })
}

// changeRule changes a rule that may be under evaluation at this very moment, and audits the
// change.
func (s *server) changeRule(
	ctx context.Context,
	id alarm.RuleID,
	reason alarm.Reason,
	action string,
	change func(ctx context.Context) error,
) error {
	t, ids := caller(ctx).Tenant, []alarm.RuleID{id}
	return s.Alarms.Change(
		ctx,
		t,
		ids,
		reason,
		func(ctx context.Context) error { return audit.Record(ctx, t, action, s.snapshotRules(t, &ids), change) },
	)
}

// callerName returns the caller's display name.
func (s *server) callerName(ctx context.Context) (string, error) {
	u, err := s.Users.Get(ctx, caller(ctx).Tenant, caller(ctx).User)
	if err != nil {
		return "", err
	}
	return u.Name(), nil
}

// DeleteAlarmRule removes a rule; its notices stay, an open one is resolved.
func (s *server) DeleteAlarmRule(
	ctx context.Context,
	r wire.DeleteAlarmRuleRequestObject,
) (wire.DeleteAlarmRuleResponseObject, error) {
	t, id := caller(ctx).Tenant, alarm.RuleID(r.Params.Id)
	err := s.changeRule(
		ctx,
		id,
		alarm.Deleted,
		"rule.delete",
		func(ctx context.Context) error { return s.Rules.Delete(ctx, t, id) },
	)
	if err != nil {
		return nil, err
	}
	return wire.DeleteAlarmRule200JSONResponse{Code: success, Data: new(true)}, nil
}

// CopyAlarmRule copies a rule to other devices, to all of them or to none, and answers the new
// rules' ids.
func (s *server) CopyAlarmRule(
	ctx context.Context,
	r wire.CopyAlarmRuleRequestObject,
) (wire.CopyAlarmRuleResponseObject, error) {
	t := caller(ctx).Tenant
	card, err := s.Rules.Get(ctx, t, alarm.RuleID(r.Body.Id))
	if err != nil {
		return nil, err
	}
	devices, err := s.RuleForms.CopyTargets(ctx, t, &card.Rule, r.Body.ExecutionIds)
	if err != nil {
		return nil, s.nameMisfitAttribute(ctx, err, s.Catalog.Product(card.ProductID))
	}
	var made []alarm.RuleID
	err = audit.Record(ctx, t, "rule.create", s.snapshotRules(t, &made), func(ctx context.Context) (err error) {
		made, err = s.Rules.Copy(ctx, t, &card.Rule, devices)
		return err
	})
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(made))
	for i, id := range made {
		ids[i] = int64(id)
	}
	return wire.CopyAlarmRule200JSONResponse{Code: success, Data: &ids}, nil
}

// MuteAlarmRule stops notifications of a rule's notices until a time.
func (s *server) MuteAlarmRule(
	ctx context.Context,
	r wire.MuteAlarmRuleRequestObject,
) (wire.MuteAlarmRuleResponseObject, error) {
	until, now := int64(0), s.Now()
	if r.Body.Until != nil && *r.Body.Until > now.UnixMilli() {
		until = *r.Body.Until
	}
	if until > now.Add(maxMute).UnixMilli() {
		return nil, errs.New(
			errs.Refused,
			"rule.muteLong",
			"limit",
			strconv.Itoa(int(maxMute/(24*time.Hour))),
		).WithField("until")
	}
	t, ids := caller(ctx).Tenant, []alarm.RuleID{alarm.RuleID(r.Body.Id)}
	err := audit.Record(ctx, t, "rule.mute", s.snapshotRules(t, &ids), func(ctx context.Context) error {
		if err := s.Rules.Mute(ctx, t, ids[0], until); err != nil {
			return err
		}
		// In the same transaction: no notification may wait for the end of a mute that was removed.
		return s.Outbox.Unmute(ctx, t, r.Body.Id)
	})
	if err != nil {
		return nil, err
	}
	return wire.MuteAlarmRule200JSONResponse{Code: success, Data: new(true)}, nil
}

// parseDeviceNames reads device names that are joined by commas, at most 400.
func parseDeviceNames(field string, joined *string) ([]string, error) {
	const maxNames = 400
	names := splitList(deref(joined))
	if len(names) > maxNames {
		return nil, errs.New(errs.Refused, "invalid.many", "limit", strconv.Itoa(maxNames)).WithField(field)
	}
	return names, nil
}

// nameMisfitAttribute adds an attribute's display name to the refusal to copy a rule. The name
// comes from the rule's own product, which has the attribute that the other device lacks.
func (s *server) nameMisfitAttribute(ctx context.Context, err error, p *device.Product) error {
	var e *errs.Error
	if p == nil || !errors.As(err, &e) || e.Key != "rule.copyMisfit" {
		return err
	}
	if prop := p.Property(e.Args["value"]); prop != nil {
		e.Args["value"] = s.Catalog.Name(requestFrom(ctx).Language, prop)
	}
	return err
}
