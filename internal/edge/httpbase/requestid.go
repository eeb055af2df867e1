package httpbase

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
)

// requestIDHeader tells who asked under which id the log knows a request.
const requestIDHeader = "X-Request-Id"

// requestID is a request's id, in the header of its answer from now on: the one
// that an edge around this one gave it, else a new one. An id that the client
// sends is not believed: two lines of the log would name the same.
func requestID(answer http.Header) string {
	id := answer.Get(requestIDHeader)
	if id == "" {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails (crypto/rand)
		id = hex.EncodeToString(b[:])
		answer.Set(requestIDHeader, id)
	}
	return id
}
