package command

import "testing"

// A small run with open screens, against a real server: every reading reaches every screen of its tenant,
// and screens that never read are cut off.
func TestLive(t *testing.T) {
	t.Parallel()
	wantParts(t, workshop(t, "live", "--binary", tilth(t), "--dir", t.TempDir(),
		"--screens", "20", "--tenants", "3", "--values", "64", "--busy", "400", "--slow", "2", "--duration", "2s"),
		"tilth: 20 open screens of 3 tenants, 64 values in a reading, parts of 2s",
		"one reading a second each",
		"a busy tenant",
		"2 of 2 cut off",
		"0 events lost, 0 told twice, 0 of no reading; screens that read were cut off 0 times",
	)
}
