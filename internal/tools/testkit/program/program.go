// Package program builds the programs that tests run as processes. It is a package of its own
// because most users of testkit run none.
package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// BinaryEnv is the environment variable with the absolute path of a tilth that is built already:
// make test builds bin/tilth first. If it is empty, the first test that needs tilth builds it.
const BinaryEnv = "TILTH_TEST_BINARY"

// buildFlags are those of the Makefile's build. With them the tests run what people run, and go
// build takes all packages from its cache and only links.
var buildFlags = []string{"-trimpath", "-ldflags", "-s -w"}

var (
	mu       sync.Mutex
	buildDir string // contains what Tilth built; empty before
)

// Tilth returns the path of the tilth that tests run: the one that BinaryEnv names, which must
// match the sources, or else one that it builds once.
var Tilth = sync.OnceValues(func() (string, error) {
	root, err := repoRoot(".")
	if err != nil {
		return "", err
	}
	if given := os.Getenv(BinaryEnv); given != "" {
		return given, checkBinary(given, root)
	}
	dir, err := os.MkdirTemp("", "tilth-test-")
	if err != nil {
		return "", err
	}
	mu.Lock()
	buildDir = dir
	mu.Unlock()
	path := filepath.Join(dir, "tilth")
	return path, build(context.Background(), root, mainPackage, path)
})

// Remove removes what Tilth built. TestMain of a package whose tests call Tilth calls Remove at the
// end. If no test called Tilth, Remove does nothing.
func Remove() error {
	mu.Lock()
	defer mu.Unlock()
	if buildDir == "" {
		return nil
	}
	return os.RemoveAll(buildDir)
}

// Build builds a program from a package or a Go file.
func Build(ctx context.Context, source, file string) error { return build(ctx, "", source, file) }

// build does so in the module of a folder.
func build(ctx context.Context, dir, source, file string) error {
	c := exec.CommandContext(ctx, "go", append(append([]string{"build"}, buildFlags...), "-o", file, source)...)
	c.Dir, c.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", source, err, out)
	}
	return nil
}
