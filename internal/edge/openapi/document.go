package openapi

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"time"

	"github.com/goccy/go-yaml"

	"tilth/api"
)

// serveDocuments serves the contract, in both forms, and the page made from it. None of them needs
// a sign-in: they are public and the same for everybody.
func (s *server) serveDocuments() error {
	asJSON, err := yaml.YAMLToJSON(api.Open)
	if err != nil {
		return fmt.Errorf("write the open API's contract: %w", err)
	}
	page, err := newReference(s.doc)
	if err != nil {
		return fmt.Errorf("write the open API's page: %w", err)
	}
	s.addDocument(basePath+"/openapi.yaml", "application/yaml", api.Open, nil)
	s.addDocument(basePath+"/openapi.json", "application/json", asJSON, nil)
	s.addDocument(Prefix+"{$}", "text/html; charset=utf-8", page.html, http.Header{
		"Content-Security-Policy": {page.policy}, "X-Frame-Options": {"DENY"},
	})
	return nil
}

// addDocument serves bytes that never change while this server runs.
func (s *server) addDocument(path, contentType string, body []byte, header http.Header) {
	sum := fnv.New64a()
	_, _ = sum.Write(body) // never fails
	tag := `"` + strconv.FormatUint(sum.Sum64(), 36) + `"`
	s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for name, values := range header {
			h[name] = values
		}
		h.Set("Content-Type", contentType)
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	})
	s.allowOnly(path, "GET, HEAD")
}
