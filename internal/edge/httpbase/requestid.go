package httpbase

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
)

// requestIDHeader is the header of an answer with the id that the log has of its request.
const requestIDHeader = "X-Request-Id"

// requestID returns a request's id and sets it in the header of the answer: the one that an edge
// around this one gave it, else a new one. It ignores an id that the client sends, because two log
// lines could then have the same id.
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
