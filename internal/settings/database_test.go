package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// The address comes from where other settings come from. A password must not come from a flag,
// which everybody on the machine can read.
func TestDatabaseURL(t *testing.T) {
	const plain, secret = "postgres://tilth@db.example/tilth?sslmode=verify-full", "postgresql://tilth:s3cret@db.example:6432/tilth"
	file := filepath.Join(t.TempDir(), "tilth.yaml")
	if err := os.WriteFile(file, []byte("database-url: "+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args        []string
		environment string
		want        string
		says        string // the error's text
	}{
		"none":                          {},
		"flag":                          {args: []string{"--database-url", plain}, want: plain},
		"environment":                   {environment: secret, want: secret},
		"file":                          {args: []string{"--config", file}, want: secret},
		"flag before environment":       {args: []string{"--database-url", plain}, environment: secret, want: plain},
		"password in the flag":          {args: []string{"--database-url", secret}, says: "everybody on the machine can read"},
		"password in the flag's query":  {args: []string{"--database-url", plain + "&password=s3cret"}, says: "everybody on the machine can read"},
		"another kind of address":       {environment: "mysql://tilth:s3cret@db.example/tilth", says: "an address is like"},
		"no address":                    {environment: "host=db.example password=s3cret", says: "an address is like"},
		"an address that cannot be one": {environment: "postgres://tilth:s3cret@%zz", says: "an address is like"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(DatabaseVariable, c.environment)
			if c.environment == "" { // an empty variable would count, too
				if err := os.Unsetenv(DatabaseVariable); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			s, err := parseArgs(t, c.args...)
			if err == nil {
				got = s.DatabaseURL
			}
			check := func(of string) {
				t.Helper()
				if c.says == "" && (err != nil || got != c.want) {
					t.Errorf("%s: %q (%v), want %q", of, got, err, c.want)
				}
				if c.says != "" &&
					(err == nil || !strings.HasPrefix(err.Error(), "--database-url: ") || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "s3cret")) {
					t.Errorf("%s: %v", of, err)
				}
			}
			check("serve")
			if name == "file" {
				return // other commands read no file
			}
			f := pflag.NewFlagSet("doctor", pflag.ContinueOnError)
			AddDatabaseFlag(f)
			if err := f.Parse(c.args); err != nil {
				t.Fatal(err)
			}
			got, err = DatabaseURL(f)
			check("doctor")
		})
	}
}
