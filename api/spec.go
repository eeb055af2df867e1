// Package api holds the contracts: openapi.yaml describes every call of the console and of the
// provider, open.yaml those of programs. The Go and TypeScript types are generated from them.
package api

import _ "embed"

// OpenAPI is the contract of the console and the provider, OpenAPI 3.0.3 in YAML.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Open is the contract of the open API, OpenAPI 3.0.3 in YAML; the open API serves it unchanged.
//
//go:embed open.yaml
var Open []byte
