package ingest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// newDecoder makes a decoder over the fixture's devices.
func newDecoder() *decoder {
	r := device.NewRegistry(hashKey)
	r.Replace(testDevices())
	return &decoder{registry: r, retention: 400 * 24 * time.Hour, clock: arrivalClock{registry: r}}
}

func framesOf(c messageContent) []reading.Frame {
	var frames []reading.Frame
	for _, a := range c.arrivals {
		frames = append(frames, a.Frame)
	}
	return frames
}

// refusalsOf formats refusals for comparison: device:identifier:reason.
func refusalsOf(c messageContent) string {
	var all []string
	for _, p := range c.parts {
		for _, r := range p.refusals {
			all = append(all, fmt.Sprintf("%d:%s:%s", p.ref.ID, r.Identifier, r.Reason))
		}
	}
	return strings.Join(all, " ")
}

func TestDecodeOwn(t *testing.T) {
	at := func(ms int64, values string) string { return fmt.Sprintf(`{"ts":%d,"values":%s}`, now+ms, values) }
	const hour = 3_600_000
	for _, test := range []struct{ name, payload, frames, refused string }{
		{"plain", `{"airTemperature":3.4,"humidity":81}`, "1@0 air=3.4 hum=81", ""},
		{"spaced", " {\n\t\"airTemperature\" : 3.4 ,\r\n \"heating\" : true } ", "1@0 air=3.4 heat=true", ""},
		{"timed", at(-hour, `{"airTemperature":-0.5}`), "1@-3600000 air=-0.5", ""},
		{"values before time", fmt.Sprintf(`{"values":{"humidity":5},"ts":%d}`, now-7), "1@-7 hum=5", ""},
		{"time as text", fmt.Sprintf(`{"ts":"%d","values":{"humidity":5}}`, now-7), "1@-7 hum=5", ""},
		{"time with exponent", `{"ts":1.7e12,"values":{"humidity":5}}`, "1@0 hum=5", ""},
		{"list of timed", "[" + at(-2, `{"humidity":1}`) + "," + at(-1, `{"humidity":2}`) + "]", "1@-2 hum=1; 1@-1 hum=2", ""},
		{"list of plain, distinct times", `[{"humidity":1},{"humidity":2},{"heating":0}]`,
			"1@0 hum=1; 1@1 hum=2; 1@2 heat=false", ""},
		{"mixed list", `[{"humidity":1},` + at(-9, `{"humidity":2}`) + `]`, "1@-9 hum=2; 1@0 hum=1", ""},
		{"backlog in any order", "[" + at(-1, `{"humidity":3}`) + "," + at(-3, `{"humidity":1}`) + "," + at(-1, `{"humidity":4}`) + "," + at(-2, `{"humidity":2}`) + "]",
			"1@-3 hum=1; 1@-2 hum=2; 1@-1 hum=3; 1@-1 hum=4", ""},
		{"empty object", `{}`, "", ""},
		{"empty list", `[]`, "", ""},
		{"time beside the values", fmt.Sprintf(`{"humidity":5,"ts":%d,"heating":1}`, now-9), "1@-9 hum=5 heat=true", ""},
		{"backlog with the time beside the values, newest first",
			fmt.Sprintf(`[{"ts":%d,"humidity":1},{"ts":%d,"humidity":2}]`, now-1, now-2), "1@-2 hum=2; 1@-1 hum=1", ""},
		{"bad time beside the values", `[{"ts":5,"humidity":5},{"ts":"x","humidity":6},{"ts":null,"humidity":7}]`, "",
			"1:ts:badTime 1:ts:badTime 1:ts:badTime"},
		{"future beside the values", fmt.Sprintf(`{"humidity":5,"ts":%d}`, now+600_001), "", "1:ts:future"},
		{"too old beside the values", fmt.Sprintf(`{"humidity":5,"ts":%d}`, now-400*24*hour-1), "", "1:ts:tooOld"},
		{"nothing but a time", fmt.Sprintf(`{"ts":%d}`, now), "", ""},
		{"values without a time", `{"values":{"humidity":5}}`, "1@0 hum=5", ""},
		{"values without a time, and others", `{"heating":1,"values":{"humidity":5,"wind":2},"airTemperature":3}`,
			"1@0 air=3 hum=5 heat=true", "1:wind:unknown"},
		{"values in values", `{"values":{"values":{"humidity":5},"ts":5}}`, "", "1:values:unknown 1:ts:unknown"},
		{"values that are no object", `{"values":5,"humidity":5}`, "1@0 hum=5", "1:values:unknown"},
		{"list of every form", fmt.Sprintf(`[{"humidity":1},{"ts":%d,"humidity":2},{"values":{"humidity":3}},`, now-8) +
			at(-9, `{"humidity":4}`) + `]`, "1@-9 hum=4; 1@-8 hum=2; 1@0 hum=1; 1@1 hum=3", ""},

		{"numbers in text", `{"airTemperature":"3.25","humidity":" 7e1 "}`, "1@0 air=3.25 hum=70", ""},
		{"as loggers print", `{"airTemperature":"+.5","humidity":"007."}`, "1@0 air=0.5 hum=7", ""},
		{"minus zero", `{"airTemperature":-0.0}`, "1@0 air=0", ""},
		{"not rounded", `{"airTemperature":3.14159265358979}`, "1@0 air=3.14159265358979", ""},
		{"booleans", `[{"heating":true},{"heating":1},{"heating":"1"},{"heating":"true"},{"heating":1.0}]`,
			"1@0 heat=true; 1@1 heat=true; 1@2 heat=true; 1@3 heat=true; 1@4 heat=true", ""},
		{"booleans false", `[{"heating":false},{"heating":0},{"heating":"0"},{"heating":"false"}]`,
			"1@0 heat=false; 1@1 heat=false; 1@2 heat=false; 1@3 heat=false", ""},
		{"text", `{"note":"Bodenfeuchte \u00e4 \"\ud83c\udf31\""}`, "1@0 note=Bodenfeuchte ä \"🌱\"", ""},
		{"empty text", `{"note":""}`, "1@0 note=", ""},
		{"longest text", `{"note":"` + strings.Repeat("ж", 1024) + `"}`, "1@0 note=" + strings.Repeat("ж", 1024), ""},

		{"unknown identifier, valid value kept", `{"wind":3,"humidity":5}`, "1@0 hum=5", "1:wind:unknown"},
		{"wrong types", `{"airTemperature":true,"humidity":{"a":[1,"}"]},"heating":2,"note":5}`, "",
			"1:airTemperature:wrongType 1:humidity:wrongType 1:heating:wrongType 1:note:wrongType"},
		{"null is no value", `{"airTemperature":null,"heating":null,"note":null}`, "",
			"1:airTemperature:wrongType 1:heating:wrongType 1:note:wrongType"},
		{"not a number", `[{"humidity":"NaN"},{"humidity":"Inf"},{"humidity":"-infinity"},{"humidity":"0x10"},{"humidity":"1_0"},{"humidity":""},{"humidity":"1,5"},{"humidity":"+"}]`,
			"", strings.TrimSpace(strings.Repeat("1:humidity:wrongType ", 8))},
		{"other booleans", `[{"heating":"yes"},{"heating":"TRUE"},{"heating":-1},{"heating":"1.0"}]`, "",
			strings.TrimSpace(strings.Repeat("1:heating:wrongType ", 4))},
		{"out of range", `{"airTemperature":-999,"humidity":100.01}`, "", "1:airTemperature:outOfRange 1:humidity:outOfRange"},
		{"at the bounds", `[{"humidity":0,"airTemperature":-50},{"humidity":100,"airTemperature":70}]`,
			"1@0 air=-50 hum=0; 1@1 air=70 hum=100", ""},
		{"larger than any float", `{"airTemperature":1e999}`, "", "1:airTemperature:outOfRange"},
		{"too long", `{"note":"` + strings.Repeat("ж", 1025) + `"}`, "", "1:note:tooLong"},

		{"last of a name counts", `{"humidity":1,"humidity":2}`, "1@0 hum=2", ""},
		{"last of a name counts, escaped", `{"humidity":1,"h\u0075midity":2}`, "1@0 hum=2", ""},
		{"last of a name is refused", `{"humidity":1,"heating":1,"humidity":"x"}`, "1@0 heat=true", "1:humidity:wrongType"},
		{"last of the times counts", fmt.Sprintf(`{"ts":5,"values":{"humidity":5},"ts":%d}`, now), "1@0 hum=5", ""},

		{"ten minutes ahead", at(600_000, `{"humidity":1}`), "1@600000 hum=1", ""},
		{"more than ten minutes ahead", at(600_001, `{"humidity":1}`), "", "1:ts:future"},
		{"as old as the retention", at(-400*24*hour, `{"humidity":1}`), "1@-34560000000 hum=1", ""},
		{"older than the retention", at(-400*24*hour-1, `{"humidity":1}`), "", "1:ts:tooOld"},
		{"seconds", fmt.Sprintf(`{"ts":%d,"values":{"humidity":1}}`, now/1000), "", "1:ts:badTime"},
		{"microseconds", fmt.Sprintf(`{"ts":%d000,"values":{"humidity":1}}`, now), "", "1:ts:badTime"},
		{"no time", `{"ts":null,"values":{"humidity":1}}`, "", "1:ts:badTime"},
		{"half a millisecond", `{"ts":1700000000000.5,"values":{"humidity":1}}`, "", "1:ts:badTime"},
		{"a date", `{"ts":"2023-11-14","values":{"humidity":1}}`, "", "1:ts:badTime"},
		{"time zero", `{"ts":0,"values":{"humidity":1}}`, "", "1:ts:badTime"},
		{"values that are none", fmt.Sprintf(`{"ts":%d,"values":[1]}`, now), "", "1:values:wrongType"},
		{"valid entry beside a bad time", "[" + at(600_001, `{"humidity":1}`) + `,{"humidity":2}]`, "1@0 hum=2", "1:ts:future"},

		{"no JSON", `humidity=5`, "", "1::unreadable"},
		{"nothing", ``, "", "1::unreadable"},
		{"cut short", `{"humidity":5`, "", "1::unreadable"},
		{"valid part of a broken text", `{"humidity":5,}`, "", "1::unreadable"},
		{"two texts", `{"humidity":5}{"humidity":6}`, "", "1::unreadable"},
		{"a number", `5`, "", "1::unreadable"},
		{"a text", `"humidity"`, "", "1::unreadable"},
		{"list of numbers", `[1,{"humidity":5},[{"humidity":6}]]`, "1@0 hum=5", "1::unreadable 1::unreadable"},
		{"long identifier is cut", `{"` + strings.Repeat("ж", 70) + `":1}`, "", "1:" + strings.Repeat("ж", 64) + ":unknown"},
		{"identifier that the database cannot store", `{"\u0000":1,"a\u0000b":1}`, "", "1:\uFFFD:unknown 1:a\uFFFDb:unknown"},
		{"NUL in a text", `{"note":"a\u0000b"}`, "1@0 note=a\x00b", ""},
		{"byte order mark", "\ufeff{\"humidity\":5}", "1@0 hum=5", ""},
		{"two byte order marks", "\ufeff\ufeff{\"humidity\":5}", "", "1::unreadable"},
		{"identifier that is not UTF-8", "{\"\xff\":1,\"humidity\":5}", "", "1::unreadable"},
		{"Latin-1", "{\"note\":\"gr\xfcn\",\"humidity\":5}", "", "1::unreadable"},
		{"overlong form", "{\"note\":\"\xc0\xaf\"}", "", "1::unreadable"},
		{"surrogates as UTF-8", "{\"note\":\"\xed\xa0\xbc\xed\xbc\xb1\"}", "", "1::unreadable"},
		{"half of a pair", `{"note":"\ud800","humidity":5}`, "", "1::unreadable"},
		{"halves in the wrong order", `{"note":"\udf31\ud83c"}`, "", "1::unreadable"},
		{"half of a pair in an identifier", `{"\ud800":1}`, "", "1::unreadable"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "", "1::unreadable"},
		{"UTF-16 without a mark", "{\x00}\x00", "", "1::unreadable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDecoder()
			var c messageContent
			d.decodeOwn(&c, d.registry.Get(1), []byte(test.payload), now)
			if got := describe(framesOf(c)); got != test.frames {
				t.Errorf("frames\n got %s\nwant %s", got, test.frames)
			}
			if got := refusalsOf(c); got != test.refused {
				t.Errorf("refused\n got %s\nwant %s", got, test.refused)
			}
			values := 0
			for _, a := range c.arrivals {
				values += len(a.Fields)
				if a.At != now || a.Tenant != green {
					t.Errorf("unexpected arrival at %d of tenant %d", a.At, a.Tenant)
				}
			}
			if len(c.parts) != 1 || c.parts[0].values != values {
				t.Errorf("parts %+v, want one with %d values", c.parts, values)
			}
		})
	}
}

func TestDecodeGateway(t *testing.T) {
	for _, test := range []struct{ name, payload, frames, refused string }{
		{"two children", fmt.Sprintf(`{"WS-1":[{"ts":%d,"values":{"humidity":1}}],"WS-2":[{"humidity":2},{"humidity":3}]}`, now-5),
			"1@-5 hum=1; 2@0 hum=2; 2@1 hum=3", ""},
		{"an entry without its list", `{"WS-1":{"humidity":1},"WS-2":{"humidity":2}}`, "1@0 hum=1; 2@0 hum=2", ""},
		{"times beside the values", fmt.Sprintf(`{"WS-1":[{"ts":%d,"humidity":1}],"WS-2":{"ts":%d,"humidity":2}}`, now-5, now-4),
			"1@-5 hum=1; 2@-4 hum=2", ""},
		{"values without a time", `{"WS-1":[{"values":{"humidity":1}}],"WS-2":{"values":{"humidity":2}}}`,
			"1@0 hum=1; 2@0 hum=2", ""},
		{"byte order mark", "\ufeff{\"WS-1\":{\"humidity\":1}}", "1@0 hum=1", ""},
		{"a name that is not UTF-8", "{\"WS-\xff\":{\"humidity\":1},\"WS-1\":{\"humidity\":1}}", "", "3::unreadable"},
		{"a name with half of a pair", `{"WS-\ud800":{"humidity":1}}`, "", "3::unreadable"},
		{"itself", `{"GW-1":[{"humidity":1}]}`, "3@0 hum=1", ""},
		{"another tenant's device", `{"BLUE-1":[{"humidity":1}],"WS-1":[{"humidity":2}]}`, "1@0 hum=2", "3:BLUE-1:notYours"},
		{"nobody's", `{"WS-99":[{"humidity":1}]}`, "", "3:WS-99:notYours"},
		{"a name that the database cannot store", `{"WS\u00001":[{"humidity":1}]}`, "", "3:WS\uFFFD1:notYours"},
		{"disabled child", `{"WS-OFF":[{"humidity":1}]}`, "", "3:WS-OFF:disabled"},
		{"refused for the child", `{"WS-1":[{"humidity":101,"heating":1}]}`, "1@0 heat=true", "1:humidity:outOfRange"},
		{"child without entries", `{"WS-1":5,"WS-2":[]}`, "", "1::unreadable"},
		{"a list", `[{"WS-1":[]}]`, "", "3::unreadable"},
		{"no JSON", `{"WS-1"`, "", "3::unreadable"},
		{"nothing", `{}`, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDecoder()
			var c messageContent
			d.decodeGateway(&c, d.registry.Get(3), []byte(test.payload), now)
			if got := describe(framesOf(c)); got != test.frames {
				t.Errorf("frames\n got %s\nwant %s", got, test.frames)
			}
			if got := refusalsOf(c); got != test.refused {
				t.Errorf("refused\n got %s\nwant %s", got, test.refused)
			}
			for _, a := range c.arrivals {
				if a.Tenant != green {
					t.Errorf("unexpected frame for tenant %d", a.Tenant)
				}
			}
		})
	}
}

func TestDecodeClockAhead(t *testing.T) {
	d := newDecoder()
	for _, test := range []struct {
		offsets []int64
		want    time.Duration
	}{
		{nil, 0},
		{[]int64{-5}, 0},
		{[]int64{60_000}, 0},
		{[]int64{60_001}, 60_001 * time.Millisecond},
		{[]int64{90_000, 120_000, -3}, 2 * time.Minute},
		{[]int64{7_200_000}, 2 * time.Hour}, // refused, and the device's page shows why
	} {
		payload := `[{"humidity":1}`
		for _, o := range test.offsets {
			payload += fmt.Sprintf(`,{"ts":%d,"values":{"humidity":1}}`, now+o)
		}
		var c messageContent
		d.decodeOwn(&c, d.registry.Get(1), []byte(payload+"]"), now)
		if got := c.parts[0].ahead; got != test.want {
			t.Errorf("offsets %v: ahead %v, want %v", test.offsets, got, test.want)
		}
	}
}

func TestArrivalClockTimesAreDistinctAndIncreasing(t *testing.T) {
	s := newArrivalClock(1, 2, 7)
	type assigned struct {
		id     device.ID
		at     int64
		want   int64
		wantOK bool
	}
	for i, step := range []assigned{
		{1, now, now, true},
		{1, now, now + 1, true},
		{2, now, now, true},           // another device has its own times
		{1, now - 500, now + 2, true}, // arrived later than the message that overtook it
		{1, now + 10, now + 10, true},
	} {
		if got, ok := s.next(step.id, step.at); got != step.want || ok != step.wantOK {
			t.Errorf("step %d: %d %v, want %d %v", i, got-now, ok, step.want-now, step.wantOK)
		}
	}
	for i := range int64(600_001) {
		if at, ok := s.next(7, now); !ok || at != now+i {
			t.Fatalf("time %d is %d %v", i, at-now, ok)
		}
	}
	if _, ok := s.next(7, now); ok {
		t.Error("a time beyond what the decoder accepts")
	}
	if at, ok := s.next(7, now+1); !ok || at != now+600_001 {
		t.Errorf("a millisecond later: %d %v", at-now, ok)
	}
}

// The arrival clock follows a clock that was set back: readings are neither refused until the clock
// has caught up, nor given the old times.
func TestArrivalClockFollowsClockSetBack(t *testing.T) {
	const hour, second = 3_600_000, 1000
	for _, back := range []int64{8 * hour, hour / 10, 6 * second} {
		s := newArrivalClock(1)
		for i, step := range []struct{ at, want int64 }{
			{now, now},
			{now - back, now - back},
			{now - back, now - back + 1}, // distinct there, too
			{now - back + second, now - back + second},
			{now - back, now - back + second + 1},
			{now, now}, // the clock caught up
			{now + second, now + second},
		} {
			if got, ok := s.next(1, step.at); got != step.want || !ok {
				t.Errorf("back by %d ms, step %d: %d %v, want %d", back, i, got-now, ok, step.want-now)
			}
		}
	}
	// Small steps in sequence count together.
	s := newArrivalClock(1)
	for back := int64(0); back <= 9*second; back += 3 * second {
		if got, ok := s.next(1, now-back); !ok || back > 5*second != (got < now) && got != now-back {
			t.Errorf("back by %d ms: %d %v", back, got-now, ok)
		}
	}
}
