package device_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// TestHandOver lets another leader go on while one device is connected, one fell silent a while ago, and one is
// offline. Nobody goes offline or online by that, and everybody's times stay; the silent one goes offline when
// it would have, but for the time in which nobody led; the connected one has time to connect again.
func TestHandOver(t *testing.T) {
	s := testkit.NewStores(t)
	if !testkit.UsePostgres() {
		t.Skip("only a cluster, which needs PostgreSQL, has leaders")
	}
	owner, product := s.Tenant(t, "farm").ID, s.Station(t)
	connected, silent, off := s.Device(
		t,
		owner,
		product,
		"C",
	), s.Device(
		t,
		owner,
		product,
		"S",
	), s.Device(
		t,
		owner,
		product,
		"O",
	)
	s.Presence.Seen(testkit.Ref(off))
	s.Clock.Advance(testkit.OfflineAfter)
	s.Presence.Expire()
	s.Presence.Connected(testkit.Ref(connected))
	s.Presence.Seen(testkit.Ref(silent))
	s.Clock.Advance(10 * time.Minute)
	handOver(t, s, connected)
	want := states(s, connected, silent, off)
	s.Clock.Advance(2 * time.Minute) // nobody leads

	takeOver := func() (changes *[]string) {
		t.Helper()
		s.Restart(t)
		changes = &[]string{}
		s.Presence.Changed.Then(func(c device.StatusChange) { *changes = append(*changes, c.Name) })
		if err := s.Status.TakeOver(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Presence.AcceptDevices()
		s.Presence.Expire()
		return changes
	}
	changes := takeOver()
	if got := states(s, connected, silent, off); got != want || len(*changes) > 0 {
		t.Errorf("after the hand-over\n%s, want\n%s; %v", got, want, *changes)
	}
	s.Clock.Advance(testkit.OfflineAfter - 10*time.Minute - time.Second)
	s.Presence.Expire()
	if len(*changes) > 0 {
		t.Errorf("%v went offline too early", *changes)
	}
	s.Clock.Advance(time.Second)
	s.Presence.Expire()
	if fmt.Sprint(*changes) != "[S]" {
		t.Errorf("%v went offline, want the silent one", *changes)
	}
	s.Clock.Advance(10 * time.Minute)
	s.Presence.Expire()
	if fmt.Sprint(*changes) != "[S C]" {
		t.Errorf("%v went offline, want the one that did not come back, too", *changes)
	}

	// What was handed over counts once: a leader that ends abruptly leaves nothing.
	s.Presence.Connected(testkit.Ref(connected))
	s.Presence.Seen(testkit.Ref(silent))
	s.Clock.Advance(14 * time.Minute)
	if err := s.Status.Flush(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	changes = takeOver()
	s.Clock.Advance(testkit.OfflineAfter - time.Second)
	s.Presence.Expire()
	if len(*changes) > 0 {
		t.Errorf("%v went offline after an abrupt end", *changes)
	}
}

// handOver ends a leader as its orderly stop does.
func handOver(t *testing.T, s *testkit.Stores, connected *device.Device) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s.Presence.Run(ctx)
	s.Presence.Disconnected(testkit.Ref(connected))
	s.Clock.Advance(3 * time.Second) // the stop takes a while
	if err := s.Status.Flush(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if err := s.Status.HandOver(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// states describes the status of devices.
func states(s *testkit.Stores, devices ...*device.Device) string {
	var b strings.Builder
	for _, d := range devices {
		fmt.Fprintf(&b, "%s %+v\n", d.Name, s.Presence.Status(d.Tenant, d.ID))
	}
	return b.String()
}

// A damaged hand-over is logged, one of another version is left out, and neither keeps a node from leading.
func TestDamagedHandOver(t *testing.T) {
	s := testkit.NewStores(t)
	if !testkit.UsePostgres() {
		t.Skip("only a cluster, which needs PostgreSQL, has leaders")
	}
	for content, refused := range map[string]bool{"\x01\x01": true, "\x01\x01\xff": true, "\x09\x01": false, "\x01": false} {
		if err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
			_, err := tx.NewRaw(
				"INSERT INTO presence_handover (shard, devices) VALUES (0, ?)",
				[]byte(content),
			).Exec(
				ctx,
			)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		before := strings.Count(s.Log.Text(), "is damaged")
		if err := s.Status.TakeOver(t.Context()); err != nil {
			t.Errorf("%q: %v", content, err)
		}
		if logged := strings.Count(s.Log.Text(), "is damaged") > before; logged != refused {
			t.Errorf("%q is damaged: %v", content, logged)
		}
	}
}
