package webhook

import (
	"net/http"
	"time"
)

// Sign exports sign; at is in seconds since the epoch.
func Sign(h http.Header, id string, at int64, body []byte, secrets [][]byte) {
	sign(h, id, time.Unix(at, 0), body, secrets)
}
