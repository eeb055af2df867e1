package identity

import "testing"

// Names cannot be made to run into one another.
func TestOrigins(t *testing.T) {
	seen := map[origin]Attempt{}
	for _, a := range []Attempt{
		{Tenant: 1, UserName: "ada", Address: "192.0.2.1"}, {Tenant: 2, UserName: "ada", Address: "192.0.2.1"},
		{Tenant: 1, UserName: "ada1", Address: "92.0.2.1"}, {Tenant: 1, UserName: "ada", Address: "192.0.2.11"}, {UserName: "ada", Address: "192.0.2.1"},
	} {
		o := originOf(a)
		if twin, ok := seen[o]; ok {
			t.Errorf("%+v and %+v are one", a, twin)
		}
		seen[o] = a
		a.UserName, a.Password, a.Verification = "ADA"+a.UserName[3:], "x", "y"
		if originOf(a) != o {
			t.Errorf("%+v is another in capitals", a)
		}
	}
}
