package console

import (
	"context"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// Snapshots for the audit log hold the fields that people see, under the contract's names. Ids are
// passed by pointer if they are known only after the thing is made.

func (s *server) snapshotScene(t tenant.ID, id *int64) audit.Snapshot {
	return func(ctx context.Context) ([]audit.Thing, error) {
		scene, err := s.Scenes.Get(ctx, t, *id)
		if err != nil {
			return nil, err
		}
		return []audit.Thing{{ID: scene.ID, Name: scene.Name, Fields: []audit.Field{
			{Name: "name", Value: scene.Name}, {Name: "groupStatus", Value: scene.Status},
		}}}, nil
	}
}

func (s *server) snapshotDevice(t tenant.ID, name string) audit.Snapshot {
	return func(ctx context.Context) ([]audit.Thing, error) {
		d, err := s.Devices.Get(ctx, t, name)
		if err != nil {
			return nil, err
		}
		scene := ""
		if d.SceneID != device.DefaultScene {
			found, err := s.Scenes.Get(ctx, t, d.SceneID)
			if err != nil {
				return nil, err
			}
			scene = found.Name
		}
		thing := d.AuditThing()
		for _, f := range device.Fields {
			if f.People {
				thing.Fields = append(thing.Fields, audit.Field{Name: f.Name, Value: f.ValueIn(d)})
			}
			if f.Name == "noteName" { // the scene is told after it
				thing.Fields = append(thing.Fields, audit.Field{Name: "groupName", Value: scene})
			}
		}
		return []audit.Thing{thing}, nil
	}
}

// snapshotRules takes a snapshot of rules as the form shows them, with the names of devices and
// channels. The revision shows that a rule was saved without a change: its open notice was ended.
func (s *server) snapshotRules(t tenant.ID, ids *[]alarm.RuleID) audit.Snapshot {
	return func(ctx context.Context) ([]audit.Thing, error) {
		cards, err := s.Rules.CardsWithoutNotices(ctx, t, *ids)
		if err != nil {
			return nil, err
		}
		things := make([]audit.Thing, len(cards))
		for i := range cards {
			c, w := &cards[i], s.wireRule(&cards[i])
			channels, err := s.channelNames(ctx, t, c.Channels)
			if err != nil {
				return nil, err
			}
			title := c.NoteName
			if title == "" {
				title = c.DeviceName
			}
			named, err := s.targetNames(ctx, t, c)
			if err != nil {
				return nil, err
			}
			things[i] = audit.Thing{
				ID:          int64(c.ID),
				Name:        c.Name,
				SearchAlias: c.DeviceName + "\n" + c.NoteName,
				Fields: []audit.Field{
					{
						Name:  "alarmName",
						Value: w.AlarmName,
					},
					{Name: "executionId", Value: title},
					{Name: "triggerType", Value: w.TriggerType},
					{
						Name:  "conditions",
						Value: w.Conditions,
					},
					{Name: "hitCounts", Value: w.HitCounts},
					{Name: "durations", Value: w.Durations},
					{
						Name:  "alarmLevel",
						Value: w.AlarmLevel,
					},
					{Name: "passageway", Value: channels},
					{Name: "startTime", Value: w.StartTime},
					{
						Name:  "endTime",
						Value: w.EndTime,
					},
					{Name: "timePeriods", Value: w.TimePeriods},
					{Name: "weekdays", Value: w.Weekdays},
					{
						Name:  "remindEvery",
						Value: w.RemindEvery,
					},
					{Name: "manualRelease", Value: w.ManualRelease},
					{Name: "alarmDesc", Value: w.AlarmDesc},
					{Name: "targets", Value: named},
					{
						Name:  "deployState",
						Value: w.DeployState,
					},
					{Name: "muteUntil", Value: w.MuteUntil},
					{Name: "", Value: c.Revision, Hidden: true},
				},
			}
		}
		return things, nil
	}
}

// targetNames returns the names of a rule's targets; none if the rule names a single device, which
// executionId holds.
func (s *server) targetNames(ctx context.Context, t tenant.ID, c *alarm.RuleCard) ([]string, error) {
	if c.Targets.SingleDevice() {
		return nil, nil
	}
	devices, err := s.Devices.ByIDs(ctx, t, c.Targets.Devices)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range devices {
		names = append(names, d.Title())
	}
	for _, id := range c.Targets.Scenes {
		if id == device.DefaultScene {
			names = append(names, "–") // – stands for the devices of no scene, in any language
			continue
		}
		scene, err := s.Scenes.Get(ctx, t, id)
		if err != nil {
			return nil, err
		}
		names = append(names, scene.Name)
	}
	for _, id := range c.Targets.Products {
		if p := s.Catalog.Product(id); p != nil {
			names = append(names, p.DisplayName(requestFrom(ctx).Language))
		}
	}
	return names, nil
}

func (s *server) channelNames(ctx context.Context, t tenant.ID, ids []int64) ([]string, error) {
	channels, err := s.Channels.GetMany(ctx, t, ids)
	names := make([]string, len(channels))
	for i := range channels {
		names[i] = channels[i].Name
	}
	return names, err
}

func (s *server) snapshotChannel(t tenant.ID, id *int64) audit.Snapshot {
	return func(ctx context.Context) ([]audit.Thing, error) {
		c, err := s.Channels.Get(ctx, t, *id)
		if err != nil {
			return nil, err
		}
		fields := []audit.Field{{Name: "noticeName", Value: c.Name}, {Name: "noticeMode", Value: c.Kinds()}}
		for _, k := range notify.Kinds() {
			to := c.To[k.Name]
			fields = append(fields, audit.Field{
				Name: recipientField(k), Value: to, Masked: shownRecipients(identity.Viewer, k.Name, to),
			})
		}
		fields = append(fields, audit.Field{Name: "language", Value: c.Language})
		return []audit.Thing{{ID: c.ID, Name: c.Name, Fields: fields}}, nil
	}
}

func (s *server) snapshotCredential(t tenant.ID, user int64, id *int64) audit.Snapshot {
	return func(ctx context.Context) ([]audit.Thing, error) {
		c, err := s.Credentials.Get(ctx, t, user, *id)
		if err != nil {
			return nil, err
		}
		return []audit.Thing{{ID: c.ID, Name: c.Name, SearchAlias: c.AppKey, Fields: []audit.Field{
			{Name: "appKey", Value: c.AppKey}, {Name: "enabled", Value: boolInt(c.Enabled)},
		}}}, nil
	}
}

// snapshotSession takes a snapshot of the caller while the session is active.
func (s *server) snapshotSession(ctx context.Context) ([]audit.Thing, error) {
	c := caller(ctx)
	lives, err := s.Sessions.IsActive(ctx, c.Tenant, c.Session)
	if err != nil {
		return nil, err
	}
	if !lives {
		return nil, errs.Missing()
	}
	name, err := s.callerName(ctx)
	return []audit.Thing{{ID: c.User, Name: name}}, err
}
