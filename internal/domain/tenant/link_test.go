package tenant

import "testing"

// Links lead to the tenant's own host with the public address's scheme and port, else to the public
// address.
func TestBaseURL(t *testing.T) {
	for _, c := range []struct {
		public string
		hosts  []string
		want   string
	}{
		{"", nil, ""}, {"https://tilth.example/", nil, "https://tilth.example"}, {"", []string{"farm.example", "b"}, "https://farm.example"},
		{"https://tilth.example", []string{"farm.example"}, "https://farm.example"},
		{"http://127.0.0.1:8080", []string{"farm.localhost"}, "http://farm.localhost:8080"},
	} {
		if got := (&Tenant{Hosts: c.hosts}).BaseURL(c.public); got != c.want {
			t.Errorf("%q %v: %q, want %q", c.public, c.hosts, got, c.want)
		}
	}
}
