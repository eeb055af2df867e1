package tenant

import "testing"

// Whoever is at a host of the tenant stays there; others are led to the tenant's first host.
func TestBaseURLAt(t *testing.T) {
	farm := &Tenant{Hosts: []string{"farm.example", "second.example"}}
	for _, c := range []struct{ origin, public, want string }{
		{"http://second.example:8080", "", "http://second.example:8080"},
		{"https://Second.example", "", "https://second.example"},
		{"http://second.example:8080", "https://tilth.example", "https://second.example"},
		{"http://second.example", "https://tilth.example:8443", "https://second.example:8443"},
		{"http://evil.example:8080", "", "https://farm.example"}, {"http://127.0.0.1:8080", "", "https://farm.example"},
		{"", "", "https://farm.example"}, {"://", "http://tilth.example", "http://farm.example"},
	} {
		if got := farm.BaseURLAt(c.origin, c.public); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.origin, c.public, got, c.want)
		}
	}
	if got := (&Tenant{}).BaseURLAt("http://evil.example", ""); got != "" {
		t.Errorf("without a host: %q", got)
	}
}

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
