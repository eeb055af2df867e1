package console

import (
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"tilth/api"
)

// contractIndex holds what handlers look up in the contract.
type contractIndex struct {
	router             routers.Router
	paths              *openapi3.Paths
	changesByOperation map[string]string // the kind of thing that a call changes, by operation
}

// ReadContract reads the contract, which takes as long as the rest of a start: whoever will call New soon, or
// when another node ends, calls it before. New says if the contract is wrong.
func ReadContract() { _, _ = loadContract() }

// loadContract reads the contract once for each process: a test makes many handlers.
var loadContract = sync.OnceValues(func() (contractIndex, error) {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
	if err != nil {
		return contractIndex{}, err
	}
	doc.Servers = nil // the path alone names a call, whatever the host is
	router, err := legacy.NewRouter(doc)
	if err != nil {
		return contractIndex{}, err
	}
	return contractIndex{router: router, paths: doc.Paths, changesByOperation: operationChanges(doc)}, nil
})
