package command

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/reading"
	"tilth/internal/server"
	"tilth/internal/settings"
)

// demoFarm is the channels and alarm rules of a farm of the demo, as its people would have filled
// them in. The farm's weather decides whether a rule triggers.
type demoFarm struct {
	tenant, user string
	channels     []notify.ChannelForm
	rules        []demoRule
}

// demoRule is an alarm rule of the demo. Without an attribute it triggers when the device is
// offline.
type demoRule struct {
	name, device, attribute, operator string
	value, recovery                   float64
	hits                              int
	window                            time.Duration
	level                             alarm.Level
	channels                          []int // indexes of the farm's channels
	remind                            time.Duration
	description                       string
}

func demoChannel(name string, emails, phones []string, modes ...notify.ChannelKind) notify.ChannelForm {
	f := notify.ChannelForm{Name: &name, To: notify.Recipients{
		notify.KindEmail: emails, notify.KindSMS: phones,
	}}
	for _, m := range modes {
		f.Kinds = append(f.Kinds, string(m))
	}
	return f
}

// The addresses and numbers belong to nobody. A demo seldom has mail set up, so only one channel
// uses mail: people are to see that a mail was not sent, but not everywhere.
var demoFarms = []demoFarm{{
	tenant: demoTenant, user: "Elif Kaya",
	channels: []notify.ChannelForm{
		demoChannel(
			"Night shift",
			[]string{"elif.kaya@example.com"},
			[]string{"+905550000001", "+905550000002"},
			notify.KindEmail,
			notify.KindSMS,
		),
		demoChannel(
			"Orchard crew",
			[]string{"orchard@example.com", "mehmet.kaya@example.com"},
			[]string{"+905550000003"},
			notify.KindSMS,
		),
		demoChannel("Workshop", []string{"workshop@example.com"}, []string{"+905550000004"}, notify.KindSMS),
	},
	rules: []demoRule{
		{
			name:        "Frost in the orchard",
			device:      "WS-0417",
			attribute:   "airTemperature",
			operator:    "<",
			recovery:    1,
			hits:        3,
			window:      5 * time.Minute,
			level:       alarm.LevelSerious,
			channels:    []int{0, 1},
			remind:      time.Hour,
			description: "Start the wind machines at the north end first, then look at the probes of rows 12 and 31.",
		},
		{
			name:        "Storm gusts",
			device:      "WS-0422",
			attribute:   "windGust",
			operator:    ">",
			value:       15,
			recovery:    12,
			hits:        2,
			window:      10 * time.Minute,
			level:       alarm.LevelImportant,
			channels:    []int{1},
			description: "Close the roof vents and take the shade nets in.",
		},
		{
			name:        "Dry soil below the dam",
			device:      "SP-1288",
			attribute:   "soilMoisture30",
			operator:    "<",
			value:       18,
			recovery:    20,
			hits:        1,
			window:      30 * time.Minute,
			level:       alarm.LevelGeneral,
			channels:    []int{1},
			description: "The meadow is watered by hand: open the lower valve.",
		},
		{
			name:        "Orchard tank nearly empty",
			device:      "WL-0011",
			attribute:   "waterLevel",
			operator:    "<",
			value:       1.75,
			recovery:    2,
			hits:        2,
			window:      10 * time.Minute,
			level:       alarm.LevelImportant,
			channels:    []int{0, 2},
			description: "The pump should have started. Check its fuse, then the float switch.",
		},
		{
			name:        "Greenhouse too hot",
			device:      "GC-0033",
			attribute:   "airTemperature",
			operator:    ">",
			value:       30,
			recovery:    28,
			hits:        3,
			window:      10 * time.Minute,
			level:       alarm.LevelSerious,
			channels:    []int{0},
			remind:      30 * time.Minute,
			description: "The vent of the west bay has stuck before: open it by its crank.",
		},
		{
			name:        "Battery of row 31 low",
			device:      "SP-1204",
			attribute:   "batteryVoltage",
			operator:    "<",
			value:       3.75,
			recovery:    3.9,
			hits:        1,
			window:      30 * time.Minute,
			level:       alarm.LevelGeneral,
			channels:    []int{2},
			description: "The panel may be dirty; else take a new battery along.",
		},
		{
			name:     "Row 44 is silent",
			device:   "SP-1217",
			window:   time.Minute,
			level:    alarm.LevelImportant,
			channels: []int{2},
		},
	},
}, {
	tenant: "yanzhao", user: "李建国",
	channels: []notify.ChannelForm{
		demoChannel(
			"值班组",
			[]string{"zhiban@example.com"},
			[]string{"+8610000000001"},
			notify.KindEmail,
			notify.KindSMS,
		),
		demoChannel("灌溉组", []string{"guangai@example.com"}, []string{"+8610000000002"}, notify.KindSMS),
	},
	rules: []demoRule{
		{
			name:        "麦田霜冻",
			device:      "HB-WS-01",
			attribute:   "airTemperature",
			operator:    "<",
			recovery:    1,
			hits:        3,
			window:      5 * time.Minute,
			level:       alarm.LevelSerious,
			channels:    []int{0},
			remind:      time.Hour,
			description: "先查看低洼地块，必要时开启喷灌防霜。",
		},
		{
			name:        "一号地缺墒",
			device:      "HB-SP-01",
			attribute:   "soilMoisture30",
			operator:    "<",
			value:       24,
			recovery:    26,
			hits:        1,
			window:      30 * time.Minute,
			level:       alarm.LevelImportant,
			channels:    []int{1},
			description: "安排一号地灌溉。",
		},
		{
			name:        "蓄水池水位低",
			device:      "HB-WL-01",
			attribute:   "waterLevel",
			operator:    "<",
			value:       1.85,
			recovery:    2,
			hits:        2,
			window:      10 * time.Minute,
			level:       alarm.LevelImportant,
			channels:    []int{0, 1},
			description: "检查水泵保险和浮球开关。",
		},
		{name: "场部气象站离线", device: "HB-WS-02", window: 5 * time.Minute, level: alarm.LevelGeneral, channels: []int{0}},
	},
}}

// createAllAlarms creates the farms' channels and rules and runs the rules, as their people would.
// From then on the server evaluates them.
func (d *demo) createAllAlarms(ctx context.Context, s *server.Server) error {
	for i := range demoFarms {
		if err := d.createAlarms(ctx, s.Stores, &demoFarms[i]); err != nil {
			return fmt.Errorf("alarm rules of %s: %w", demoFarms[i].tenant, err)
		}
	}
	return nil
}

func (d *demo) createAlarms(ctx context.Context, s *server.Stores, farm *demoFarm) error {
	t, err := s.Tenants.ByName(ctx, farm.tenant)
	if err != nil {
		return err
	}
	channels := make([]int64, len(farm.channels))
	for i := range farm.channels {
		form := farm.channels[i]
		if d.set.Notifications.SMS != settings.SMSLog {
			form.Kinds = []string{string(notify.KindEmail)} // the demo sends no SMS
		}
		c, err := form.Channel(t.ID)
		if err != nil {
			return err
		}
		if channels[i], err = s.Channels.Create(ctx, t.ID, &c); err != nil {
			return err
		}
	}
	checker := alarm.NewChecker(s.Devices, s.Scenes, s.Catalog, s.Channels.Missing)
	ids := make([]alarm.RuleID, len(farm.rules))
	// The rule that is created last is the first on the page.
	for i := range slices.Backward(farm.rules) {
		rule, err := checker.Rule(ctx, t.ID, farm.rules[i].form(channels))
		if err != nil {
			return fmt.Errorf("%s: %w", farm.rules[i].name, err)
		}
		if ids[i], err = s.Rules.Create(ctx, t.ID, &rule); err != nil {
			return err
		}
	}
	return s.Alarms.Change(ctx, t.ID, ids, alarm.Changed, func(ctx context.Context) error {
		for _, id := range ids {
			if err := s.Rules.Publish(ctx, t.ID, id, farm.user); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *demoRule) form(channels []int64) *alarm.Form {
	f := &alarm.Form{
		Name:          &r.name,
		Source:        new(1),
		Device:        &r.device,
		Trigger:       new(int(alarm.DeviceOffline)),
		Level:         new(int(r.level)),
		ManualRelease: new(1),
		Window:        new(r.window.Milliseconds()),
		RemindEvery:   new(int(r.remind / time.Minute)),
		Description:   &r.description,
	}
	for _, place := range r.channels {
		f.Channels = append(f.Channels, channels[place])
	}
	if r.attribute != "" {
		f.Trigger, f.Hits = new(int(alarm.AttributeChange)), &r.hits
		f.Conditions = []alarm.FormCondition{{
			Attribute: &r.attribute, Operator: &r.operator, Value: new(reading.Number(r.value)), Recovery: &r.recovery,
		}}
	}
	return f
}
