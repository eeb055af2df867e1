package command

import (
	"fmt"
	"strings"
	"testing"

	"tilth/internal/tools/farm"
)

// A trouble is reported once, and again if it changes or comes back.
func TestTroublesAreReportedOnce(t *testing.T) {
	var out strings.Builder
	r := newTroubleLog(&out)
	began := func(device, says string, signIn bool) {
		r.add(&farm.Trouble{Device: device, Message: says, SignIn: signIn})
	}
	const nobody, cut, refused = "nobody listens at tcp://x:1", "the server at tcp://x:1 has cut the connection", "the server refuses its name or secret"
	for range 3 {
		began("A", nobody, false)
		began("B", nobody, false)
	}
	began("A", refused, true)
	began("A", refused, true)
	r.clear("B")
	r.clear("B")
	r.clear("A")
	// Two devices are cut off one after the other: the first dials before the second has noticed.
	began("A", cut, false)
	began("A", nobody, false)
	began("B", cut, false)
	began("B", nobody, false)
	r.clear("A")
	r.clear("B")
	began("A", cut, false)
	want := `Nobody listens at tcp://x:1; trying again.
A: the server refuses its name or secret; trying again.
Publishing again.
A publishes now.
The server at tcp://x:1 has cut the connection; trying again.
Nobody listens at tcp://x:1; trying again.
Publishing again.
The server at tcp://x:1 has cut the connection; trying again.
`
	if out.String() != want {
		t.Errorf("told\n%swant\n%s", out.String(), want)
	}
}

func TestManyRefusedDevicesAreNotAllNamed(t *testing.T) {
	var out strings.Builder
	r := newTroubleLog(&out)
	for i := range 100 {
		r.add(
			&farm.Trouble{Device: fmt.Sprint("D-", i), Message: "the server refuses its name or secret", SignIn: true},
		)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != maxRefusedNamed+1 || !strings.HasPrefix(lines[9], "D-9: ") ||
		lines[10] != "The server refuses more devices, which are not named here." {
		t.Errorf("told\n%s", out.String())
	}
}
