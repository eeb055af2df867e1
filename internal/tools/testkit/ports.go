package testkit

import (
	"io"
	"net/http"
	"testing"
)

// AnyPort lets a server choose a free port. If a test chose one beforehand, another process could
// take it.
const AnyPort = "127.0.0.1:0"

// GetText returns the body of a page, whose status must be 200.
func GetText(t testing.TB, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // only read
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, resp.Status, err)
	}
	return string(body)
}
