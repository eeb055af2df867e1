package command

import (
	"testing"

	"tilth/internal/tools/pgpair"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/authority"
)

// The certificate that an ACME server issued to one server alone is the one that each node of its cluster
// serves. Another one would have another serial number.
func TestNodesShareTheCertificate(t *testing.T) {
	t.Parallel()
	one, two := newProcess(t), newProcess(t)
	one.database = pgpair.Single(t).URL()
	const name = "shared.example"
	ca := authority.New(t, authority.Options{TLSPort: 1, Names: []string{name}, Blocked: true})
	args := []string{
		"--https-addr", testkit.AnyPort,
		"--acme-domains", name,
		"--acme-agree",
		"--acme-directory", ca.Directory,
		"--acme-ca-file", ca.RootFile,
	}
	serial := func(p *process) string {
		t.Helper()
		var found string
		testkit.Eventually(t, "a certificate", func() bool {
			met, err := ca.FetchCertificate(t.Context(), p.https, name)
			if err == nil {
				found = met.SerialNumber.String()
			}
			return err == nil
		})
		return found
	}
	one.start(append(args, unlimitedArgs...)...)
	ca.SetChallengePort(t, one.http)
	ca.Unblock()
	want := serial(one)
	one.stop()

	one.start(append(args, clusterArgs(t, "one")...)...)
	one.awaitLeading()
	if got := serial(one); got != want {
		t.Errorf("the first node: %s, want %s", got, want)
	}
	two.database = one.database
	if out, err := two.tilth("join", "--from", "http://"+one.admin, "--data-dir", two.dir+"/two"); err != nil {
		t.Fatalf("join: %v\n%s", err, out)
	}
	two.dir += "/two"
	two.start(append(args, clusterArgs(t, "two")...)...)
	one.kill()
	two.awaitLeading()
	if got := serial(two); got != want {
		t.Errorf("after a take-over: %s, want %s", got, want)
	}
}
