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

// mainPackage is the package whose program tilth is.
const mainPackage = "tilth/cmd/tilth"

// checkBinary is an error unless the file is a tilth that was built after everything
// that it is built from was last changed: what make goes by, too. The commit
// that is noted in it would say less, since most changes are tested before they
// are committed.
func checkBinary(file, root string) error {
	if !filepath.IsAbs(file) {
		return fmt.Errorf(
			"%s=%s: an absolute path is wanted, since each package's tests run in its own folder",
			BinaryEnv,
			file,
		)
	}
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("%s: make build builds it: %w", BinaryEnv, err)
	}
	built, err := buildinfo.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: it is no program that Go built: %w", BinaryEnv, err)
	}
	if built.Path != mainPackage {
		return fmt.Errorf("%s=%s: it is %s, and not tilth", BinaryEnv, file, built.Path)
	}
	newest, at, err := newestSource(root)
	if err != nil {
		return err
	}
	if at.After(info.ModTime()) {
		return fmt.Errorf(
			"%s=%s: it is older than %s, so it is not what is tested: make build",
			BinaryEnv,
			file,
			newest,
		)
	}
	return nil
}

// newestSource is the file that was changed last of those that tilth is built
// from: the Makefile's GO_FILES, and the console's first page.
func newestSource(root string) (path string, at time.Time, err error) {
	for _, top := range []string{"cmd", "internal", "api", "go.mod", "web/embed.go", "web/dist/index.html"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, e fs.DirEntry, err error) error {
			switch {
			case top == "web/dist/index.html" && errors.Is(err, fs.ErrNotExist):
				return nil // a console that was never built
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

// repoRoot is the repository that a folder is in: where go.mod is.
func repoRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no go.mod above %s", dir)
		}
	}
}
