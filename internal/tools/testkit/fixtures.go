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

// OfflineAfter is the patience of the weather station.
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

// Scene makes a usable scene of a tenant and answers its id.
func (s *Stores) Scene(t testing.TB, owner tenant.ID, name string) int64 {
	t.Helper()
	id, err := s.Scenes.Create(t.Context(), owner, name, device.SceneUsable)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Secret is the secret of the builders' device of that name.
func Secret(deviceName string) string { return deviceName + "-0123456789abcdef" }

// Device makes a device of a tenant that the registry knows; with changes what
// it is made of.
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

// PutDevices stores devices of a tenant in one transaction, gives each its
// secret, and loads the registry.
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

// Ref names a device together with its owner.
func Ref(d *device.Device) device.Ref { return device.Ref{Tenant: d.Tenant, ID: d.ID} }

// Channel makes a channel of a tenant that tells NAME@example.com and
// +905551112233, and answers it; with changes it.
func (s *Stores) Channel(t testing.TB, owner tenant.ID, name string, with ...func(*notify.Channel)) *notify.Channel {
	t.Helper()
	c := &notify.Channel{
		Tenant: owner, Name: name, ByEmail: true, Emails: []string{strings.ToLower(name) + "@example.com"},
		ByPhone: true, Phones: []string{"+905551112233"}, CreateTime: s.Clock.Milli(),
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

// Notice is an alarm notice to be recorded.
type Notice struct {
	Device     *device.Device
	Level      alarm.Level
	Status     alarm.ResolveStatus
	Start      int64 // epoch milliseconds
	CreateTime int64 // epoch milliseconds

	Rule     alarm.RuleID // 0: one of its own that is gone
	Revision int64        // 0: the first
	Title    string       // empty: Frost
	End      int64        // epoch milliseconds
	RuleJSON string       // JSON of the rule; empty: nothing is known of it
}

// Notice records a notice and answers its id.
func (s *Stores) Notice(t testing.TB, n Notice) int64 {
	t.Helper()
	title, was := cmp.Or(n.Title, "Frost"), cmp.Or(n.RuleJSON, "{}")
	var id int64
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		return tx.NewRaw(
			`INSERT INTO notices
			(tenant_id, rule_id, rule_revision, device_id, device_name, title, folded_title, alarm_level, resolve_status, start_time, end_time, create_time, rule)
			VALUES (?, COALESCE(NULLIF(?, 0), (SELECT COALESCE(MAX(id), 0) + 1000000 FROM notices)), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
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

// Message stores an in-app message of a tenant, read by the given users.
func (s *Stores) Message(t testing.TB, owner tenant.ID, readers ...int64) {
	t.Helper()
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		var id int64
		if err := tx.NewRaw(
			`INSERT INTO messages (tenant_id, event, facts, create_time) VALUES (?, 'triggered', '{}', ?) RETURNING id`,
			owner,
			s.Clock.Milli(),
		).Scan(
			ctx,
			&id,
		); err != nil {
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
