// Command systems tells whether a module, its tests and all that they import
// make sense to the compiler on other systems:
//
//	go run ./internal/tools/architecture/systems windows/amd64 darwin/arm64
//
// It checks their types as the compiler does, from the source, and makes no
// code: a tenth of the time of a build where nothing is built yet. What only
// an assembler or a linker would find, it does not.
package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	bad := false
	for _, system := range os.Args[1:] {
		problems, err := typeErrorsOn(context.Background(), ".", system)
		if err != nil {
			fmt.Fprintln(os.Stderr, "systems:", err)
			os.Exit(1)
		}
		for _, problem := range problems {
			fmt.Printf("%s: %s\n", system, problem)
			bad = true
		}
	}
	if bad {
		os.Exit(1)
	}
}

// typeErrorsOn is what a compiler for a system, as windows/amd64, would say of the
// module in dir, each once.
func typeErrorsOn(ctx context.Context, dir, system string) (problems []string, err error) {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return nil, fmt.Errorf("%q is not a system: write it as windows/amd64", system)
	}
	all, err := packages.Load(&packages.Config{
		Context: ctx,
		Dir:     dir,
		// The syntax is not looked at: asked for together with that of what is
		// imported, it makes types be checked from the source.
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax,
		Env:   append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
		Tests: true,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			return parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		},
	}, "./...")
	if err != nil {
		return nil, err
	}
	looked := 0
	packages.Visit(all, nil, func(p *packages.Package) {
		looked++
		for _, problem := range p.Errors {
			problems = append(problems, problem.Error())
		}
	})
	if looked == 0 {
		return nil, errors.New("there are no packages")
	}
	slices.Sort(problems)
	return slices.Compact(problems), nil // a package is checked with its tests and without
}
