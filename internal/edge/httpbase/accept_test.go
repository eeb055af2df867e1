package httpbase

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAccepts(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "br, gzip": true, "br,gzip;q=0.5": true, "gzip;q=0": false, "gzip;q=0.0, br": false,
		"gzip;q=x": false, "deflate": false, "xgzip": false, "gzip;level=9": true, "*": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", accept)
		if Accepts(r, "gzip") != want {
			t.Errorf("%q: not %t", accept, want)
		}
	}
}
