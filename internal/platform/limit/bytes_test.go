package limit

import "testing"

// Whatever one submitter, one key or many keys hold, a newcomer gets something, and all is free
// again once it is returned.
func TestBytes(t *testing.T) {
	const inAll = 1 << 20
	meter := &Meter{}
	b := NewBytes[int, int](Options{Name: "bytes", Meter: meter}, inAll)
	type taken struct{ key, submitter int }
	var all []taken
	hold := func(key, submitter int) int {
		n := 0
		for b.Take(key, submitter, 1<<10) {
			all = append(all, taken{key, submitter})
			n++
		}
		return n
	}
	if n := hold(1, 1); n != 113 { // a ninth: an eighth of what it leaves
		t.Errorf("a submitter took %d KiB of 1024", n)
	}
	for submitter := 2; submitter < 50; submitter++ {
		hold(1, submitter)
	}
	if held := len(all); held < 200 || held > 206 {
		t.Errorf("a key took %d KiB of 1024", held)
	}
	for key := 2; key < 20; key++ {
		if n := hold(key, 1); n == 0 {
			t.Errorf("key %d got nothing", key)
		}
	}
	for _, g := range all {
		b.Return(g.key, g.submitter, 1<<10)
	}
	if s := meter.Stats()["bytes"]; s.Keys != 0 || s.Refused == 0 {
		t.Errorf("after all is returned: %+v", s)
	}
	if !b.Take(1, 1, inAll/submitterPart) {
		t.Error("not all is free again")
	}
}

// Bytes that are returned twice would be too many for good.
func TestBytesAreReturnedOnce(t *testing.T) {
	b := NewBytes[int, int](Options{}, 64)
	b.Take(1, 1, 2)
	b.Return(1, 1, 2)
	defer func() {
		if recover() == nil {
			t.Error("bytes were returned twice")
		}
	}()
	b.Return(1, 1, 2)
}
