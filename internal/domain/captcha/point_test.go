package captcha

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// decrypt reads what the clients' own library encrypts, and Encrypt gives exactly the same text.
func TestCryptoJS(t *testing.T) {
	raw, err := os.ReadFile("testdata/crypto-js.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct{ Key, Plain, Sealed string }
	}
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Vectors) < 30 {
		t.Fatalf("%d vectors: %v", len(file.Vectors), err)
	}
	for _, v := range file.Vectors {
		if got := Encrypt(v.Plain, v.Key); got != v.Sealed {
			t.Errorf("%q under %s: %s, want %s", v.Plain, v.Key, got, v.Sealed)
		}
		if got, err := decrypt(v.Sealed, v.Key); err != nil || string(got) != v.Plain {
			t.Errorf("%s under %s: %q %v, want %q", v.Sealed, v.Key, got, err, v.Plain)
		}
	}
}

const secret = "XwKsGlMcdPMEhR1B"

func TestDecryptPoint(t *testing.T) {
	for plain, want := range map[string]float64{
		`{"x":123,"y":5}`: 123, `{"x":123.99,"y":5.0}`: 123.99, `{"y":5,"x":0}`: 0, ` { "x" : 1e2 , "y" : 5 } `: 100, `{"x":-3,"y":5}`: -3,
		`{"x":7,"y":5,"more":[{}]}`: 7,
	} {
		got, x, err := decryptPoint(Encrypt(plain, secret), secret)
		if err != nil || x != want || got != plain {
			t.Errorf("%s: %q %g %v", plain, got, x, err)
		}
	}
	for _, plain := range []string{
		``, `null`, `[]`, `7`, `{}`, `{"x":123}`, `{"y":5}`, `{"x":null,"y":5}`, `{"x":"123","y":5}`, `{"x":123,"y":6}`, `{"x":123,"y":"5"}`,
		`{"x":123,"y":5}x`, `{"x":123,"y":5}{}`, `{"x":NaN,"y":5}`, `{"x":1e999,"y":5}`, `{"x":[123],"y":5}`, `[{"x":123,"y":5}]`, "\x00\x01",
	} {
		if _, x, err := decryptPoint(Encrypt(plain, secret), secret); err == nil {
			t.Errorf("%q was read as x = %g", plain, x)
		}
	}
}

// Any other text is refused without a panic.
func TestDecryptRefusesMalformed(t *testing.T) {
	good, err := base64.StdEncoding.DecodeString(Encrypt(`{"x":123,"y":5}`, secret))
	if err != nil {
		t.Fatal(err)
	}
	text := base64.StdEncoding.EncodeToString
	for name, sealed := range map[string]string{
		"empty": "", "not base64": "{}", "base64 for addresses": "-_-_-_-_-_-_-_-_-_-_-w==", "half a block": text(good[:8]), "a block and a half": text(append(good, good[:8]...)),
		"no padding": text(append(good, 1)), "as plain text": `{"x":123,"y":5}`, "under another key": Encrypt(`{"x":123,"y":5}`, "0123456789abcdef"),
		"too long": text([]byte(strings.Repeat(string(good), 30))),
	} {
		if plain, _, err := decryptPoint(sealed, secret); err == nil {
			t.Errorf("%s was decrypted to %q", name, plain)
		}
	}
	for _, padding := range []string{"\x00", "\x11", "\xff", "\x03\x02\x03", "\x01\x10"} {
		block := strings.Repeat("x", 16-len(padding)) + padding
		sealed, err := base64.StdEncoding.DecodeString(Encrypt(block, secret))
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := decrypt(text(sealed[:16]), secret); padding != "\x01\x10" && padding != "\x03\x02\x03" &&
			err == nil {
			t.Errorf("padding %q was accepted: %q", padding, plain)
		} else if err == nil &&
			len(plain) == 16 {
			t.Errorf("padding %q was not removed", padding)
		}
	}
	if _, err := decrypt(text(good), "short"); err == nil {
		t.Error("a key of five bytes was accepted")
	}
}

// No text from a client makes decryption fail in another way.
func FuzzDecryptPoint(f *testing.F) {
	f.Add(Encrypt(`{"x":123,"y":5}`, secret))
	f.Add("")
	f.Add("AAAAAAAAAAAAAAAAAAAAAA==")
	f.Fuzz(func(t *testing.T, sealed string) {
		plain, _, err := decryptPoint(sealed, secret)
		if err == nil && Encrypt(plain, secret) != strings.NewReplacer("\r", "", "\n", "").Replace(sealed) {
			t.Errorf("%q decrypts to %q, which encrypts to another text", sealed, plain)
		}
	})
}
