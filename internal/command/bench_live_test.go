package command

import (
	"strings"
	"testing"
)

// The test makes a small run with open screens, against the real binary: every reading reaches
// every screen of its tenant, and screens that never read are cut off.
func TestBenchLive(t *testing.T) {
	t.Parallel()
	run := []string{"bench", "live", "--dir", t.TempDir(), "--screens", "20", "--tenants", "3", "--values", "64"}
	out, err := (&process{t: t}).tilth(append(run, "--busy", "400", "--slow", "2", "--duration", "2s")...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, part := range []string{
		"tilth: 20 open screens of 3 tenants, 64 values in a reading, parts of 2s", "one reading a second each", "a busy tenant",
		"2 of 2 cut off", "0 events lost, 0 told twice, 0 of no reading; screens that read were cut off 0 times",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
	for flags, says := range map[string]string{
		"--screens 2": "2 screens cannot", "--busy 0": "need a busy tenant", "--duration 0s": "some time", "--values 65": "--values:",
		"--binary none": "none",
	} {
		out, err := (&process{t: t}).tilth(append(run, strings.Fields(flags)...)...)
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("%s: %v\n%s", flags, err, out)
		}
	}
}
