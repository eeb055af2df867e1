package httpbase

import (
	"net/http"
	"strconv"
	"strings"
)

// Accepts tells whether a request's client accepts a content coding: "br", "gzip".
func Accepts(r *http.Request, coding string) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(name, coding) {
			quality, given := strings.CutPrefix(strings.TrimSpace(params), "q=")
			q, err := strconv.ParseFloat(quality, 64)
			return !given || err == nil && q > 0
		}
	}
	return false
}
