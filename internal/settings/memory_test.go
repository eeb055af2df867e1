package settings

import (
	"strings"
	"testing"
)

func TestMemorySetting(t *testing.T) {
	for text, want := range map[string]Memory{
		"75%": {Share: 75}, "100%": {Share: 100}, "off": {}, "2GiB": {Bytes: 2 << 30}, "1TiB": {Bytes: 1 << 40},
		"131072KiB": {Bytes: 128 << 20}, "128MiB": {Bytes: 128 << 20}, "268435456": {Bytes: 256 << 20},
	} {
		if got, err := parseMemory(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0%", "101%", "75 %", "x%", "1.5GiB", "2GB", "-1", "127MiB", "0", "99999999999TiB", "none"} {
		if got, err := parseMemory(text); err == nil || !strings.HasPrefix(err.Error(), "--memory: ") {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestMemoryIsExplicit(t *testing.T) {
	if s, err := parseArgs(t); err != nil || s.Memory != (Memory{Share: 75}) {
		t.Errorf("%+v, %v", s.Memory, err)
	}
	if s, err := parseArgs(t, "--memory", "75%"); err != nil || s.Memory != (Memory{Share: 75, Explicit: true}) {
		t.Errorf("%+v, %v", s.Memory, err)
	}
	t.Setenv("TILTH_MEMORY", "512MiB")
	if s, err := parseArgs(t); err != nil || s.Memory != (Memory{Bytes: 512 << 20, Explicit: true}) {
		t.Errorf("%+v, %v", s.Memory, err)
	}
}
