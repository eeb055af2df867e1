package server

import (
	"log/slog"
	"testing"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/live"
	"tilth/internal/platform/text"
	"tilth/internal/settings"
)

// At most as many live streams are open at once as the settings say.
func TestScreenLimitsOfSettings(t *testing.T) {
	s, err := OpenStores(
		t.Context(),
		&settings.Server{DataDir: t.TempDir(), ScreensAUser: 20, ScreensATenant: 50},
		"",
		slog.New(slog.DiscardHandler),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for user := range int64(4) {
		for range 25 {
			s.Live.SubscribeAs(1, 1+user, "session", "")
		}
		if want := min(50, 20*int(1+user)); s.Live.Screens() != want {
			t.Errorf("of %d users %d screens, want %d", 1+user, s.Live.Screens(), want)
		}
	}
}

// The live hub keeps nothing of a deleted tenant.
func TestDeletedTenantLosesLiveStream(t *testing.T) {
	s, err := OpenStores(t.Context(), &settings.Server{DataDir: t.TempDir()}, "", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	farm := &tenant.Tenant{Name: "farm", TimeZone: time.UTC, Language: text.English}
	if err := s.Tenants.Put(t.Context(), farm); err != nil {
		t.Fatal(err)
	}
	screen, _, _, _ := s.Live.Subscribe(farm.ID, "session", "")
	if err := s.Tenants.Delete(t.Context(), farm.ID); err != nil {
		t.Fatal(err)
	}
	if s.Live.Watched(farm.ID) || s.Live.Screens() != 0 || screen.Reason() != live.EndExpired {
		t.Errorf("watched %t, %d screens, %q", s.Live.Watched(farm.ID), s.Live.Screens(), screen.Reason())
	}
}
