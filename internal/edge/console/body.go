package console

import (
	"net/http"
	"net/url"
	"time"

	"github.com/getkin/kin-openapi/routers"

	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/limit"
)

// uploadBodyTimeout is how long a picture may take to arrive: people send it from phones, and its
// slot bounds what it takes meanwhile.
const uploadBodyTimeout = 30 * time.Second

// receiveBody reads the body of a call, asks again whether the caller may make it, and checks
// parameters and body against the contract.
func (s *server) receiveBody(
	w http.ResponseWriter,
	r *http.Request,
	route *routers.Route,
	params map[string]string,
	query url.Values,
) (release func(), err error) {
	info := requestFrom(r.Context())
	from := sender(info)
	body, release, err := s.Bodies.Receive(w, r, from, httpbase.MaxBody(route.Operation))
	if err != nil {
		return release, violationError(err)
	}
	r.Body = http.NoBody
	if body != nil {
		// The body may have come long after the headers.
		if !isPublic(route) {
			if err := s.identify(r, info, route); err != nil {
				return release, err
			}
		}
		if err := s.checkMemory(workOf(route)); err != nil {
			return release, err
		}
	}
	err = s.Bodies.Decode(r.Context(), from, body, func() error {
		if route.Operation.RequestBody != nil {
			err := httpbase.NormalizeJSON(r, body, httpbase.NormalizeIntegers, httpbase.DropNulls(route.Operation))
			if err != nil {
				return err
			}
		}
		return httpbase.Validate(r, route, params, query)
	})
	return release, violationError(err)
}

// sender is whom the bytes of a call's body count for.
func sender(info *request) httpbase.Sender {
	if info.caller.User == 0 {
		return httpbase.Sender{Network: limit.Client.Of(info.Address)}
	}
	return httpbase.Sender{Tenant: int64(info.caller.Tenant), Member: info.caller.User}
}
