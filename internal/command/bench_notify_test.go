package command

import (
	"strings"
	"testing"
)

// The test makes a small run with notifications, against the real binary: everything reaches every
// screen of its tenant, and is mailed once.
func TestBenchNotify(t *testing.T) {
	t.Parallel()
	run := []string{
		"bench",
		"telling",
		"--dir", t.TempDir(),
		"--tenants", "2",
		"--users", "2",
		"--notices", "6",
		"--connections", "2",
		"--values", "2",
	}
	out, err := (&process{t: t}).tilth(
		append(run, "--volleys", "2", "--every", "2s", "--hold", "1s", "--duration", "200ms", "--digest-after", "0")...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, part := range []string{
		"tilth: 2 tenants of 2 users with a screen each, two addresses a tenant, 6 notices a volley, 2 volleys, one in 2s, which end after 1s; --digest-after 0",
		"after the acknowledgement, of 12; 0 missing; it is asked for", "of 48; 0 missing", "volley 2: ", "empty, the last mail came",
		"12 notices began and ended; 0 were not recorded, 0 not expected; 0 events told twice", "48; they tell 48 of 48 things: 0 lost, 0 told twice, 0 stray",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
	for flags, says := range map[string]string{
		"--notices 5": "5 notices cannot", "--hold 20s": "a volley is needed", "--values 65": "--values:", "--digest-after 0,-1": "no fewer than 0",
		"--connections 2000000000": "open files", "--binary none": "none", "--binary none --dir none": "none",
	} {
		out, err := (&process{t: t}).tilth(append(run, strings.Fields(flags)...)...)
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("%s: %v\n%s", flags, err, out)
		}
	}
}
