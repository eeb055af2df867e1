// Package web holds the built console. A clean clone has an empty dist folder,
// so that Go builds without Node; `make build` fills it.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Dist is the built console: index.html and its assets, with .br and .gz
// beside what compresses.
func Dist() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return sub
}
