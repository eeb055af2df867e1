package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// After a kill and after an orderly stop, a server goes on counting how long a device is offline
// where the last server stopped. Here the device lacks four seconds when the first server is
// killed, hours ago; the rest counts from when the next server accepts devices.
func TestOfflineDurationContinuesAfterRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole servers")
	}
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	set, err := parseArgs(
		t,
		"--data-dir", dir,
		"--http-addr", testkit.AnyPort,
		"--mqtt-addr", testkit.AnyPort,
		"--admin-addr", testkit.AnyPort,
	)
	if err != nil {
		t.Fatal(err)
	}
	open := func() *Server {
		t.Helper()
		s, err := New(ctx, set, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// This is what the first server left in the database.
	fell := time.Now().Add(-3 * time.Hour)
	published := fell.Add(-56 * time.Second)
	s := open()
	file := `{products: [{name: station, properties: [{identifier: rain, dataType: number}]}], tenants: [{name: north, timeZone: UTC, devices: [{deviceName: NEVER, product: station}, {deviceName: ONLINE, product: station}]}]}`
	if _, err := s.Provider.Apply(ctx, []byte(file), false); err != nil {
		t.Fatal(err)
	}
	north, err := s.Stores.Tenants.ByName(ctx, "north")
	if err != nil {
		t.Fatal(err)
	}
	rules := alarm.NewRuleStore(s.Stores.DB, s.Stores.Catalog, func() time.Time { return published })
	for _, name := range []string{"NEVER", "ONLINE"} {
		d, err := s.Stores.Devices.Get(ctx, north.ID, name)
		if err != nil {
			t.Fatal(err)
		}
		id, err := rules.Create(
			ctx,
			north.ID,
			&alarm.Rule{
				Name:    "Silent " + name,
				Device:  d.ID,
				Trigger: alarm.DeviceOffline,
				Hits:    1,
				Window:  time.Minute,
			},
		)
		if err == nil {
			err = rules.Publish(ctx, north.ID, id, "Ada")
		}
		if err != nil {
			t.Fatal(err)
		}
		if name == "ONLINE" {
			s.Stores.Presence.Seen(device.Ref{Tenant: north.ID, ID: d.ID})
		}
	}
	if err := s.Stores.Status.Flush(ctx, true); err != nil {
		t.Fatal(err)
	}
	if err := s.Stores.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.listeners.close(); err != nil {
		t.Fatal(err)
	}
	retentionFile := filepath.Join(dir, "lived-until")
	err = os.WriteFile(
		retentionFile,
		[]byte(fell.UTC().Format(time.RFC3339)+"\n"+fell.UTC().Format(time.RFC3339Nano)),
		0o600,
	)
	if err != nil {
		t.Fatal(err)
	}

	run := func(while func(s *Server)) {
		t.Helper()
		runServer(t, open(), while)
	}
	notices := func(s *Server) []alarm.Notice {
		t.Helper()
		list, _, err := s.Stores.Notices.Page(ctx, north.ID, alarm.NoticeQuery{Limit: 10})
		if err != nil {
			t.Error(err)
		}
		return list
	}
	before := time.Now()
	run(func(s *Server) { // for less time than the device lacks
		if list := notices(s); len(list) > 0 {
			t.Errorf("a notice opened at once: %+v", list)
		}
	})
	again := time.Now()
	run(func(s *Server) {
		testkit.Eventually(t, "the notice", func() bool { return len(notices(s)) > 0 })
		list := notices(s)
		start := time.UnixMilli(list[0].Start)
		if len(list) != 1 || list[0].DeviceName != "NEVER" || start.Before(before.Add(4*time.Second)) ||
			start.After(time.Now()) {
			t.Errorf("the notice opened at %v, servers ran from %v: %+v", start, before, list)
		}
	})
	raw, err := os.ReadFile(retentionFile)
	if err != nil {
		t.Fatal(err)
	}
	_, let, _ := strings.Cut(strings.TrimSpace(string(raw)), "\n")
	if at, err := time.Parse(time.RFC3339Nano, let); err != nil || at.Before(again) || at.After(time.Now()) {
		t.Errorf("by the file, devices were accepted until %v (%v)", at, err)
	}
}
