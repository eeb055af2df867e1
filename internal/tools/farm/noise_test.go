package farm

import (
	"math"
	"testing"
)

func TestNoiseCheckValues(t *testing.T) {
	assertNear(t, "U(7,1,0)", newNoise(7, 1).uniform(0), .437756, 5e-7)
	assertNear(t, "N(7,3,0)", newNoise(7, 3).normal(0), .916231, 5e-7)
	assertNear(t, "vn(7,3,12.34,5)", newNoise(7, 3).smooth(12.34, 5), 2.032061, 5e-7)
}

func TestUniformIsEvenAndNeverZero(t *testing.T) {
	n := newNoise(3, 9)
	var tenths [10]int
	const count = 100000
	for i := int64(-count / 2); i < count/2; i++ {
		u := n.uniform(i)
		if u <= 0 || u >= 1 {
			t.Fatalf("uniform(%d) = %v", i, u)
		}
		tenths[int(u*10)]++
	}
	for i, c := range tenths {
		assertBetween(t, "the share of one tenth", float64(c)/count, .096, .104)
		if t.Failed() {
			t.Fatalf("at tenth %d", i)
		}
	}
}

func TestNormalHasMeanZeroAndVarianceOne(t *testing.T) {
	n := newNoise(3, 10)
	const count = 100000
	sum, squares, next := 0., 0., 0.
	for i := int64(0); i < count; i++ {
		x := n.normal(i)
		sum += x
		squares += x * x
		next += x * n.normal(i+1)
	}
	assertNear(t, "mean", sum/count, 0, .015)
	assertNear(t, "variance", squares/count, 1, .02)
	assertNear(t, "correlation with the next", next/count, 0, .015)
}

func TestSmoothNoiseKeepsItsVarianceBetweenKnots(t *testing.T) {
	n := newNoise(5, 1)
	for _, f := range []float64{0, .25, .5, .75} {
		squares := 0.
		const count = 40000
		for i := range count {
			x := n.smooth(float64(i)+f, 1)
			squares += x * x
		}
		assertNear(t, "variance", squares/count, 1, .03)
	}
}

func TestSmoothNoiseDoesNotJump(t *testing.T) {
	n := newNoise(5, 2)
	const step = 1e-4
	for x := -3.; x < 3; x += step {
		if d := math.Abs(n.smooth(x+step, 1) - n.smooth(x, 1)); d > 20*step {
			t.Fatalf("a step of %v at %v", d, x)
		}
	}
}

func TestStreamsDiffer(t *testing.T) {
	seen := map[float64]string{}
	for _, owner := range []string{"a", "b", "ab"} {
		for _, quantity := range []string{"b", "", "c", "bc"} {
			for _, seed := range []uint64{1, 2} {
				u := namedNoise(seed, owner, quantity).uniform(0)
				name := owner + "/" + quantity
				if other, taken := seen[u]; taken {
					t.Errorf("%s and %s have the same stream", name, other)
				}
				seen[u] = name
			}
		}
	}
}

func TestNormalShare(t *testing.T) {
	assertNear(t, "share below 0", normalShare(0), .5, 1e-12)
	assertNear(t, "share below 1.96", normalShare(1.959964), .975, 1e-6)
	assertNear(t, "share below -1", normalShare(-1), .158655, 1e-6)
}

func TestHeldAndEased(t *testing.T) {
	for _, c := range []struct{ x, held, eased float64 }{
		{-1, 0, 0}, {0, 0, 0}, {.5, .5, .5}, {.25, .25, .15625}, {1, 1, 1}, {7, 1, 1},
	} {
		assertNear(t, "held", clamp01(c.x), c.held, 0)
		assertNear(t, "eased", smoothstep(c.x), c.eased, 1e-12)
	}
}
