package levelcolor

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The console's file is the one that people change.
func TestConsole(t *testing.T) {
	console, err := os.ReadFile("../../../../../web/src/app/levels.css")
	if err != nil {
		t.Fatal(err)
	}
	if string(console) != css {
		t.Error("levels.css differs from the console's: run `make gen`")
	}
	seen := map[string]bool{}
	for _, theme := range []Theme{Light, Dark} {
		for level := range Count {
			for _, hex := range []string{Ink(theme, level), Paper(theme, level)} {
				if len(hex) != 7 || seen[hex] {
					t.Errorf("level %d, %s: %q", level, theme, hex)
				}
				seen[hex] = true
			}
		}
		if len(themes[theme]) != 2*Count+1 || themes[theme]["alarm-fill"] == "" {
			t.Errorf("%s: %v", theme, themes[theme])
		}
	}
}

// Thus mails and their pictures change with levels.css.
func TestNoColorElsewhere(t *testing.T) {
	written := func(hex string) []string {
		return []string{hex, "0x" + hex[1:3] + ", 0x" + hex[3:5] + ", 0x" + hex[5:]}
	}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		ext := filepath.Ext(path)
		if err != nil || d.IsDir() || ext != ".go" && ext != ".html" && ext != ".css" ||
			filepath.Base(path) == "levels.css" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, "levelcolor.go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		for _, colors := range themes {
			for name, hex := range colors {
				for _, form := range written(hex) {
					if strings.Contains(strings.ToLower(string(raw)), form) {
						t.Errorf("%s writes --%s: take it from this package", path, name)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
