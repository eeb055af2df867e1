package torture

import "testing"

func TestIsHalted(t *testing.T) {
	for stat, want := range map[string]bool{
		"7 (tilth) T 1 7 7 0":      true,
		"7 (tilth) S 1 7 7 0":      false,
		"7 (a T b) R 1 7 7 0":      false,
		"7 (odd) T name) T 1 7 7 ": true,
	} {
		if isHalted(stat) != want {
			t.Errorf("%q: want %v", stat, want)
		}
	}
}
