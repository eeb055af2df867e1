package ingest

import (
	"encoding/json"
	"strings"
	"testing"
)

var texts = []string{
	``,
	` `,
	`0`,
	`-0`,
	`-`,
	`01`,
	`1.`,
	`.1`,
	`1.5`,
	`1e`,
	`1e+`,
	`1E-7`,
	`1e5.`,
	`+1`,
	`--1`,
	`0x1`,
	`NaN`,
	`12 3`,
	`true`,
	`tru`,
	`truex`,
	`false`,
	`null`,
	`nul`,
	`True`,
	`""`,
	`"`,
	`"\"`,
	`"\\"`,
	`"\/\b\f\n\r\t"`,
	`"\v"`,
	`"\u00e4"`,
	`"\u00e"`,
	`"\u00eg"`,
	`"\u12"`,
	`"\u`,
	"\"\x00\"",
	"\"\x1f\"",
	"\"\x7f\"",
	"\"\xff\"",
	"\"\xc3\"",
	`"\ud83c"`,
	`'a'`,
	`[]`,
	`[ ]`,
	`[1]`,
	`[1,]`,
	`[,1]`,
	`[1 2]`,
	`[`,
	`]`,
	`[1`,
	`[1,`,
	`[[[]]]`,
	`[}`,
	`[]]`,
	`{}`,
	`{ }`,
	`{"a":1}`,
	`{"a":1,}`,
	`{"a" : 1 , "a":2}`,
	`{"a"}`,
	`{"a":}`,
	`{a:1}`,
	`{1:1}`,
	`{"a":1 "b":2}`,
	`{`,
	`{"a"`,
	`{"a":`,
	`{"a":1`,
	`{"a":{"b":[{"c":null}]}}`,
	`{]`,
	"\ufeff{}",
	" {\t}\r\n",
	"{}\v",
	"{}\x00",
	`{"a":1}{}`,
	`{"a":[}`,
	`//{}`,
	`{"ts":1700000000000,"values":{"humidity":"81.5","note":"ä\ud83c\udf31"}}`,
	strings.Repeat("[", maxNesting) + strings.Repeat("]", maxNesting),
	strings.Repeat("[", maxNesting+1) + strings.Repeat("]", maxNesting+1),
	strings.Repeat(`{"a":`, maxNesting) + "1" + strings.Repeat("}", maxNesting),
	strings.Repeat(`{"a":`, maxNesting+1) + "1" + strings.Repeat("}", maxNesting+1),
	strings.Repeat(`[{"a":`, maxNesting),
	strings.Repeat("[", 3*maxNesting),
}

func TestValidIsJSON(t *testing.T) {
	for _, text := range texts {
		if got, want := validJSON([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("%.60q: %t, want %t", text, got, want)
		}
	}
}

// FuzzValid compares validJSON with the standard library for every text and each of its prefixes,
// where most mistakes would be.
func FuzzValid(f *testing.F) {
	for _, text := range texts {
		if len(text) < 200 {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for n := max(0, len(text)-64); n <= len(text); n++ {
			if got, want := validJSON(text[:n]), json.Valid(text[:n]); got != want {
				t.Fatalf("%q: %t, want %t", text[:n], got, want)
			}
		}
	})
}

func BenchmarkValid(b *testing.B) {
	text := []byte(
		`{"ts":1700000000000,"values":{"sensor01":123.45,"sensor02":-12.34,"sensor03":0.10,"sensor04":799.99}}`,
	)
	for name, f := range map[string]func([]byte) bool{"own": validJSON, "json": json.Valid} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !f(text) {
					b.Fatal("the text is not valid")
				}
			}
		})
	}
}
