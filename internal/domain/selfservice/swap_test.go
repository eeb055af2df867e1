package selfservice_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func (w *fixture) swap(t *testing.T, f selfservice.SwapForm) string {
	t.Helper()
	secret, err := w.service.Swap(t.Context(), w.field.ID, f)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// 21: the old secrets are dead, the new one is valid, and nothing else of the device changes.
func TestSwap(t *testing.T) {
	w := newFixture(t)
	north := w.Scene(t, w.field.ID, "North")
	d := w.Device(t, w.field.ID, w.station, "WS-1", func(d *device.Device) {
		d.NoteName, d.SceneID, d.Longitude, d.Latitude = "Mast", north, new(32.85), new(39.92)
	})
	second, err := w.Devices.NewSecret(
		t.Context(), w.field.ID, "WS-1", device.SecretOptions{}, w.Catalog, w.Registry,
	)
	if err != nil {
		t.Fatal(err)
	}
	w.Hints.NoteWrongSecret(testkit.Ref(d), netip.MustParseAddr("203.0.113.9"))
	var ended []time.Time
	w.service.EndCalibrations = func(ctx context.Context, of tenant.ID, id device.ID, _ string, at time.Time) error {
		if stored, err := w.Devices.Get(ctx, of, "WS-1"); err != nil || stored.ID != id || stored.Serial != "S-2" {
			t.Errorf("not in the swap's transaction: %+v %v", stored, err)
		}
		ended = append(ended, at)
		return nil
	}
	changed := 0
	w.Devices.Changed.Then(func(of device.Ref) {
		if of == testkit.Ref(d) {
			changed++
		}
	})
	ctx := w.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.User, ID: w.field.Ada.ID})
	w.Clock.Advance(time.Minute)
	secret, err := w.service.Swap(ctx, w.field.ID, selfservice.SwapForm{
		DeviceName: "WS-1", Serial: " S-2 ", Note: " hit by a tractor ", User: "Ada", Short: true,
	})
	if err != nil || len(secret) != 20 {
		t.Fatalf("%q %v", secret, err)
	}
	check := func(when string) {
		t.Helper()
		if w.signsIn("WS-1", testkit.Secret("WS-1")) || w.signsIn(second, "") || !w.signsIn("WS-1", secret) {
			t.Errorf("%s: only the new secret may be valid", when)
		}
		got, err := w.Devices.Get(t.Context(), w.field.ID, "WS-1")
		if err != nil || got.ID != d.ID || got.Serial != "S-2" || got.NoteName != "Mast" || got.SceneID != north ||
			*got.Longitude != 32.85 || got.ProductID != d.ProductID || got.SwapTime != w.Clock.Now().UnixMilli() {
			t.Errorf("%s: %+v %v", when, got, err)
		}
	}
	check("at once")
	if hints := w.Hints.Get(w.field.ID, d.ID); len(hints) != 0 {
		t.Errorf("the old box's hints: %+v", hints)
	}
	if len(ended) != 1 || !ended[0].Equal(w.Clock.Now()) || changed == 0 {
		t.Errorf("calibrations ended at %v, %d changes told", ended, changed)
	}
	w.Restart(t)
	check("after a restart")
	entries, _, err := w.Audit.Page(t.Context(), w.field.ID, audit.Query{Limit: 9})
	if err != nil || len(entries) != 1 || entries[0].Kind+entries[0].Action != "deviceswap" {
		t.Errorf("%+v %v", entries, err)
	}
	// A box without a serial clears the former one's.
	w.service.EndCalibrations = nil
	w.swap(t, selfservice.SwapForm{DeviceName: "WS-1"})
	if got, err := w.Devices.Get(t.Context(), w.field.ID, "WS-1"); err != nil || got.Serial != "" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestSwapRefuses(t *testing.T) {
	w := newFixture(t)
	w.Device(t, w.field.ID, w.station, "WS-1")
	w.Device(t, w.field.ID, w.station, "WS-2")
	w.Device(t, w.field.ID, w.station, "CAM-1", func(d *device.Device) { d.Serial = "SXT-1" })
	mute := w.Device(t, w.field.ID, w.station, "CAM-2", func(d *device.Device) { d.Serial = "SXT-2" })
	w.Device(t, w.rival.ID, w.station, "RV-1")
	if err := w.Devices.PutSecrets(t.Context(), w.field.ID, mute.ID); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key, field string
		form       selfservice.SwapForm
	}{
		{"device.serialTaken", "serial", selfservice.SwapForm{DeviceName: "WS-1", Serial: "SN-WS-2"}},
		{"invalid.long", "serial", selfservice.SwapForm{DeviceName: "WS-1", Serial: strings.Repeat("x", 65)}},
		{"invalid.long", "note", selfservice.SwapForm{DeviceName: "WS-1", Note: strings.Repeat("x", 201)}},
		{"invalid.format", "note", selfservice.SwapForm{DeviceName: "WS-1", Note: "a\nb"}},
		{"device.swapType", "serial", selfservice.SwapForm{DeviceName: "WS-1", Serial: "SXT-9"}},
		{"device.swapType", "serial", selfservice.SwapForm{DeviceName: "CAM-1", Serial: "S-9"}},
		{"device.cameraNotSwapped", "", selfservice.SwapForm{DeviceName: "CAM-2", Serial: "SXT-9"}},
	} {
		_, err := w.service.Swap(t.Context(), w.field.ID, c.form)
		e := refused(t, err, c.key)
		if taken, ok := e.Data.(selfservice.TakenBy); e.Field != c.field || ok && taken.DeviceName != "WS-2" ||
			ok != (c.key == "device.serialTaken") {
			t.Errorf("%+v: %+v", c.form, e)
		}
	}
	for _, name := range []string{"RV-1", "none", ""} {
		if secret, err := w.service.Swap(
			t.Context(),
			w.field.ID,
			selfservice.SwapForm{DeviceName: name},
		); secret != "" ||
			!errs.Is(err, errs.NotFound) {
			t.Errorf("%q: %q %v", name, secret, err)
		}
	}
	// Of a swap that fails nothing is left.
	w.service.EndCalibrations = func(context.Context, tenant.ID, device.ID, string, time.Time) error {
		return errors.New("no")
	}
	if _, err := w.service.Swap(t.Context(), w.field.ID, selfservice.SwapForm{DeviceName: "WS-1"}); err == nil {
		t.Error("calibrations were not ended")
	}
	w.service.EndCalibrations = nil
	w.Reload(t)
	d, err := w.Devices.Get(t.Context(), w.field.ID, "WS-1")
	if err != nil || d.Serial != "SN-WS-1" || d.SwapTime != 0 || !w.signsIn("WS-1", testkit.Secret("WS-1")) {
		t.Errorf("%+v %v", d, err)
	}
	// The serial of another tenant's device, of the device itself, and that of a camera are good.
	w.swap(t, selfservice.SwapForm{DeviceName: "WS-1", Serial: "SN-RV-1"})
	w.swap(t, selfservice.SwapForm{DeviceName: "WS-2", Serial: "SN-WS-2"})
	w.swap(t, selfservice.SwapForm{DeviceName: "CAM-1", Serial: "SXT-9"})
}

// Of two swaps at once both return a secret; one of them is the only one that is valid.
func TestSwapsAtOnce(t *testing.T) {
	w := newFixture(t)
	d := w.Device(t, w.field.ID, w.station, "WS-1")
	secrets := make([]string, 2)
	var done sync.WaitGroup
	for i := range secrets {
		done.Go(func() {
			var err error
			form := selfservice.SwapForm{DeviceName: "WS-1", Serial: "S-" + string(rune('1'+i))}
			if secrets[i], err = w.service.Swap(t.Context(), w.field.ID, form); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	valid := 0
	for _, secret := range secrets {
		if w.signsIn("WS-1", secret) {
			valid++
		}
	}
	kept, err := w.Devices.Secrets(t.Context(), w.field.ID, d.ID)
	if err != nil || valid != 1 || len(kept) != 1 || w.signsIn("WS-1", testkit.Secret("WS-1")) {
		t.Errorf("%d of the secrets are valid, %d stored (%v)", valid, len(kept), err)
	}
	// The other one, too, is a former box's.
	former, err := w.Devices.FormerBoxes(t.Context(), w.field.ID)
	if err != nil || len(former[d.ID].Secrets) != 2 {
		t.Errorf("%+v %v", former, err)
	}
}

// A disabled device can be prepared for its new box; it stays shut out.
func TestSwapOfDisabledDevice(t *testing.T) {
	w := newFixture(t)
	d := w.Device(t, w.field.ID, w.station, "WS-1", func(d *device.Device) { d.Disabled = true })
	secret := w.swap(t, selfservice.SwapForm{DeviceName: "WS-1"})
	if w.signsIn("WS-1", secret) {
		t.Error("a disabled device signs in")
	}
	d, err := w.Devices.Get(t.Context(), w.field.ID, d.Name)
	if err != nil || !d.Disabled {
		t.Fatalf("%+v %v", d, err)
	}
	d.Disabled = false
	if err := w.Devices.Put(t.Context(), w.field.ID, d); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	if !w.signsIn("WS-1", secret) {
		t.Error("once enabled it cannot sign in")
	}
}

// Swaps count as changes of devices.
func TestSwapsAreLimited(t *testing.T) {
	w := newFixture(t)
	for range 300 {
		if _, err := w.service.Swap(t.Context(), w.field.ID, selfservice.SwapForm{DeviceName: "none"}); !errs.Is(err,
			errs.NotFound) {
			t.Fatal(err)
		}
	}
	_, err := w.service.Swap(t.Context(), w.field.ID, selfservice.SwapForm{DeviceName: "none"})
	if !errs.Is(err, errs.TooMany) {
		t.Errorf("%v", err)
	}
	if _, err := w.service.Swap(t.Context(), w.rival.ID, selfservice.SwapForm{DeviceName: "none"}); !errs.Is(err,
		errs.NotFound) {
		t.Errorf("another tenant: %v", err)
	}
}
