package ingest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/httpbase"
)

// FuzzOwn compares the decoder with one on the standard library: the same entries, the same values,
// and a refusal for everything that was not taken.
func FuzzOwn(f *testing.F) {
	for _, payload := range []string{
		`{"airTemperature":3.4,"heating":true}`,
		`{"ts":1700000000000,"values":{"humidity":"81.5","note":"ok"}}`,
		`[{"humidity":1},{"ts":1699999999999,"values":{"airTemperature":-1e1}}]`,
		`{"humidity":1,"humidity":{"a":[]},"wind":null}`,
		`{"note":"ä\ud83c\udf31\u0000","heating":"0"} `,
		`{"ts":1699999999999,"humidity":1}`,
		`{"values":{"humidity":1,"heating":1},"heating":0}`,
		"\ufeff{\"note\":\"\xff\"}",
		`{"note":"\ud800"}`,
	} {
		f.Add([]byte(payload))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		d := newDecoder()
		var c messageContent
		d.decodeOwn(&c, d.registry.Get(1), payload, now)
		checkFrames(t, c, 1)
		want, plausible := oracle(payload)
		if !plausible {
			if len(c.arrivals) != 0 || len(c.parts[0].refusals) != 1 {
				t.Fatalf("unreadable, but %d frames and refusals %s", len(c.arrivals), refusalsOf(c))
			}
			return
		}
		got := framesOf(c)
		if len(got) != len(want) {
			t.Fatalf("%d frames, want %d: %s", len(got), len(want), describe(got))
		}
		for _, frame := range got { // sorted by time, unlike the oracle's
			i := slices.IndexFunc(
				want,
				func(w map[device.PropertyID]reading.Value) bool { return sameValues(frame.Fields, w) },
			)
			if i < 0 {
				t.Fatalf("frame %s, want one of %v", describe([]reading.Frame{frame}), want)
			}
			want = slices.Delete(want, i, i+1)
		}
	})
}

func sameValues(fields []reading.Field, values map[device.PropertyID]reading.Value) bool {
	for _, f := range fields {
		if values[f.Property] != f.Value {
			return false
		}
	}
	return len(fields) == len(values)
}

// FuzzGateway checks that nothing is ever written for a device that the gateway's tenant does not
// have, or that is disabled.
func FuzzGateway(f *testing.F) {
	f.Add([]byte(`{"WS-1":[{"ts":1700000000000,"values":{"humidity":5}}],"BLUE-1":[{"humidity":6}]}`))
	f.Add([]byte(`{"GW-1":{"humidity":5},"WS-OFF":{"humidity":5},"":[]}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		d := newDecoder()
		var c messageContent
		d.decodeGateway(&c, d.registry.Get(3), payload, now)
		checkFrames(t, c, 1, 2, 3)
	})
}

// checkFrames checks what the store and the evaluation of rules rely on.
func checkFrames(t *testing.T, c messageContent, allowed ...device.ID) {
	t.Helper()
	for n, a := range c.arrivals {
		if n > 0 && c.arrivals[n-1].Time > a.Time {
			t.Fatalf("frames are not sorted by time: %d before %d", c.arrivals[n-1].Time, a.Time)
		}
		if a.Tenant != green || !slices.Contains(allowed, a.Device) {
			t.Fatalf("unexpected frame of tenant %d, device %d", a.Tenant, a.Device)
		}
		if len(a.Fields) == 0 || a.Time < earliestTime || a.Time > now+600_000 {
			t.Fatalf("unexpected frame at %d with %d fields", a.Time, len(a.Fields))
		}
		for i, field := range a.Fields {
			if i > 0 && a.Fields[i-1].Property >= field.Property {
				t.Fatalf("fields out of order: %v", a.Fields)
			}
			if _, err := field.Value.MarshalJSON(); err != nil {
				t.Fatalf("a value that cannot be written: %v", err)
			}
		}
	}
	for _, p := range c.parts {
		for _, r := range p.refusals {
			if !utf8.ValidString(r.Identifier) || utf8.RuneCountInString(r.Identifier) > maxIdentifier {
				t.Fatalf("refused identifier %q", r.Identifier)
			}
		}
	}
}

// oracle decodes with encoding/json: it returns the values of each entry that has any, in order.
// plausible is false if the payload is unreadable as a whole.
func oracle(payload []byte) (frames []map[device.PropertyID]reading.Value, plausible bool) {
	payload = bytes.TrimPrefix(payload, []byte("\ufeff"))
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.UseNumber()
	var root any
	if !utf8.Valid(payload) || !json.Valid(payload) || httpbase.HasLoneSurrogate(payload) || dec.Decode(&root) != nil {
		return nil, false
	}
	entries, isList := root.([]any)
	if _, isObject := root.(map[string]any); isObject {
		entries = []any{root}
	} else if !isList {
		return nil, false
	}
	for _, e := range entries {
		object, ok := e.(map[string]any)
		if !ok {
			continue
		}
		if values := oracleEntry(object); len(values) > 0 {
			frames = append(frames, values)
		}
	}
	return frames, true
}

func oracleEntry(object map[string]any) map[device.PropertyID]reading.Value {
	ts, hasTime := object["ts"]
	values, hasValues := object["values"]
	if hasTime {
		text, err := json.Marshal(ts)
		at, ok := readMillis(text)
		if err != nil || !ok || at > now+600_000 || at < now-400*86_400_000 {
			return nil
		}
	}
	inner, isObject := values.(map[string]any)
	switch {
	case hasTime && hasValues && !isObject:
		return nil
	case hasTime && hasValues:
		object = inner
	case hasValues && isObject:
		maps.Copy(object, inner)
	}
	found := map[device.PropertyID]reading.Value{}
	for _, p := range station().Properties {
		if raw, ok := object[p.Identifier]; ok {
			if v, ok := oracleValue(p, raw); ok {
				found[p.ID] = v
			}
		}
	}
	return found
}

func oracleValue(p device.Property, raw any) (reading.Value, bool) {
	text, isText := raw.(string)
	number, isNumber := raw.(json.Number)
	switch p.DataType {
	case device.Number:
		if isText {
			text = strings.TrimSpace(text)
			if strings.Trim(text, "0123456789+-.eE") != "" || strings.ContainsAny(text, "xXpP_nN") {
				return reading.Value{}, false
			}
			number, isNumber = json.Number(text), true
		}
		f, err := number.Float64()
		if !isNumber || err != nil || p.Min != nil && f < *p.Min || p.Max != nil && f > *p.Max {
			return reading.Value{}, false
		}
		return reading.Number(f + 0), true
	case device.Boolean:
		if b, ok := raw.(bool); ok {
			return reading.Boolean(b), true
		}
		if f, err := number.Float64(); isNumber && err == nil && (f == 0 || f == 1) {
			return reading.Boolean(f == 1), true
		}
		known := slices.Contains([]string{"0", "1", "true", "false"}, text)
		return reading.Boolean(text == "1" || text == "true"), known
	default:
		return reading.Text(text), isText && utf8.RuneCountInString(text) <= maxText
	}
}
