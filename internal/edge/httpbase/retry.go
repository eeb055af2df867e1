package httpbase

import (
	"net/http"
	"strconv"
	"time"
)

// SetRetryAfter sets when the client may try again: in whole seconds, rounded up, at least one.
func SetRetryAfter(h http.Header, wait time.Duration) {
	h.Set("Retry-After", strconv.Itoa(max(1, CeilSeconds(wait))))
}

// CeilSeconds returns a duration in seconds, rounded up, so that a client that waits for as long
// has waited long enough.
func CeilSeconds(d time.Duration) int {
	whole := int(d / time.Second)
	if d%time.Second > 0 {
		whole++
	}
	return whole
}
