package command

import (
	"strings"
	"testing"
)

// The command reports what it cannot run. scripts/bench-cluster.sh runs all of it.
func TestBenchCluster(t *testing.T) {
	t.Parallel()
	for flags, says := range map[string]string{
		"--rounds -1": "--rounds:", "--duration 0s": "--duration:", "--rate 0": "--rate:", "--values 65": "--values:",
		"--takeovers 5,0": "--takeovers:", "--times 0": "--times:", "--ruled-share 0": "--ruled-share:", "--dir none": "--dir:",
	} {
		out, err := (&process{t: t}).tilth(append([]string{"bench", "cluster"}, strings.Fields(flags)...)...)
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("%s: %v\n%s", flags, err, out)
		}
	}
}
