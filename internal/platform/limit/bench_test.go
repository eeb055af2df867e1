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

// BenchmarkOneKey is an event of a key that is known, as of one busy device.
func BenchmarkOneKey(b *testing.B) {
	limit := benchmarked(50_000)
	b.ReportAllocs()
	for b.Loop() {
		limit.Reserve(7, One)
	}
}

// BenchmarkFull is an event of a key that is known among as many as there is
// room for.
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

// BenchmarkFlood is an event of a key that nobody knows, where there is no more
// room and nobody rests: the most work there is.
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

// BenchmarkManyAtOnce is events of many keys from all processors.
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
