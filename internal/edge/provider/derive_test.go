package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/provider/wire"
	"tilth/internal/platform/limit"
	"tilth/internal/tools/testkit"
)

// recomputer records its calls and reports two values for each.
type recomputer struct {
	stubIntake
	calls []string // "device day"
	zone  *time.Location
	after func(calls int) error
}

func (r *recomputer) Recompute(_ context.Context, ref device.Ref, at int64) (int, error) {
	r.calls = append(
		r.calls,
		fmt.Sprintf("%d/%d %s", ref.Tenant, ref.ID, time.UnixMilli(at).In(r.zone).Format(time.DateOnly)),
	)
	if r.after != nil {
		if err := r.after(len(r.calls)); err != nil {
			return 0, err
		}
	}
	return 2, nil
}

const derivingFile = `
products:
  - name: plain
    properties:
      - {identifier: airTemperature, dataType: number, elementUnit: "°C"}
  - name: mast
    properties:
      - {identifier: airTemperature, dataType: number, elementUnit: "°C"}
      - {identifier: airHumidity, dataType: number, elementUnit: "%"}
      - {identifier: dewPoint, dataType: number, elementUnit: "°C", formula: dewPoint, inputs: [airTemperature, airHumidity]}
  - name: tower
    properties:
      - {identifier: airTemperature, dataType: number, elementUnit: "°C"}
      - {identifier: airHumidity, dataType: number, elementUnit: "%"}
      - {identifier: frostPoint, dataType: number, elementUnit: "°C", formula: frostPoint, inputs: [airTemperature, airHumidity]}
tenants:
  - name: north
    timeZone: Asia/Shanghai
    devices:
      - {deviceName: M-2, product: mast}
      - {deviceName: M-1, product: mast}
      - {deviceName: P-1, product: plain}
      - {deviceName: T-1, product: tower}
  - name: south
    timeZone: UTC
    devices: [{deviceName: S-1, product: mast}]
`

// newDeriveFixture returns the API with readings of three days in Shanghai, which are two days in
// UTC.
func newDeriveFixture(t *testing.T) (*apiFixture, *recomputer) {
	t.Helper()
	f := newAuditedAPI(t)
	f.apply(
		t,
		strings.ReplaceAll(
			derivingFile,
			"name: north\n    timeZone: Asia/Shanghai",
			"name: west\n    timeZone: Asia/Shanghai",
		),
		false,
	)
	zone, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	r := &recomputer{zone: zone}
	f.service.Intake, f.service.Coverage = r, f.readings
	var batch []reading.Arrival
	for _, name := range []string{"M-1", "M-2", "T-1", "P-1"} {
		ref := f.deviceRef(t, "west", name)
		for _, at := range []time.Time{
			time.Date(2026, 9, 1, 10, 0, 0, 0, time.UTC),
			time.Date(2026, 9, 1, 17, 0, 0, 0, time.UTC),
			time.Date(2026, 9, 3, 1, 0, 0, 0, time.UTC),
		} {
			batch = append(batch, reading.Arrival{At: at.UnixMilli(), Frame: reading.Frame{
				Tenant: ref.Tenant,
				Device: ref.ID,
				Time:   at.UnixMilli(),
				Fields: []reading.Field{{Property: 1, Value: reading.Number(20)}},
			}})
		}
	}
	if err := f.readings.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	return f, r
}

func (f *apiFixture) deviceRef(t *testing.T, owner, name string) device.Ref {
	t.Helper()
	e := f.Registry.Find(f.tenant(t, owner).ID, name)
	if e == nil {
		t.Fatalf("no %s", name)
	}
	return e.Ref
}

// deriveAll calls derive until no device is left, as the command does.
func (f *apiFixture) deriveAll(t *testing.T, more string) (lines []string) {
	t.Helper()
	after := ""
	for {
		out := read[wire.DeriveResult](
			t,
			f.post(t, "v1/derive", fmt.Sprintf(`{"tenant":"west","after":%q%s}`, after, more)),
			http.StatusOK,
		)
		if out.Device == nil {
			return append(lines, "none")
		}
		lines = append(
			lines,
			fmt.Sprintf("%s: %d days, %d values, %d left", *out.Device, out.Days, out.Values, out.Left),
		)
		if after = *out.Device; out.Left == 0 {
			return lines
		}
	}
}

// If the clocks skip midnight, a day begins after the jump: the hour before belongs to the day
// before.
func TestDeriveFromADayWithoutMidnight(t *testing.T) {
	f, _ := newDeriveFixture(t)
	f.apply(
		t,
		strings.ReplaceAll(
			derivingFile,
			"name: north\n    timeZone: Asia/Shanghai",
			"name: west\n    timeZone: America/Santiago",
		),
		false,
	)
	m1 := f.deviceRef(t, "west", "M-1")
	var batch []reading.Arrival
	for _, at := range []time.Time{ // 23:30 and 01:00
		time.Date(2026, 9, 6, 3, 30, 0, 0, time.UTC), time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC),
	} {
		batch = append(batch, reading.Arrival{At: at.UnixMilli(), Frame: reading.Frame{
			Tenant: m1.Tenant,
			Device: m1.ID,
			Time:   at.UnixMilli(),
			Fields: []reading.Field{{Property: 1, Value: reading.Number(20)}},
		}})
	}
	if err := f.readings.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if got, want := f.deriveAll(t, `,"device":"M-1","from":"2026-09-06"`), []string{
		"M-1: 1 days, 2 values, 0 left",
	}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Derive waits for its slot among the work on its tenant's readings, and is refused if too much of
// it waits; another tenant's call does not wait.
func TestDeriveIsScheduled(t *testing.T) {
	f, r := newDeriveFixture(t)
	f.service.Turns = limit.NewScheduler[tenant.ID, int64](
		limit.Options{Name: "work", Meter: new(limit.Meter)},
		limit.SchedulerOptions{
			MaxRunning:             2,
			MaxRunningPerKey:       1,
			MaxRunningPerSubmitter: 1,
			MaxWaitingPerKey:       1,
			MaxWaitingPerSubmitter: 1,
			TimeSlice:              time.Minute,
		},
	)
	west := f.tenant(t, "west").ID
	busy, _ := f.service.Turns.Enter(t.Context(), west, 7)
	derived := make(chan error, 1)
	req := DeriveRequest{Tenant: "west", Device: "M-1"}
	go func() {
		_, err := f.service.Derive(t.Context(), req)
		// The check below takes the only place in the queue for a moment. The call is then refused, and
		// repeated.
		for refused := (*problem)(nil); errors.As(err, &refused); {
			_, err = f.service.Derive(t.Context(), req)
		}
		derived <- err
	}()
	testkit.Eventually(t, "one waits", func() bool {
		gone, leave := context.WithCancel(t.Context())
		leave()
		task, why := f.service.Turns.Enter(gone, west, 8) // leaves at once if there is a place in the queue
		return task == nil && why == limit.FullForKey
	})
	_, err := f.service.Derive(t.Context(), req)
	if p := (*problem)(nil); !errors.As(err, &p) || p.status != http.StatusTooManyRequests ||
		p.retry != reading.HistoryRetry {
		t.Errorf("while another call waits: %v", err)
	}
	if _, err := f.service.Derive(t.Context(), DeriveRequest{Tenant: "south", Device: "S-1"}); err != nil {
		t.Errorf("another tenant's call: %v", err)
	}
	if len(r.calls) != 0 {
		t.Errorf("something was computed without a slot: %q", r.calls)
	}
	busy.Leave()
	if err := testkit.Receive(t, "the waiting call", derived); err != nil || len(r.calls) != 3 {
		t.Errorf("%q, %v", r.calls, err)
	}
}

// Every device whose product has derived properties is computed, by name; for each, the days of its
// tenant's zone that have readings.
func TestDerive(t *testing.T) {
	f, r := newDeriveFixture(t)
	want := []string{"M-1: 3 days, 6 values, 2 left", "M-2: 3 days, 6 values, 1 left", "T-1: 3 days, 6 values, 0 left"}
	if got := f.deriveAll(t, ""); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	m1 := f.deviceRef(t, "west", "M-1")
	for i, day := range []string{"2026-09-01", "2026-09-02", "2026-09-03"} {
		if want := fmt.Sprintf("%d/%d %s", m1.Tenant, m1.ID, day); r.calls[i] != want {
			t.Errorf("asked %q, want %q", r.calls[i], want)
		}
	}
	for _, c := range []struct{ more, want string }{
		{`,"product":"mast"`, "M-1: 3 days, 6 values, 1 left|M-2: 3 days, 6 values, 0 left"},
		{`,"product":"plain"`, "none"},
		{`,"device":"T-1"`, "T-1: 3 days, 6 values, 0 left"},
		{`,"product":"tower","from":"2026-09-02"`, "T-1: 2 days, 4 values, 0 left"},
		{`,"product":"tower","from":"2026-09-04"`, "T-1: 0 days, 0 values, 0 left"},
	} {
		if got := strings.Join(f.deriveAll(t, c.more), "|"); got != c.want {
			t.Errorf("%s: %q", c.more, got)
		}
	}
	a := f.post(t, "v1/derive", `{"tenant":"west","device":"M-2"}`)
	got := f.auditLines(t, f.tenant(t, "west").ID, a.Header.Get("X-Request-Id"))
	if !slices.Equal(got, []string{"device.derive M-2"}) {
		t.Errorf("%q", got)
	}
	// Another tenant's device is not computed.
	out := read[wire.DeriveResult](t, f.post(t, "v1/derive", `{"tenant":"south"}`), http.StatusOK)
	if out.Device == nil || *out.Device != "S-1" || out.Days != 0 || out.Left != 0 {
		t.Errorf("%+v", out)
	}
}

// A request that cannot be carried out is refused with the reason.
func TestDeriveRefused(t *testing.T) {
	f, r := newDeriveFixture(t)
	for body, want := range map[string]string{
		`{}`:                               "422 tenant is missing",
		`{"tenant":" "}`:                   "422 tenant is missing",
		`{"tenant":"nobody"}`:              `404 there is no tenant "nobody"`,
		`{"tenant":"west\u0000"}`:          "404 nothing has",
		`{"tenant":"west","product":"x"}`:  `404 there is no product "x"`,
		`{"tenant":"west","device":"S-1"}`: `404 tenant "west" has no device "S-1"`,
		`{"tenant":"west","device":"P-1"}`: `409 product "plain" of device "P-1" has no property with a formula`,
		`{"tenant":"west","device":"T-1","product":"mast"}`: `409 device "T-1" is of product "tower"`,
		`{"tenant":"west","from":"yesterday"}`:              "400 ",
		`{"tenant":`:                                        "400 ",
	} {
		a := f.post(t, "v1/derive", body)
		if got := fmt.Sprintf("%d %s", a.Status, a.Body); !strings.HasPrefix(got, want[:3]) ||
			!strings.Contains(strings.ReplaceAll(got, `\"`, `"`), want[4:]) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if len(r.calls) > 0 {
		t.Errorf("asked %q", r.calls)
	}
}

// An error half-way is answered, the values written by then are in the log, and a server that stops
// ends the call.
func TestDeriveFailsMidway(t *testing.T) {
	f, r := newDeriveFixture(t)
	r.after = func(calls int) error {
		if calls == 2 {
			return errors.New("disk full")
		}
		return nil
	}
	a := f.post(t, "v1/derive", `{"tenant":"west"}`)
	if a.Status != http.StatusInternalServerError {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	got := f.auditLines(t, f.tenant(t, "west").ID, a.Header.Get("X-Request-Id"))
	if !slices.Equal(got, []string{"device.derive M-1"}) {
		t.Errorf("%q", got)
	}
	r.calls, r.after = nil, func(int) error {
		f.service.Stop()
		return nil
	}
	a = f.post(t, "v1/derive", `{"tenant":"west","device":"M-2"}`)
	if len(r.calls) != 1 || a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" ||
		!strings.Contains(string(a.Body), "stopping") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
