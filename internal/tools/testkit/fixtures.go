package testkit

import (
	"cmp"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/text"
)

// OfflineAfter is the time without contact after which the weather station is offline.
const OfflineAfter = 15 * time.Minute

// Station makes the product weather-station and the elements of two of its
// five properties.
func (s *Stores) Station(t testing.TB) *device.Product {
	t.Helper()
	for _, e := range []device.Element{
		{YeuSign: "airTemperature", Unit: "°C", YeuURL: "/icons/air.svg", Names: elementNames("Air temperature", "空气温度", "Hava sıcaklığı", "Температура воздуха")},
		{YeuSign: "relativeHumidity", Unit: "%", Names: elementNames("Relative humidity", "相对湿度", "Bağıl nem", "Относительная влажность")},
	} {
		if err := s.Catalog.PutElement(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
	}
	p := &device.Product{Name: "weather-station", OfflineAfter: OfflineAfter, Properties: []device.Property{
		{
			Identifier:   "airTemperature",
			FunctionName: "Air temp.",
			DataType:     device.Number,
			AccessMode:   "r",
			Min:          new(-50.0),
			Max:          new(70.0),
			Precision:    new(1),
		},
		{
			Identifier:   "relativeHumidity",
			FunctionName: "Humidity",
			ElementUnit:  "%RH",
			DataType:     device.Number,
			AccessMode:   "r",
			Min:          new(0.0),
			Max:          new(100.0),
		},
		{Identifier: "rain", FunctionName: "Rain", ElementUnit: "mm", DataType: device.Number, AccessMode: "r"},
		{Identifier: "heating", FunctionName: "Heating", DataType: device.Boolean, AccessMode: "rw"},
		{Identifier: "note", DataType: device.Text, AccessMode: "r", ElementData: "https://example.org/a.m3u8"},
	}}
	if err := s.Catalog.PutProduct(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	s.Reload(t)
	return p
}

func elementNames(en, zh, tr, ru string) map[text.Language]string {
	return map[text.Language]string{text.English: en, text.Chinese: zh, text.Turkish: tr, text.Russian: ru}
}

// Scene makes a usable scene of a tenant and returns its id.
func (s *Stores) Scene(t testing.TB, owner tenant.ID, name string) int64 {
	t.Helper()
	id, err := s.Scenes.Create(t.Context(), owner, name, device.SceneUsable)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Secret returns the secret of the device with that name which the builders make.
func Secret(deviceName string) string { return deviceName + "-0123456789abcdef" }

// Device makes a device of a tenant and loads it into the registry. The functions with change it
// before it is stored.
func (s *Stores) Device(
	t testing.TB,
	owner tenant.ID,
	p *device.Product,
	name string,
	with ...func(*device.Device),
) *device.Device {
	t.Helper()
	d := &device.Device{Name: name, Serial: "SN-" + name, ProductID: p.ID}
	for _, f := range with {
		f(d)
	}
	s.PutDevices(t, owner, d)
	return d
}

// PutDevices stores devices of a tenant and their secrets in one transaction, and loads the
// registry.
func (s *Stores) PutDevices(t testing.TB, owner tenant.ID, devices ...*device.Device) {
	t.Helper()
	err := s.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		for _, d := range devices {
			if err := s.Devices.Put(ctx, owner, d); err != nil {
				return err
			}
			if err := s.Devices.PutSecrets(ctx, owner, d.ID, device.HashSecret(SecretKey, Secret(d.Name))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Reload(t)
}

// Ref returns the reference of a device: its tenant and its id.
func Ref(d *device.Device) device.Ref { return device.Ref{Tenant: d.Tenant, ID: d.ID} }

// Channel makes a channel of a tenant that notifies NAME@example.com and +905551112233, and returns
// it. The functions with change it before it is stored.
func (s *Stores) Channel(t testing.TB, owner tenant.ID, name string, with ...func(*notify.Channel)) *notify.Channel {
	t.Helper()
	c := &notify.Channel{
		Tenant: owner, Name: name, CreateTime: s.Clock.Milli(), To: notify.Recipients{
			notify.KindEmail: {strings.ToLower(name) + "@example.com"}, notify.KindSMS: {"+905551112233"},
		},
	}
	for _, f := range with {
		f(c)
	}
	var err error
	if c.ID, err = s.Channels.Create(t.Context(), owner, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// Notice is an alarm notice for Stores.Notice.
type Notice struct {
	Device     *device.Device
	Level      alarm.Level
	Status     alarm.ResolveStatus
	Start      int64 // epoch milliseconds
	CreateTime int64 // epoch milliseconds

	Rule     alarm.RuleID // 0: a rule of its own that no longer exists
	Revision int64        // 0 means 1
	Title    string       // empty means Frost
	End      int64        // epoch milliseconds
	RuleJSON string       // JSON of the rule; empty means {}
}

// Notice stores a notice and returns its id.
func (s *Stores) Notice(t testing.TB, n Notice) int64 {
	t.Helper()
	title, was := cmp.Or(n.Title, "Frost"), cmp.Or(n.RuleJSON, "{}")
	var id int64
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		return tx.NewRaw(
			`INSERT INTO notices
			(tenant_id, rule_id, rule_revision, device_id, device_name, title, folded_title,
				alarm_level, resolve_status, start_time, end_time, create_time, rule)
			VALUES (?, COALESCE(NULLIF(?, 0), (SELECT COALESCE(MAX(id), 0) + 1000000 FROM notices)),
				?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
			n.Device.Tenant,
			n.Rule,
			max(1, n.Revision),
			n.Device.ID,
			n.Device.Name,
			title,
			text.Fold(title),
			n.Level,
			n.Status,
			n.Start,
			n.End,
			n.CreateTime,
			was,
		).Scan(ctx, &id)
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Message stores a message of a tenant that the given users have read.
func (s *Stores) Message(t testing.TB, owner tenant.ID, readers ...int64) {
	t.Helper()
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		var id int64
		insert := tx.NewRaw(
			`INSERT INTO messages (tenant_id, event, facts, create_time) VALUES (?, 'triggered', '{}', ?) RETURNING id`,
			owner,
			s.Clock.Milli(),
		)
		if err := insert.Scan(ctx, &id); err != nil {
			return err
		}
		for _, u := range readers {
			if _, err := tx.NewRaw(`INSERT INTO message_reads (message_id, user_id, read_time) VALUES (?, ?, ?)`,
				id, u, s.Clock.Milli()).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
