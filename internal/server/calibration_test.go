package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/calibration"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// interrupted is a Past that a server does not finish before it ends.
type interrupted struct{ begun chan struct{} }

func (p interrupted) Recompute(ctx context.Context, _ tenant.ID, _ device.ID, _, _ int64) (int, int, error) {
	select {
	case p.begun <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return 0, 0, ctx.Err()
}

// Values that are derived from calibrated numbers are computed again since the calibration's time, also if
// the server ends in the middle; newer ones are right at once.
func TestCalibrationDerivesAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole servers")
	}
	t.Parallel()
	set, err := parseArgs(t, "--data-dir", t.TempDir(), "--http-addr", testkit.AnyPort, "--mqtt-addr", testkit.AnyPort,
		"--admin-addr", testkit.AnyPort)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	run := func(before, while func(s *Server)) {
		t.Helper()
		s, err := New(ctx, set, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		before(s)
		runServer(t, s, while)
	}
	var ref device.Ref
	var temperature, dewPoint device.PropertyID
	dewPoints := func(s *Server) (list []float64) {
		t.Helper()
		props, now := []device.PropertyID{dewPoint}, time.Now().UnixMilli()
		err := s.Stores.Readings.Range(ctx, ref.Tenant, ref.ID, 0, now, props,
			func(_ int64, f []reading.Field) error {
				list = append(list, f[0].Value.Float())
				return nil
			})
		if err != nil {
			t.Error(err)
		}
		return list
	}
	begin := time.Now().Add(-72 * time.Hour)
	send := func(s *Server, hours int) {
		t.Helper()
		at := begin.Add(time.Duration(hours) * time.Hour).UnixMilli()
		message := fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":15,"airHumidity":60}}`, at)
		address := fmt.Sprintf("http://%s/api/v1/secret-of-M-1-0123456789/telemetry", s.HTTPAddr())
		res, err := http.Post(address, "application/json", strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s (%v)", res.Status, err)
		}
	}
	// At 60 %: 15 °C has a dew point of 7.3 °C, 20 °C one of 12.0 °C.
	const measured, corrected = 7.3, 12.0
	const file = `{products: [{name: mast, properties: [{identifier: airTemperature, dataType: number, elementUnit: "°C", precision: 1},
		{identifier: airHumidity, dataType: number, elementUnit: "%"},
		{identifier: dewPoint, dataType: number, elementUnit: "°C", formula: dewPoint, inputs: [airTemperature, airHumidity], precision: 1}]}],
		tenants: [{name: north, timeZone: UTC, devices: [
			{deviceName: M-1, product: mast, secrets: [secret-of-M-1-0123456789]}]}]}`
	stuck := interrupted{make(chan struct{}, 1)}
	run(func(s *Server) {
		if _, err := s.Provider.Apply(ctx, []byte(file), false); err != nil {
			t.Fatal(err)
		}
		north, err := s.Stores.Tenants.ByName(ctx, "north")
		if err != nil {
			t.Fatal(err)
		}
		entry := s.Stores.Registry.Find(north.ID, "M-1")
		ref = entry.Ref
		temperature, dewPoint = entry.Product.Property("airTemperature").ID, entry.Product.Property("dewPoint").ID
		s.Stores.Calibrations.Past = stuck
	}, func(s *Server) {
		for hours := 0; hours < 70; hours += 10 {
			send(s, hours)
		}
		if _, err := s.Stores.Calibrations.Create(ctx, ref.Tenant, "M-1", "Ada", calibration.Form{
			Property: "airTemperature", FromTime: begin.Add(25 * time.Hour).UnixMilli(),
			Kind: calibration.Offset, Shift: new(5.0),
		}); err != nil {
			t.Fatal(err)
		}
		testkit.Receive(t, "the begin of the derivation", stuck.begun)
		send(s, 71)
		if got := dewPoints(s); fmt.Sprint(got) != fmt.Sprint([]float64{
			measured, measured, measured, measured, measured, measured, measured, corrected,
		}) {
			t.Errorf("before the past is derived again: %v", got)
		}
	})
	run(func(*Server) {}, func(s *Server) {
		want := fmt.Sprint([]float64{
			measured, measured, measured, corrected, corrected, corrected, corrected, corrected,
		})
		testkit.Eventually(t, "the past to be derived again", func() bool { return fmt.Sprint(dewPoints(s)) == want })
		testkit.Eventually(t, "the wish to be gone", func() bool {
			n, err := s.Stores.DB.Read(ctx).NewSelect().Table("rederivations").Count(ctx)
			return err == nil && n == 0
		})
		got := s.Stores.Readings.Latest(ctx, ref.Tenant, ref.ID)
		if i := 0; got[i].Property != temperature || got[i].Value != reading.Number(20) {
			t.Errorf("latest %v", got)
		}
	})
}
