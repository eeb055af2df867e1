// Package program gives tests the programs that they run as processes of their
// own. It stands apart from testkit, most of whose users run none.
package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// BinaryEnv names a tilth that is built already, with an absolute path: `make
// test` builds bin/tilth right before. Empty: the first test that asks builds one.
const BinaryEnv = "TILTH_TEST_BINARY"

// buildFlags are those of the Makefile's build, so that tests run what people run,
// and little more than the linking is left to do.
var buildFlags = []string{"-trimpath", "-ldflags", "-s -w"}

var (
	mu       sync.Mutex
	buildDir string // of what Tilth built; empty: nothing yet
)

// Tilth is the path of the tilth that tests run: the one that Variable names,
// which must be one of this tree as it stands, else one that is built now, once.
var Tilth = sync.OnceValues(func() (string, error) {
	if given := os.Getenv(BinaryEnv); given != "" {
		root, err := repoRoot(".")
		if err != nil {
			return "", err
		}
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
	return path, Build(context.Background(), mainPackage, path)
})

// Remove removes what Tilth built. TestMain of a package whose tests ask for
// it calls this at the end; where none did, it does nothing.
func Remove() error {
	mu.Lock()
	defer mu.Unlock()
	if buildDir == "" {
		return nil
	}
	return os.RemoveAll(buildDir)
}

// Build builds a program, a package or a Go file, into a file.
func Build(ctx context.Context, source, file string) error {
	c := exec.CommandContext(ctx, "go", append(append([]string{"build"}, buildFlags...), "-o", file, source)...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", source, err, out)
	}
	return nil
}
