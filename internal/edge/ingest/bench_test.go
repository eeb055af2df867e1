package ingest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/limit"
)

// BenchmarkDecode decodes one message of eight values, as a weather station sends.
func BenchmarkDecode(b *testing.B) {
	d := newDecoder()
	e := d.registry.Get(1)
	payload := fmt.Appendf(nil, `{"ts":%d,"values":{"humidity":81.5,"airTemperature":-3.25,"heating":true,"note":"ok",`+
		`"humidity":"82","airTemperature":4,"heating":0,"note":"still ok"}}`, now)
	b.ReportAllocs()
	b.SetBytes(int64(len(payload)))
	for b.Loop() {
		var c messageContent
		d.decodeOwn(&c, e, payload, now)
		if len(c.arrivals) != 1 {
			b.Fatal(refusalsOf(c))
		}
	}
}

// BenchmarkGateReserve takes a message's cost from its device's bucket, of one device and of many,
// on all processors.
func BenchmarkGateReserve(b *testing.B) {
	for _, devices := range []int{1, 100_000} {
		b.Run(fmt.Sprint(devices), func(b *testing.B) {
			g := newTestGate(func(o *Options) { o.Rate, o.Burst = 1e6, 1e6 })
			entries, held := make([]*device.Entry, devices), make([]limit.PinnedBucket[device.ID], devices)
			for i := range entries {
				entries[i] = entry(green, device.ID(i+1), fmt.Sprint("WS-", i), false, false)
				held[i] = g.pin(entries[i].ID)
			}
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for i := 0; pb.Next(); i = (i + 7919) % devices {
					g.reserve(held[i], time.Now(), entries[i])
				}
			})
		})
	}
}

// BenchmarkMQTT publishes with QoS 1 over real sockets, answered after the commit: to memory, and
// to the store with its fsync.
func BenchmarkMQTT(b *testing.B) {
	b.Run("memory", func(b *testing.B) { benchmarkMQTT(b, discardJournal{}) })
	b.Run("store", func(b *testing.B) {
		store, err := reading.Open(
			b.Context(),
			reading.Options{Dir: b.TempDir(), Now: func() time.Time { return time.UnixMilli(now) }},
		)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { store.Close() })
		benchmarkMQTT(b, store)
	})
}

type discardJournal struct{}

func (discardJournal) Append(context.Context, []reading.Arrival) error { return nil }

func benchmarkMQTT(b *testing.B, log appender) {
	const connections, inFlight = 20, 100
	e := newEdge(b, func(o *Options) { o.Journal = log; o.Now = runningClock(); o.PerDevice = connections }).serve()
	rounds := b.N/(connections*inFlight) + 1
	done := make(chan error, connections)
	var clients []*client
	for i := range connections {
		c := e.dial(4)
		c.signIn("WS-1", fmt.Sprint(i))
		clients = append(clients, c)
	}
	b.ResetTimer()
	for i, c := range clients {
		go func() {
			answers := bufio.NewReader(c)
			for round := range rounds {
				var all bytes.Buffer
				for id := range inFlight {
					at := now - int64((round*connections+i)*inFlight+id)
					all.Write(c.publish(
						"v1/devices/me/telemetry",
						fmt.Sprintf(
							`{"ts":%d,"values":{"humidity":81.5,"airTemperature":-3.25,"heating":true}}`,
							at,
						),
						1,
						uint16(id+1),
					))
				}
				if _, err := c.Write(all.Bytes()); err != nil {
					done <- err
					return
				}
				if _, err := io.CopyN(io.Discard, answers, 4*inFlight); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range clients {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rounds*connections*inFlight)/b.Elapsed().Seconds(), "messages/s")
}
