package httpbase

import (
	"encoding/json"
	"testing"
)

func TestNormalizeIntegers(t *testing.T) {
	for given, want := range map[string]string{
		``: ``, `1`: `1`, `1.0`: `1`, `10e-1`: `1`, `1E2`: `100`, `-3.0`: `-3`, `-0.0`: `-0`, `1e+3`: `1000`, `0.0`: `0`, `1.000`: `1`,
		`1.5`: `1.5`, `1e-1`: `1e-1`, `-2.25`: `-2.25`,
		`9007199254740991.0`: `9007199254740991`, `9007199254740992.0`: `9007199254740992.0`, `1e30`: `1e30`, `1e400`: `1e400`, `99999999999999999999`: `99999999999999999999`,
		`{"a":1.0,"b":[2.0, 3.5 ,{"c":4e0}],"1.0":"1.0 \" 2.0","d":"\\","e":5.0}`: `{"a":1,"b":[2, 3.5 ,{"c":4}],"1.0":"1.0 \" 2.0","d":"\\","e":5}`,
		" [ 1.0\t,\n2.0 ] ": " [ 1\t,\n2 ] ", `["1.0"]`: `["1.0"]`, `true`: `true`, `"\u0031.0"`: `"\u0031.0"`,
	} {
		if got := string(NormalizeIntegers([]byte(given))); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
	same := []byte(`{"a":1,"b":"x"}`)
	if got := NormalizeIntegers(same); &got[0] != &same[0] {
		t.Error("a text without such numbers is copied")
	}
}

// A valid text stays valid, and its numbers keep their values.
func FuzzNormalizeIntegers(f *testing.F) {
	for _, seed := range []string{`{"a":1.0,"b":[-2e1,"\"3.0"]}`, `-0.0`, `[1e5,1.5e1]`, `"\\\""`, `{"1.0":null}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, given string) {
		if !json.Valid([]byte(given)) {
			return
		}
		got := NormalizeIntegers([]byte(given))
		var before, after any
		if err := json.Unmarshal(got, &after); err != nil {
			if json.Unmarshal([]byte(given), &before) != nil {
				return // a number is too large, before and after
			}
			t.Fatalf("%s became %s: %v", given, got, err)
		}
		if err := json.Unmarshal([]byte(given), &before); err != nil {
			t.Fatalf("%s: %v before, no error after", given, err)
		}
		was, _ := json.Marshal(before)
		is, _ := json.Marshal(after)
		if string(was) != string(is) {
			t.Errorf("%s became %s: %s", was, is, got)
		}
	})
}
