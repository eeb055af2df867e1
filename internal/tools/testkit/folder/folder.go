// Package folder reads folders for tests that compare them.
package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Contents returns the content of each file of a folder and the folders in it, by its path from
// there, with slashes.
func Contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, relErr := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(content)
		return errors.Join(err, relErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
