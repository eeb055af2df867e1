// Command systems tells whether a module, its tests and its dependencies compile for other systems:
//
//	go run ./internal/tools/architecture/systems windows/amd64 darwin/arm64
//
// It type-checks the source as the compiler does, but generates no code. Where nothing is built
// yet, this takes a tenth of the time of a build. It does not find errors that only an assembler or
// a linker finds.
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

// typeErrorsOn returns the type errors that a compiler for a system, such as windows/amd64, reports
// for the module in dir, each once.
func typeErrorsOn(ctx context.Context, dir, system string) (problems []string, err error) {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return nil, fmt.Errorf("%q is not a system: write it as windows/amd64", system)
	}
	all, err := packages.Load(&packages.Config{
		Context: ctx,
		Dir:     dir,
		// The syntax is not used. NeedSyntax together with NeedDeps makes packages.Load check the
		// types of dependencies from their source.
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax,
		Env:   append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
		Tests: true,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			return parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		},
	}, "./...")
	if err != nil {
		return nil, err
	}
	visited := 0
	packages.Visit(all, nil, func(p *packages.Package) {
		visited++
		for _, problem := range p.Errors {
			problems = append(problems, problem.Error())
		}
	})
	if visited == 0 {
		return nil, errors.New("there are no packages")
	}
	slices.Sort(problems)
	return slices.Compact(problems), nil // packages.Load returns a package with its tests and without
}
