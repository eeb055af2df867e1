package vault

import (
	"bytes"
	"strings"
	"testing"
)

func TestVault(t *testing.T) {
	v, err := New([]byte("a key that has thirty-two bytes!"))
	if err != nil {
		t.Fatal(err)
	}
	secret := []byte("12345678901234567890")
	sealed := v.Seal("webhook of tenant 3", secret)
	if bytes.Contains(sealed, secret) || bytes.Equal(sealed, v.Seal("webhook of tenant 3", secret)) {
		t.Errorf("%x shows the secret, or is the same each time", sealed)
	}
	if opened, err := v.Open("webhook of tenant 3", sealed); err != nil || !bytes.Equal(opened, secret) {
		t.Errorf("%q %v", opened, err)
	}
	if _, err := v.Open(
		"webhook of tenant 4",
		sealed,
	); err == nil ||
		!strings.Contains(err.Error(), "webhook of tenant 4") {
		t.Errorf("opened as another owner's: %v", err)
	}
	other, err := New([]byte("another key with thirty-two byte"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Open("webhook of tenant 3", sealed); err == nil {
		t.Error("opened with another key")
	}
	if _, err := New([]byte("short")); err == nil {
		t.Error("a short key is taken")
	}
}
