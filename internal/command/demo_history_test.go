package command

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/server"
	"tilth/internal/settings"
	"tilth/internal/tools/farm"
	"tilth/internal/tools/testkit"
)

// newDemo makes a demo with a history of three days, of which the last is dense, and its server.
func newDemo(t *testing.T, out io.Writer) (*demo, *server.Server) {
	t.Helper()
	c := demoCommand()
	if err := c.ParseFlags([]string{
		"--data-dir", filepath.Join(t.TempDir(), "demo"), "--sms", "off",
		"--http-addr", testkit.AnyPort, "--mqtt-addr", testkit.AnyPort, "--admin-addr", testkit.AnyPort,
	}); err != nil {
		t.Fatal(err)
	}
	set, err := settings.Read(c.Flags())
	if err != nil {
		t.Fatal(err)
	}
	const day = 24 * time.Hour
	d := &demo{
		set: set, seed: 1, history: 3 * day, dense: day, out: out,
		password: demoPassword, secrets: map[string]string{}, historyEnd: time.Now(),
	}
	d.farm = farm.New(d.seed, d.historyEnd)
	unlock, err := freshFolder(set.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
	s, err := server.New(t.Context(), set, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return d, s
}

// The days of the history are packed when the demo is ready. The thin part of it has fewer readings
// and no outages that the dense part would not have, and no rule opened a notice.
func TestDemoHistoryIsPackedAndSteady(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	d, s := newDemo(t, &out)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	zone := time.FixedZone("", 3*3600) // of the demo's farm in sites.yaml
	today := d.historyEnd.In(zone)
	err := s.Run(ctx, func(ctx context.Context) error { return d.prepare(ctx, s) }, func() {
		defer stop()
		owner, err := s.Stores.Tenants.ByName(ctx, demoTenant)
		if err != nil {
			t.Error(err)
			return
		}
		masts := 0
		for _, dev := range d.farm.Devices() {
			if dev.Tenant != demoTenant || dev.Product != "weather-mast" {
				continue
			}
			masts++
			id := s.Stores.Registry.Find(owner.ID, dev.Name).ID
			days, err := s.Stores.Readings.Coverage(ctx, owner.ID, id, 0, d.historyEnd.UnixMilli(), zone)
			if err != nil {
				t.Error(err)
			}
			frames := map[string]int{}
			for _, day := range days {
				frames[day.String()] = int(day.Frames)
			}
			// Days of 144 and 1440 readings, less what is lost in gaps.
			if n := frames[today.AddDate(0, 0, -2).Format(time.DateOnly)]; n < 60 || n > 150 {
				t.Errorf("%s has %d frames on a thin day: %v", dev.Name, n, days)
			}
			if n := frames[today.AddDate(0, 0, -1).Format(time.DateOnly)]; n < 600 || n > 1450 {
				t.Errorf("%s has %d frames on a dense day: %v", dev.Name, n, days)
			}
			_, changes, err := s.Stores.Status.PresenceHistory(ctx, owner.ID, id, 0, 10)
			if err != nil || changes == 0 || changes > 6 {
				t.Errorf("%s came and went %d times in three days, %v", dev.Name, changes, err)
			}
		}
		if masts == 0 {
			t.Error("the farm has no mast")
		}
		// One device has been silent since yesterday, and its rule may have noticed by now.
		query := alarm.NoticeQuery{Limit: 10}
		if notices, _, err := s.Stores.Notices.Page(ctx, owner.ID, query); err != nil || len(notices) > 1 {
			t.Errorf("notices: %v, %v", notices, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, told := range []string{
		"The history holds a reading in 10 minutes, and all readings of the last 1 day.\n",
		"Writing 3 days of history: ", "Packing the history: ",
	} {
		if !strings.Contains(out.String(), told) {
			t.Errorf("it does not say %q:\n%s", told, &out)
		}
	}
	readings := filepath.Join(d.set.DataDir, "readings")
	f, err := reading.Examine(t.Context(), readings, 0, func(device.Ref) bool { return true })
	if err != nil || !f.OK() {
		t.Fatalf("%+v, %v", f, err)
	}
	// Thin days alone have more than 2000 frames each. What is not packed is today's, and yesterday's
	// in the first hour of a day.
	if f.Sealed < 4000 || f.Frames > 40_000 {
		t.Errorf("%d frames are packed, %d are not", f.Sealed, f.Frames)
	}
}

// A demo that is stopped while it writes its history ends without an error.
func TestDemoStopsWhileItWritesHistory(t *testing.T) {
	t.Parallel()
	d, s := newDemo(t, io.Discard)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	err := s.Run(ctx, func(ctx context.Context) error {
		stop()
		<-ctx.Done()
		err := d.prepare(ctx, s)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("prepare returned %v", err)
		}
		return err
	}, func() { t.Error("it says that it is ready") })
	if err != nil {
		t.Error(err)
	}
}

func TestDemoRefusesWrongHistory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--history", "366d"}, "--history: between 0 and 365d"},
		{[]string{"--history", "-1h"}, "--history: between 0 and 365d"},
		{[]string{"--history", "40"}, `--history: "40" is not a time such as 36h or 400d`},
		{[]string{"--history", "40d", "--retention", "30d"}, "--history: longer than --retention, which keeps 720h0m0s"},
		{[]string{"--days", "366"}, "--days: between 0 and 365"},
	} {
		command := root()
		command.SetOut(io.Discard)
		command.SetErr(io.Discard)
		command.SetArgs(append([]string{"demo", "--data-dir", filepath.Join(t.TempDir(), "demo")}, c.args...))
		if err := command.ExecuteContext(t.Context()); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, want %q", c.args, err, c.want)
		}
	}
}
