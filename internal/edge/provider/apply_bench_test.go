package provider

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
)

// largeFile makes a file with n new devices of one tenant, in 20 scenes, half of them with a secret of their own.
func largeFile(n int) []byte {
	var b strings.Builder
	b.WriteString("products:\n  - name: mast\n    properties: [{identifier: rain, dataType: number}]\n" +
		"tenants:\n  - name: large\n    timeZone: UTC\n    scenes: [S0")
	for i := range 19 {
		fmt.Fprintf(&b, ", S%d", i+1)
	}
	b.WriteString("]\n    devices:\n")
	for i := range n {
		fmt.Fprintf(
			&b,
			"      - {deviceName: L-%06d, serial: SN-%06d, noteName: Mast %d, product: mast, scene: S%d",
			i,
			i,
			i,
			i%20,
		)
		if i%2 == 0 {
			fmt.Fprintf(&b, ", secret: secret-of-the-large-device-%06d", i)
		}
		b.WriteString("}\n")
	}
	return []byte(b.String())
}

// slowestEdit renames a device again and again, as a person would, and gives the longest that it took.
func slowestEdit(ctx context.Context, p *fixture, d *device.Device) (slowest time.Duration, edits int, err error) {
	for ctx.Err() == nil {
		start := time.Now()
		edit := device.Edit{NoteName: fmt.Sprint("Name ", edits), SceneID: d.SceneID}
		if err := p.Devices.Edit(context.WithoutCancel(ctx), d.Tenant, d.Name, edit); err != nil {
			return slowest, edits, err
		}
		slowest = max(slowest, time.Since(start))
		edits++
		time.Sleep(5 * time.Millisecond)
	}
	return slowest, edits, nil
}

// BenchmarkApply measures files with many new devices, and the longest that somebody else's write takes meanwhile.
func BenchmarkApply(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			file := largeFile(n)
			for b.Loop() {
				applyWhileEditing(b, file, n)
			}
		})
	}
}

// applyWhileEditing applies a file with n devices to a new server, on which somebody edits another device. Only the
// apply is timed.
func applyWhileEditing(b *testing.B, file []byte, n int) {
	b.Helper()
	b.StopTimer()
	defer b.StartTimer()
	p := newFixture(b)
	p.applyBase(b)
	edited := p.device(b, "north", "N-1")
	ctx, stop := context.WithCancel(b.Context())
	var editing sync.WaitGroup
	var slowest time.Duration
	var edits int
	var failure error
	editing.Go(func() { slowest, edits, failure = slowestEdit(ctx, p, edited) })
	b.StartTimer()
	out, err := p.service.Apply(p.Audit.NewContext(b.Context(), audit.Actor{Kind: audit.Provider}), file, false)
	b.StopTimer()
	stop()
	editing.Wait()
	if err != nil || failure != nil || len(out.Created) != n+22 {
		b.Fatal(err, failure, out)
	}
	b.ReportMetric(float64(slowest.Milliseconds()), "ms/slowest-edit")
	b.ReportMetric(float64(edits), "edits")
}
