package limit

import (
	"net/netip"
	"sync/atomic"
	"testing"
	"time"
)

func benchmarked(most int) *Buckets[int64] {
	return NewBuckets[int64](Options{Name: "bench", MaxKeys: most, Now: time.Now}, 1e6, 1e6)
}

// BenchmarkOneKey measures an event of a known key, as of one busy device.
func BenchmarkOneKey(b *testing.B) {
	limit := benchmarked(50_000)
	b.ReportAllocs()
	for b.Loop() {
		limit.Reserve(7, One)
	}
}

// BenchmarkFull measures an event of a known key in a full table.
func BenchmarkFull(b *testing.B) {
	const most = 50_000
	limit := benchmarked(most)
	for key := range int64(most) {
		limit.Reserve(key, One)
	}
	b.ReportAllocs()
	var key int64
	for b.Loop() {
		key = (key + 7919) % most
		limit.Reserve(key, One)
	}
}

// BenchmarkFlood measures an event of an unknown key in a full table without idle keys: the worst
// case.
func BenchmarkFlood(b *testing.B) {
	limit := NewBuckets[Network](Options{Name: "bench", MaxKeys: 50_000, Now: time.Now}, 1e-6, 60)
	stranger := func(i uint64) Network {
		return Client.Of(netip.AddrFrom4([4]byte{byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)}))
	}
	var n uint64
	for ; n < 100_000; n++ {
		limit.Allow(stranger(n), One)
	}
	b.ReportAllocs()
	for b.Loop() {
		n++
		limit.Allow(stranger(n), One)
	}
}

// BenchmarkManyAtOnce measures events of many keys on all processors.
func BenchmarkManyAtOnce(b *testing.B) {
	const most = 50_000
	limit := benchmarked(most)
	var workers atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		key := workers.Add(1) * 1000
		for pb.Next() {
			key = (key + 7919) % most
			limit.Reserve(key, One)
		}
	})
}
