package console

import "testing"

// normalizeLists leaves every query unchanged that isNormalizedQuery accepts.
func TestIsNormalizedQuery(t *testing.T) {
	for raw, plain := range map[string]bool{
		"deviceName=WS-1": true, "a=1&b=2": true, "a=1,2&b=%5B3%5D": true, "a=%zz": true, "a=b=c": true, "a.b=1": true, "a-b_c~d=%20": true, "=1": true,
		"a": false, "a=": false, "a=1&": false, "&a=1": false, "a=1&b=": false, "a=1&a=2": false, "a=1&b=2&a=1": false,
		"a[]=1": false, "a[0]=1": false, "a%5B%5D=1": false, "a%zz=1": false, "a;b=1": false, "a+b=1": false, "é=1": false, "%61=1": false,
		"a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1&j=1&k=1&l=1&m=1&n=1&o=1&p=1":     true,
		"a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1&j=1&k=1&l=1&m=1&n=1&o=1&p=1&q=1": false,
	} {
		if isNormalizedQuery(raw) != plain {
			t.Errorf("%s: normalized is not %t", raw, plain)
		}
		if got := joinLists(raw); plain && got != raw {
			t.Errorf("%s counts as normalized, but would become %s", raw, got)
		}
	}
}
