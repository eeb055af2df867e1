package console

import (
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"tilth/api"
)

// contractIndex is what a handler looks up in the contract.
type contractIndex struct {
	router             routers.Router
	changesByOperation map[string]string // what a call changes, by its operation
}

// loadContract is read once a process: a test makes many handlers.
var loadContract = sync.OnceValues(func() (contractIndex, error) {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
	if err != nil {
		return contractIndex{}, err
	}
	doc.Servers = nil // the path alone names a call, whatever the host
	router, err := legacy.NewRouter(doc)
	if err != nil {
		return contractIndex{}, err
	}
	return contractIndex{router: router, changesByOperation: operationChanges(doc)}, nil
})
