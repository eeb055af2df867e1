package command

import "testing"

// A small run with notifications, against a real server: everything reaches every screen of its tenant, and
// is mailed once.
func TestTelling(t *testing.T) {
	t.Parallel()
	wantParts(t, workshop(t, "telling", "--binary", tilth(t), "--dir", t.TempDir(),
		"--tenants", "2", "--users", "2", "--notices", "6", "--connections", "2", "--values", "2",
		"--volleys", "2", "--every", "2s", "--hold", "1s", "--duration", "200ms", "--digest-after", "0"),
		"tilth: 2 tenants of 2 users with a screen each, two addresses a tenant, 6 notices a volley, "+
			"2 volleys, one in 2s, which end after 1s; --digest-after 0",
		"after the acknowledgement, of 12; 0 missing; it is asked for",
		"of 48; 0 missing",
		"volley 2: ",
		"empty, the last mail came",
		"12 notices began and ended; 0 were not recorded, 0 not expected; 0 events told twice",
		"48; they tell 48 of 48 things: 0 lost, 0 told twice, 0 stray",
	)
}
