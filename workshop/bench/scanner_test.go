package bench

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func scan(raw string) *scanner { return &scanner{raw: []byte(raw)} }

// The scanner reads numbers exactly as the standard library does.
func TestNumbersAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := []string{
		"0",
		"-0.5",
		"1e-7",
		"1.5E+3",
		"123456789012345678",
		"0.1",
		"1767225605000",
		"9007199254740993",
		"-21.37",
		"100000000000000.5",
	}
	for range 20_000 {
		f := math.Round(rng.NormFloat64()*1e6) / math.Pow10(rng.IntN(7))
		if rng.IntN(10) == 0 {
			f = rng.NormFloat64()
		}
		texts = append(texts, strconv.FormatFloat(f, "fge"[rng.IntN(3)], -1, 64))
	}
	for _, text := range texts {
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, around := range []string{text, " " + text + "]", text + ",1"} {
			s := scan(around)
			if got := s.number(); got != want || s.err != nil {
				t.Fatalf("%q: %v, want %v, %v", around, got, want, s.err)
			}
		}
	}
	if s := scan(` "-1.25" `); s.quoted() != -1.25 || s.err != nil {
		t.Error(s.err)
	}
	for _, bad := range []string{"", "-", "x", `"1"`, "null", "1e", "."} {
		if s := scan(bad); s.number() != 0 || s.err == nil {
			t.Errorf("%q was read as a number", bad)
		}
	}
}

func TestScannerSkipsUnwantedMembers(t *testing.T) {
	raw, err := json.MarshalIndent(map[string]any{
		"a": []any{
			1,
			"x",
			nil,
			true,
			map[string]any{"b": []int{}},
		},
		"m":      map[string]any{},
		"wanted": []int{7, 8},
		"z":      false,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	s := &scanner{raw: raw}
	var got []float64
	s.member("wanted", func() {
		s.take('[')
		for s.more(']') {
			got = append(got, s.number())
		}
	})
	if s.err != nil || s.at != len(raw) || len(got) != 2 || got[0] != 7 || got[1] != 8 {
		t.Errorf("%v, %v, at %d of %d", got, s.err, s.at, len(raw))
	}
}

// A response that is cut off at any byte is an error.
func TestScannerAtTheEnd(t *testing.T) {
	const raw = `{"results":[{"series":[{"values":[[1,2.5],[3,4]],"name":"x"}]}]}`
	for n := range raw {
		if err := readInflux(scan(raw[:n]), func(int64) {}); err == nil {
			t.Errorf("%q was accepted", raw[:n])
		}
	}
	for _, bad := range []string{`{"a\n":1}`, `{"a" 1}`, `{1:1}`} {
		s := scan(bad)
		if s.skip(); s.err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
