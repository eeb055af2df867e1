// Package api holds the contract: openapi.yaml describes every call, and the
// Go and TypeScript types are generated from it.
package api

import _ "embed"

// OpenAPI is the contract, OpenAPI 3.0.3 in YAML.
//
//go:embed openapi.yaml
var OpenAPI []byte
