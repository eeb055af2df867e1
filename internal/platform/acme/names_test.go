package acme

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	const private = "https://ca.farm.example/acme/directory"
	many := make([]string, MaxNames+1)
	for i := range many {
		many[i] = fmt.Sprintf("h%d.example", i)
	}
	for _, c := range []struct {
		given     []string
		directory string
		want      []string
		wrong     string
	}{
		{[]string{"Console.Farm.example", "mqtt.farm.example."}, private, []string{"console.farm.example", "mqtt.farm.example"}, ""},
		{[]string{"çiftlik.example"}, private, []string{"xn--iftlik-vua.example"}, ""},
		{[]string{"tilth"}, private, []string{"tilth"}, ""},
		{many[:MaxNames], private, many[:MaxNames], ""},
		{[]string{"console.farm.com"}, LetsEncrypt, []string{"console.farm.com"}, ""},
		{[]string{"tilth"}, LetsEncrypt, nil, `"tilth" is not a name that Let's Encrypt can know`},
		{[]string{"nas.local"}, LetsEncrypt, nil, `"nas.local" is not a name`},
		{[]string{"*.farm.example"}, private, nil, `"*.farm.example": name each host`},
		{[]string{"192.0.2.1"}, private, nil, `"192.0.2.1" is an address`},
		{[]string{"[2001:db8::1]"}, private, nil, `"[2001:db8::1]" is an address`},
		{[]string{"farm.example:443"}, private, nil, `"farm.example:443" is no host name`},
		{[]string{"https://farm.example"}, private, nil, "is no host name"},
		{[]string{"a_b.example"}, private, nil, "is no host name"},
		{[]string{""}, private, nil, `"" is no host name`},
		{[]string{"a.example", "A.example"}, private, nil, `"A.example" is listed twice`},
		{many, private, nil, "101 names are too many: at most 100"},
	} {
		got, err := NormalizeNames(c.given, c.directory)
		if c.wrong == "" && (err != nil || !slices.Equal(got, c.want)) ||
			c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%.3q: %v, %v; want %v %s", c.given, got, err, c.want, c.wrong)
		}
	}
}
