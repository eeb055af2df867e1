package reading

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

func TestDayOfAnyTime(t *testing.T) {
	for at, want := range map[int64]struct {
		day int32
		ms  uint32
	}{
		0:            {0, 0},
		-1:           {-1, uint32(msPerDay - 1)},
		-msPerDay:    {-1, 0},
		msPerDay - 1: {0, uint32(msPerDay - 1)},
		start:        {20574, 0},
		minTime:      {math.MinInt32, 0},
		maxTime:      {math.MaxInt32, uint32(msPerDay - 1)},
	} {
		if day, ms := dayOf(at); day != want.day || ms != want.ms {
			t.Errorf("%d is day %d ms %d, want %v", at, day, ms, want)
		}
	}
}

// TestKeyOrder: keys sort by day, tenant, device, and time within the day.
func TestKeyOrder(t *testing.T) {
	type frame struct {
		tenant tenant.ID
		device device.ID
		at     int64
	}
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	random := func() frame {
		at := start + (rng.Int64N(5)-2)*msPerDay + rng.Int64N(3)
		if rng.IntN(4) == 0 {
			at = rng.Int64N(maxTime) - rng.Int64N(maxTime)
		}
		return frame{tenant.ID(1 + rng.IntN(300)), device.ID(1 + rng.Int64()>>rng.IntN(63)), at}
	}
	order := func(a, b frame) int {
		dayA, msA := dayOf(a.at)
		dayB, msB := dayOf(b.at)
		return cmp.Or(
			cmp.Compare(dayA, dayB),
			cmp.Compare(a.tenant, b.tenant),
			cmp.Compare(a.device, b.device),
			cmp.Compare(msA, msB),
		)
	}
	for range 20_000 {
		a, b := random(), random()
		ka, kb := hotKey(a.tenant, a.device, a.at), hotKey(b.tenant, b.device, b.at)
		if got, want := bytes.Compare(ka, kb), order(a, b); got != want {
			t.Fatalf("%v and %v: keys compare %d, want %d", a, b, got, want)
		}
		ref, at, err := parseFrameKey(ka)
		if err != nil || ref != (device.Ref{Tenant: a.tenant, ID: a.device}) || at != a.at {
			t.Fatalf("key of %v is read as %v %d, %v", a, ref, at, err)
		}
	}
}

func TestMalformedKeysAreErrors(t *testing.T) {
	key := hotKey(1, 300, start)
	for n := range key {
		if _, _, err := parseFrameKey(key[:n]); !errors.Is(err, errKey) {
			t.Errorf("key cut to %d bytes: %v", n, err)
		}
	}
	if _, _, err := parseFrameKey(append(key, 0)); !errors.Is(err, errKey) {
		t.Errorf("key with an extra byte: %v", err)
	}
	late := appendHotPrefix(nil, 0, 0, device.Ref{Tenant: 1, ID: 1})
	if _, _, err := parseFrameKey(append(late, afterAnyMs, 0, 0, 0)); !errors.Is(err, errKey) {
		t.Errorf("key after the end of its day: %v", err)
	}
	ref := appendRefKey(nil, tagLatest, device.Ref{Tenant: 1, ID: 2})
	for _, bad := range [][]byte{nil, ref[:1], ref[:3], append(ref, 1), {tagLatest, 9}} {
		if _, err := parseRefKey(bad); !errors.Is(err, errKey) {
			t.Errorf("key %x: %v", bad, err)
		}
	}
	for _, bad := range [][]byte{
		nil, {tagJournal, 1}, appendRefKey(nil, tagLatest, device.Ref{Tenant: 1 << 40, ID: 1}),
	} {
		if _, err := parseJournalKey(bad); !errors.Is(err, errKey) {
			t.Errorf("key %x: %v", bad, err)
		}
	}
}

func TestPrintKey(t *testing.T) {
	for want, key := range map[string][]byte{
		"frame of tenant 3 device 70000 at 2026-05-01T00:00:00.005Z": hotKey(3, 70000, start+5),
		"journal entry 12":                    appendJournalKey(nil, 12),
		"latest values of tenant 3 device 70": appendRefKey(nil, tagLatest, device.Ref{Tenant: 3, ID: 70}),
		"key 7a01":                            {'z', 1},
	} {
		if got := printKey(key); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// hotKey returns the key of a frame on a day that was never sealed.
func hotKey(t tenant.ID, d device.ID, at int64) []byte {
	day, ms := dayOf(at)
	return appendMs(appendHotPrefix(nil, day, 0, device.Ref{Tenant: t, ID: d}), ms)
}
