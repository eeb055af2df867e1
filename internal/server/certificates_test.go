package server

import (
	"net/http"
	"testing"
)

// Without TLS there are no certificates to report, and requests reach their handlers.
func TestWithoutCertificates(t *testing.T) {
	var c certificates
	if c.statuses() != nil {
		t.Error(c.statuses())
	}
	c.run(t.Context()) // returns at once
	reached := false
	c.challenges(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true })).ServeHTTP(nil, nil)
	if !reached {
		t.Error("the request does not reach its handler")
	}
}
