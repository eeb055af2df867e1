package console_test

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console"
	"tilth/internal/tools/testkit"
)

// monthSigns are the number properties of the device of createMonthDevice.
var monthSigns = []string{"t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"}

// createMonthDevice gives the field a device, MONTH, with a frame of eight numbers in each minute
// of thirty days, all sealed but the last day. A range over it begins at from.
func (w *fixture) createMonthDevice(t testing.TB, days int) (from time.Time) {
	t.Helper()
	p := &device.Product{Name: "month", OfflineAfter: time.Minute}
	for _, sign := range monthSigns {
		p.Properties = append(p.Properties, device.Property{Identifier: sign, DataType: device.Number, AccessMode: "r"})
	}
	if err := w.Catalog.PutProduct(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	d := w.Device(t, w.field.ID, p, "MONTH")
	from = time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC)
	rng, values := rand.New(rand.NewPCG(1, 2)), make([]float64, len(monthSigns))
	for day := range days {
		batch := make([]reading.Arrival, 1440)
		for minute := range batch {
			fields := make([]reading.Field, len(values))
			for i := range values {
				values[i] += rng.NormFloat64() / 10
				scale := math.Pow10(1 + i%2)
				fields[i] = reading.Field{
					Property: p.Properties[i].ID,
					Value:    reading.Number(math.Round(values[i]*scale)/scale + 0),
				}
			}
			at := from.AddDate(0, 0, day).Add(time.Duration(minute) * time.Minute).UnixMilli()
			batch[minute] = reading.Arrival{
				Frame: reading.Frame{Tenant: d.Tenant, Device: d.ID, Time: at, Fields: fields},
				At:    at,
			}
		}
		if err := w.readings.Append(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		w.readings.Trim(w.readings.Stats().Position) // no evaluation runs here
	}
	if err := w.readings.Seal(t.Context(), from.AddDate(0, 0, days)); err != nil {
		t.Fatal(err)
	}
	return from
}

// BenchmarkHistory requests a month of readings, one a minute, from a real server, as a browser on
// the same machine does and as a remote one.
func BenchmarkHistory(b *testing.B) {
	w := newServer(b, func(o *console.Options) { o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	from := w.createMonthDevice(b, 30)
	w.benchmarkMonth(b, from)
}

// BenchmarkHistorySealed is BenchmarkHistory for a month that is sealed completely.
func BenchmarkHistorySealed(b *testing.B) {
	w := newServer(b, func(o *console.Options) { o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	from := w.createMonthDevice(b, 30)
	for range 2 { // at the second time nothing is left to seal
		if err := w.readings.Seal(b.Context(), from.AddDate(0, 0, 32)); err != nil {
			b.Fatal(err)
		}
	}
	w.benchmarkMonth(b, from)
}

func (w *fixture) benchmarkMonth(b *testing.B, from time.Time) {
	to := from.AddDate(0, 0, 30)
	base := w.Serve(b)
	five, all := strings.Join(monthSigns[:5], ","), strings.Join(monthSigns, ",")
	for _, c := range []struct{ name, path string }{
		{"map", rangePath(seriesPath, "MONTH", five, from, to)},
		{"map of 1000 points", rangePath(seriesPath, "MONTH", five, from, to) + "&points=1000"},
		{"rows", rangePath(rowsPath, "MONTH", five, from, to)},
		{"columns", rangePath(columnsPath, "MONTH", five, from, to)},
		{"columns of a day", rangePath(columnsPath, "MONTH", five, from, from.AddDate(0, 0, 1))},
		{"columns of 1000 points", rangePath(columnsPath, "MONTH", five, from, to) + "&points=1000"},
		{"columns of a moment", rangePath(columnsPath, "MONTH", five, from, from)},
		{"spreadsheet of 8", rangePath(exportPath, "MONTH", all, from, to)},
		{"coverage", rangePath(coveragePath, "MONTH", five, from, to)},
		{"aggregates", rangePath(aggregatesPath, "MONTH", five, from, to)},
		{"aggregates of an hour", rangePath(aggregatesPath, "MONTH", five, from, to) + "&resolution=hour"},
		{"aggregates of a day", rangePath(aggregatesPath, "MONTH", five, from, to) + "&resolution=day"},
	} {
		for _, client := range []string{"here", "far away"} {
			b.Run(c.name+"/"+client, func(b *testing.B) {
				call := testkit.Call{
					Path:   c.path,
					Token:  w.ada,
					Header: map[string]string{"Accept-Encoding": "gzip", "Time-Zone": "Europe/Istanbul"},
				}
				if client == "far away" {
					call.Header["X-Forwarded-For"] = "203.0.113.9"
				}
				b.ReportAllocs()
				var bytes, first float64
				for b.Loop() {
					began := time.Now()
					n, begun := fetch(b, call, base)
					bytes, first = float64(n), first+float64(begun.Sub(began).Microseconds())/1000
				}
				b.ReportMetric(bytes/1e6, "MB")
				b.ReportMetric(first/float64(b.N), "ms-to-first-byte")
			})
		}
	}
}

// fetch makes a call and reads its answer; it returns how many bytes came and when the first one
// did.
func fetch(t testing.TB, call testkit.Call, base string) (n int64, begun time.Time) {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(call.Request(context.Background(), base))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var one [1]byte
	if _, err := io.ReadFull(res.Body, one[:]); err != nil {
		t.Fatal(err)
	}
	begun = time.Now()
	if n, err = io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.StatusCode, err)
	}
	return n + 1, begun
}
