package farm

import (
	"hash/fnv"
	"math"
)

// noise is an endless sequence of random numbers that can be read at any index, or smoothly at any
// time, without reading earlier ones.
type noise struct {
	key uint64
}

func newNoise(seed, stream uint64) noise {
	return noise{key: mix(mix(seed) ^ stream)}
}

// namedNoise returns the noise of one quantity of one place or device.
func namedNoise(seed uint64, owner, quantity string) noise {
	h := fnv.New64a()
	h.Write([]byte(owner))
	h.Write([]byte{0})
	h.Write([]byte(quantity))
	return newNoise(seed, h.Sum64())
}

// mix is splitmix64: one step of its counter and its finaliser.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// uniform returns numbers evenly distributed over (0, 1). They are never 0, so that their logarithm
// exists.
func (n noise) uniform(i int64) float64 {
	return (float64(mix(n.key^uint64(i))>>11) + .5) / (1 << 53)
}

// normal returns numbers with mean 0 and variance 1.
func (n noise) normal(i int64) float64 {
	return math.Sqrt(-2*math.Log(n.uniform(2*i))) * math.Cos(2*math.Pi*n.uniform(2*i+1))
}

// smooth returns numbers with mean 0 and variance 1 at every t, which change over about one period;
// t and period have the same unit.
func (n noise) smooth(t, period float64) float64 {
	x := t / period
	i := math.Floor(x)
	f := x - i
	// Blending with cosine and sine keeps the variance constant between two knots.
	sin, cos := math.Sincos(f * f * (3 - 2*f) * math.Pi / 2)
	return n.normal(int64(i))*cos + n.normal(int64(i)+1)*sin
}

// normalShare returns the share of normal numbers below x.
func normalShare(x float64) float64 {
	return .5 * math.Erfc(-x/math.Sqrt2)
}

// clamp01 limits x to 0..1.
func clamp01(x float64) float64 {
	return max(0, min(1, x))
}

// smoothstep rises from 0 to 1 as x does, smoothly at both ends.
func smoothstep(x float64) float64 {
	x = clamp01(x)
	return x * x * (3 - 2*x)
}
