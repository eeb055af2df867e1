package tenant_test

import (
	"testing"

	"tilth/internal/domain/tenant"
)

func TestIsNumericHost(t *testing.T) {
	for _, host := range []string{
		"127.0.0.1", "8.8.8.8", "10.0.0.1", "127.0.0.1.", "127.0.0.1..", "0.0.0.0", "0", "1", "127.1", "127.0.1",
		"2130706433", "0x7f000001", "0X7F000001", "0x7f.0.0.1", "0x7f.1", "017700000001", "0177.0.0.1", "0177.1", "127.0x0.0.01", "0x", "1.0x", "999.999.999.999", "1.2.3.4.5",
		"example.1", "example.0x7f", "::1", "[::1]", "::", "[::ffff:127.0.0.1]", "::ffff:7f00:1", "2606:4700::1111", "fe80::1%eth0", "[fe80::1%25eth0]", "IPv6:::1", "[10.0.0.1]", "[IPv6:fd00::1]", "127.0.0.1%25",
		"１２７.０.０.１", "127。0。0。1", "①②⑦.0.0.1", "１２７．１", "２１３０７０６４３３", "0ｘ7f.1",
	} {
		if !tenant.IsNumericHost(host) {
			t.Errorf("%q counts as a name", host)
		}
	}
	for _, host := range []string{
		"", "a.example", "localhost", "1.example", "127.0.0.1.example", "0x7f.example", "x0", "1e100.net", "3com.com", "a.example.", "Ферма.example", "农场.example",
		"a_b.example", "xn--80ajvps.example", "0xg", "7f000001x", "a-1", "127.0.0.1-x",
	} {
		if tenant.IsNumericHost(host) {
			t.Errorf("%q counts as an address", host)
		}
	}
}

func TestHasNumericMailHost(t *testing.T) {
	for address, want := range map[string]bool{
		"a@b.example": false, "a@10.0.0.1": true, "a@[10.0.0.1]": true, "a@[IPv6:fd00::1]": true, "a@0x7f.1": true, "a@127.1.": true, `"a@b"@10.0.0.1`: true, `"a@10.0.0.1"@b.example`: false,
		"10.0.0.1@b.example": false, "0555": false, "": false,
	} {
		if tenant.HasNumericMailHost(address) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
}
