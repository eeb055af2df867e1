package identity

import (
	"strings"
	"testing"
	"time"
)

// The last six digits of RFC 6238, appendix B.
func TestTOTPVectors(t *testing.T) {
	key := []byte("12345678901234567890")
	for at, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924",
		2000000000: "279037", 20000000000: "353130",
	} {
		if got := totpCode(key, totpStep(time.Unix(at, 0))); got != want {
			t.Errorf("T=%d: %s, want %s", at, got, want)
		}
	}
}

func TestMatchTOTP(t *testing.T) {
	key := []byte("12345678901234567890")
	now := time.Unix(2000000000, 0)
	current := totpStep(now)
	for name, c := range map[string]struct {
		step, used int64
		want       bool
	}{
		"now":                              {current, -1, true},
		"the one before":                   {current - 1, -1, true},
		"the one after":                    {current + 1, -1, true},
		"two before":                       {current - 2, -1, false},
		"two after":                        {current + 2, -1, false},
		"used":                             {current, current, false},
		"before the used one":              {current - 1, current, false},
		"after the used one":               {current + 1, current, true},
		"used before the clock went back":  {current, current + 10, false},
		"used while the clock was far off": {current, current + 100_000, true},
	} {
		step, ok := matchTOTP(key, totpCode(key, c.step), now, c.used)
		if ok != c.want || ok && step != c.step {
			t.Errorf("%s: %d %v", name, step, ok)
		}
	}
	if _, ok := matchTOTP(key, "", now, -1); ok {
		t.Error("an empty code is right")
	}
}

func TestEnrolmentURI(t *testing.T) {
	e := newEnrolment("Yeşil Alan & Co: 1", "ada lovelace", []byte("12345678901234567890"))
	const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	want := "otpauth://totp/Ye%C5%9Fil%20Alan%20%26%20Co%3A%201:ada%20lovelace?secret=" + secret +
		"&issuer=Ye%C5%9Fil%20Alan%20%26%20Co%3A%201&algorithm=SHA1&digits=6&period=30"
	if e.Secret != secret || e.URI != want {
		t.Errorf("%+v", e)
	}
}

func TestCleanCode(t *testing.T) {
	for typed, want := range map[string]string{
		" 287 082 ": "287082", "287-082": "287082", "２８７０８２": "287082", "287\u00a0082\n": "287082",
		"7k3q-9dmx-2b4f": "7K3Q9DMX2B4F", "oil 1": "0111", "": "",
	} {
		if got := cleanCode(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if isTOTP("28708") || isTOTP("2870821") || isTOTP("28708A") || !isTOTP("287082") {
		t.Error("isTOTP")
	}
}

func TestRecoveryCodesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		code := newRecoveryCode()
		if seen[code] || len(code) != 14 || strings.Trim(code, recoveryAlphabet+"-") != "" ||
			len(cleanCode(code)) != recoveryCodeLength || isTOTP(cleanCode(code)) {
			t.Fatal(code)
		}
		seen[code] = true
	}
}
