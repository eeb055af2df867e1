package device

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

// randomNumber gives zero, small and extreme numbers.
func randomNumber(r *rand.Rand) int64 {
	switch r.IntN(5) {
	case 0:
		return 0
	case 1:
		return math.MaxInt64
	case 2:
		return -r.Int64()
	default:
		return r.Int64N(1 << (1 + r.IntN(50)))
	}
}

func randomStatus(r *rand.Rand, id ID) deviceStatus {
	texts := []string{"", "rain", "a\nb \u0001 \"\\", "农业 🌱", string(make([]byte, 300))}
	d := deviceStatus{ID: id}
	d.Online = r.IntN(2) == 0
	for _, n := range []*int64{
		&d.LastContact, &d.OnlineTime, &d.OfflineTime, &d.Messages, &d.Values, &d.Refused, &d.LastRefusal.Time,
	} {
		*n = randomNumber(r)
	}
	d.LastRefusal.Identifier = texts[r.IntN(len(texts))]
	d.LastRefusal.Reason = Reason(texts[r.IntN(2)])
	d.ClockAhead = time.Duration(r.Int64N(1<<40)-1<<20) * time.Millisecond
	if r.IntN(3) == 0 {
		d = deviceStatus{ID: id}
	}
	return d
}

func randomIDs(r *rand.Rand) (ids []ID) {
	id := ID(0)
	for range r.IntN(2 * pageDevices) {
		id += 1 + ID(r.Int64N(1<<r.IntN(20)))
		ids = append(ids, id)
	}
	return ids
}

// What is encoded is decoded again, whatever it is.
func TestPagesSurviveEncoding(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		k := pageKey{1 + 1<<r.IntN(30), r.Int64N(1000)}
		day := Day(r.Int64N(30_000))
		var status []deviceStatus
		var days []deviceDay
		for _, id := range randomIDs(r) {
			status = append(status, randomStatus(r, id))
			days = append(days, deviceDay{id, randomNumber(r), randomNumber(r), randomNumber(r)})
		}
		before := []byte("before")
		content := appendStatus(slices.Clone(before), k, status)
		if got, err := decodeStatus(content[len(before):], k); err != nil || !slices.Equal(got, status) {
			t.Fatalf("%v: %+v, want %+v", err, got, status)
		}
		if got, err := decodeDay(appendDay(k, day, days), k, day); err != nil || !slices.Equal(got, days) {
			t.Fatalf("%v: %+v, want %+v", err, got, days)
		}
	}
}

// A page with any wrong bit, a part of a page, and a page in the place of another are refused.
func TestDamagedPagesAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	k := pageKey{7, 3}
	var status []deviceStatus
	var days []deviceDay
	for id := range ID(12) {
		status = append(status, randomStatus(r, 1+id*3))
		days = append(days, deviceDay{ID: 1 + id*3, Messages: int64(id), Values: 9})
	}
	for name, page := range map[string]struct {
		content []byte
		decode  func([]byte, pageKey, Day) error
	}{
		"status": {appendStatus(nil, k, status), func(b []byte, k pageKey, _ Day) error { _, err := decodeStatus(b, k); return err }},
		"day":    {appendDay(k, 20_000, days), func(b []byte, k pageKey, d Day) error { _, err := decodeDay(b, k, d); return err }},
	} {
		if err := page.decode(page.content, k, 20_000); err != nil {
			t.Fatal(name, err)
		}
		for i := range page.content {
			for bit := range 8 {
				wrong := slices.Clone(page.content)
				wrong[i] ^= 1 << bit
				if page.decode(wrong, k, 20_000) == nil {
					t.Errorf("%s: bit %d of byte %d was not noticed", name, bit, i)
				}
			}
			if page.decode(page.content[:i], k, 20_000) == nil {
				t.Errorf("%s: the first %d bytes were accepted", name, i)
			}
		}
		for _, other := range []pageKey{{8, 3}, {7, 4}} {
			if err := page.decode(page.content, other, 20_000); !errors.Is(err, errPageChecksum) {
				t.Errorf("%s of %v as %v: %v", name, k, other, err)
			}
		}
	}
	if _, err := decodeDay(appendDay(k, 20_000, days), k, 20_001); !errors.Is(err, errPageChecksum) {
		t.Errorf("a page of another day: %v", err)
	}
	// The checksum is right, the content is not.
	for name, content := range map[string][]byte{
		"a device twice":      {pageVersion, 0, 2, 5, 0, 0, 0},
		"more than there is":  {pageVersion, 0, 3, 5, 0, 1, 0},
		"bytes after the end": {pageVersion, 0, 1, 5, 0, 9},
		"a text that is long": {pageVersion, 0, 1, 5, statusLastRefusal, 0, 200, 1, 0},
		"many devices":        append([]byte{pageVersion, 0}, binary.AppendUvarint(nil, math.MaxUint64)...),
	} {
		if list, err := decodeStatus(appendChecksum(content, placeOf(k)), k); !errors.Is(err, errPageContent) {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
}

// Pages that the migration wrote as JSON are read, and wrong ones refused.
func TestPagesOfTheMigration(t *testing.T) {
	k := pageKey{7, 3}
	got, err := decodeStatus(
		[]byte(`[[3,1,5,6,7,8,9,10,11,"ra\"in","outOfRange",1500], [9,0,0,0,0,0,0,0,0,"","",0]]`),
		k,
	)
	want := []deviceStatus{
		{
			ID:     3,
			Status: Status{Online: true, LastContact: 5, OnlineTime: 6, OfflineTime: 7},
			Intake: Intake{
				Messages:    8,
				Values:      9,
				Refused:     10,
				LastRefusal: Refusal{11, `ra"in`, ReasonOutOfRange},
				ClockAhead:  1500 * time.Millisecond,
			},
		},
		{ID: 9},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	days, err := decodeDay([]byte(`[[3,1,2,3],[4,5,6,7]]`), k, 1)
	if err != nil || !slices.Equal(days, []deviceDay{{3, 1, 2, 3}, {4, 5, 6, 7}}) {
		t.Errorf("%+v (%v)", days, err)
	}
	for _, wrong := range []string{`[`, `[[]]`, `[[1,2,3]]`, `[[1,2,3,4,5]]`, `[[2,0,0,0],[2,0,0,0]]`, `[[1,"",3,4]]`, `[1]`} {
		if list, err := decodeDay([]byte(wrong), k, 1); err == nil {
			t.Errorf("%s: %+v", wrong, list)
		}
	}
}

func FuzzDecodeStatus(f *testing.F) {
	k := pageKey{7, 3}
	f.Add(appendStatus(nil, k, []deviceStatus{{ID: 4}, {ID: 9, Status: Status{Online: true, LastContact: 5}}}))
	f.Add([]byte(`[[3,1,5,6,7,8,9,10,11,"rain","outOfRange",1500]]`))
	f.Fuzz(func(t *testing.T, content []byte) {
		list, err := decodeStatus(content, k)
		if err != nil {
			list, err = decodeStatus(appendChecksum(content, placeOf(k)), k) // past the checksum
		}
		if err != nil {
			return
		}
		again, err := decodeStatus(appendStatus(nil, k, list), k)
		if err != nil || !slices.Equal(again, list) {
			t.Errorf("%+v became %+v (%v)", list, again, err)
		}
	})
}
