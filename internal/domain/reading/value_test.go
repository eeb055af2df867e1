package reading

import (
	"encoding/json"
	"math"
	"testing"
)

func TestValueAccessors(t *testing.T) {
	for _, c := range []struct {
		v     Value
		kind  Kind
		float float64
		text  string
	}{
		{Number(-0.25), KindNumber, -0.25, "-0.25"},
		{Number(1e21), KindNumber, 1e21, "1000000000000000000000"},
		{Boolean(true), KindBoolean, 1, "true"},
		{Boolean(false), KindBoolean, 0, "false"},
		{Text("open"), KindText, math.NaN(), "open"},
		{Value{}, KindNone, math.NaN(), ""},
	} {
		got := c.v.Float()
		if c.v.Kind() != c.kind || c.v.String() != c.text ||
			got != c.float && !(math.IsNaN(got) && math.IsNaN(c.float)) {
			t.Errorf("%#v: kind %d, %v, %q; want kind %d, %v, %q", c.v, c.v.Kind(), got, c.v, c.kind, c.float, c.text)
		}
	}
}

func TestValueJSONRoundTrip(t *testing.T) {
	for want, v := range map[string]Value{
		"23.4": Number(23.4), "true": Boolean(true), "false": Boolean(false), `"水 \"x\""`: Text(`水 "x"`), "null": {},
	} {
		b, err := json.Marshal(v)
		if err != nil || string(b) != want {
			t.Errorf("%v: %s, %v, want %s", v, b, err, want)
		}
		var back Value
		if err := json.Unmarshal(b, &back); err != nil || back != v {
			t.Errorf("%s: read back as %#v, %v", b, back, err)
		}
	}
	if b, err := json.Marshal(Text("a\xffb")); err != nil || string(b) != "\"a\ufffdb\"" {
		t.Errorf("broken text: %s, %v", b, err)
	}
	var v Value
	if err := v.UnmarshalJSON([]byte("{")); err == nil {
		t.Error("broken JSON: accepted")
	}
}
