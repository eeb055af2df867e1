package program

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// mainPackage is the main package of tilth.
const mainPackage = "tilth/cmd/tilth"

// checkBinary returns an error unless the file is a tilth that was built after the newest change of
// its sources, which is make's criterion, too. The commit in the file would say less, since most
// changes are tested before they are committed.
func checkBinary(file, root string) error {
	if !filepath.IsAbs(file) {
		return fmt.Errorf(
			"%s=%s: the path must be absolute, since each package's tests run in the package's folder",
			BinaryEnv,
			file,
		)
	}
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("%s: run make build: %w", BinaryEnv, err)
	}
	built, err := buildinfo.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: not a Go program: %w", BinaryEnv, err)
	}
	if built.Path != mainPackage {
		return fmt.Errorf("%s=%s: it is %s, not tilth", BinaryEnv, file, built.Path)
	}
	newest, at, err := newestSource(root)
	if err != nil {
		return err
	}
	if at.After(info.ModTime()) {
		return fmt.Errorf(
			"%s=%s: it is older than %s; run make build",
			BinaryEnv,
			file,
			newest,
		)
	}
	return nil
}

// newestSource returns the newest of the files that tilth is built from: those of the Makefile's
// GO_FILES, and the console's first page.
func newestSource(root string) (path string, at time.Time, err error) {
	for _, top := range []string{"cmd", "internal", "api", "go.mod", "web/embed.go", "web/dist/index.html"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, e fs.DirEntry, err error) error {
			switch {
			case top == "web/dist/index.html" && errors.Is(err, fs.ErrNotExist):
				return nil // the console was never built
			case err != nil:
				return err
			case e.IsDir() && e.Name() == "testdata":
				return fs.SkipDir
			case e.IsDir(), strings.HasSuffix(file, "_test.go"):
				return nil
			}
			info, err := e.Info()
			if err == nil && info.ModTime().After(at) {
				path, at = file, info.ModTime()
			}
			return err
		})
		if err != nil {
			return "", at, err
		}
	}
	return path, at, nil
}

// repoRoot returns the root of the repository that contains a folder: where the main package of tilth is,
// since the workshop's folder has a go.mod as well.
func repoRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "cmd", "tilth")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no cmd/tilth above %s", dir)
		}
	}
}
