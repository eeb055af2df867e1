package testkit

import (
	"io"
	"net/http"
	"testing"
)

// AnyPort lets a server take a free port. A test that looked for a free port beforehand
// could lose it to another process.
const AnyPort = "127.0.0.1:0"

// GetText is the body of a page that must be answered with 200.
func GetText(t testing.TB, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, resp.Status, err)
	}
	return string(body)
}
