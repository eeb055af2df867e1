package selfservice

import (
	"strings"
	"testing"
)

func TestParseCode(t *testing.T) {
	const want = Code("7K3Q9DMX2B4F7")
	for _, typed := range []string{
		"7K3Q-9DMX-2B4F-7", "7k3q 9dmx 2b4f 7", "7k3q9dmx2b4f7", "  7K3Q–9DMX–2B4F–7 ", "7K3Q\u00a09DMX-2B4F\t7\r\n",
	} {
		c, isCode, right := ParseCode(typed)
		if c != want || !isCode || !right {
			t.Errorf("%q: %s %t %t", typed, c, isCode, right)
		}
	}
	if want.String() != "7K3Q-9DMX-2B4F-7" {
		t.Errorf("printed as %s", want)
	}
	// One wrong symbol and two swapped ones are found.
	for _, typed := range []string{"7K3Q-9DMX-2B4F-8", "7K3Q-9DMX-2B4G-7", "7K3Q-9DMX-B24F-7"} {
		if _, isCode, right := ParseCode(typed); !isCode || right {
			t.Errorf("%q: %t %t, want a mistyped code", typed, isCode, right)
		}
	}
	for _, typed := range []string{"", "7K3Q", "7K3Q-9DMX-2B4F-77", "7K3Q-9DMX-2B4U-7", "7K3Q-9DMX-2B4F-!", strings.Repeat("7", 1000)} {
		if _, isCode, _ := ParseCode(typed); isCode {
			t.Errorf("%q is a code", typed)
		}
	}
	// What people confuse.
	c, _, right := ParseCode("oO1i-lLI1-0000-" + checkOf("001111110000"))
	if c[:codeSymbols] != "001111110000" || !right {
		t.Errorf("%s %t", c, right)
	}
}

func TestNewCode(t *testing.T) {
	seen := map[Code]bool{}
	for range 1000 {
		c := NewCode()
		read, isCode, right := ParseCode(c.String())
		if read != c || !isCode || !right || seen[c] {
			t.Fatalf("%s: %s %t %t", c, read, isCode, right)
		}
		seen[c] = true
	}
}

func TestReadText(t *testing.T) {
	const vector = "LW:D0:42FFFFFFFFFFFFFF:4242FFFFFFFFFFFF:42FFFF42:CCHECKSUM:O0102:SSERIAL:PPROPRIETARY"
	read, mistyped := ReadText(vector)
	want := LoRaWANLabel{
		JoinEUI: "42FFFFFFFFFFFFFF", DevEUI: "4242FFFFFFFFFFFF", Vendor: "42FF", Model: "FF42",
		OwnerToken: "0102", Serial: "SERIAL", Proprietary: "PROPRIETARY",
	}
	if mistyped || read.LoRaWAN == nil || *read.LoRaWAN != want {
		t.Errorf("%+v", read.LoRaWAN)
	}
	if read, _ := ReadText(" lw:d0:42ffffffffffffff:4242ffffffffffff:42ffff42:XUNKNOWN::\n"); read.LoRaWAN == nil ||
		*read.LoRaWAN != (LoRaWANLabel{JoinEUI: want.JoinEUI, DevEUI: want.DevEUI, Vendor: "42FF", Model: "FF42"}) {
		t.Errorf("%+v", read.LoRaWAN)
	}
	for _, text := range []string{
		"", "LW:D0:", "LW:D1:42FFFFFFFFFFFFFF:4242FFFFFFFFFFFF:42FFFF42",
		"LW:D0:42FFFFFFFFFFFFFF:4242FFFFFFFFFFFF",           // no ProfileID
		"LW:D0:42FFFFFFFFFFFFFF:4242FFFF:42FFFF42",          // an EUI of 8 digits
		"LW:D0:42FFFFFFFFFFFFFF:4242FFFFFFFFFFFG:42FFFF42",  // no digit
		"LW:D0:42FFFFFFFFFFFFFF:4242FFFFFFFFFFFF:42FFFF421", // too long
		"https://farm.example/", "hello",
	} {
		if read, mistyped := ReadText(text); read != (Text{}) || mistyped {
			t.Errorf("%q: %+v %t", text, read, mistyped)
		}
	}
	if read, _ := ReadText("https://farm.example/claim#7K3Q-9DMX-2B4F-7"); read.Code != "7K3Q9DMX2B4F7" {
		t.Errorf("of an address: %+v", read)
	}
	if _, mistyped := ReadText("7K3Q-9DMX-2B4F-8"); !mistyped {
		t.Error("a wrong check symbol is not found")
	}
}
