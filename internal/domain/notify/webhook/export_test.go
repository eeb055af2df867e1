package webhook

import (
	"net/http"
	"time"
)

// Sign is sign, at a time in seconds.
func Sign(h http.Header, id string, at int64, body []byte, secrets [][]byte) {
	sign(h, id, time.Unix(at, 0), body, secrets)
}
